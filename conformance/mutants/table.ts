import type { RequirementId } from '@paid-inference/contract/requirements';
import { checkedIds } from './alone.ts';
import type { Witness } from './comparable.ts';
import { computeFigures, isTrustworthy, killersAlone } from './figures.ts';
import type { Matrix } from './matrix.ts';
import { notAlone } from './not-alone.ts';
import type { MutantScore } from './score.ts';

/** Renders the matrix for a terminal, one line for each mutant, variant, deployment and requirement. */
export function renderMatrix(matrix: Matrix): string {
  if (matrix.void.length > 0) return ['VOID', ...matrix.void.map((fault) => `  ${fault}`), ''].join('\n');
  const sections = [mutantLines, variantLines, unresponsiveLines, requirementLines, figureLines];
  return `${sections.map((lines) => lines(matrix).join('\n')).join('\n\n')}\n`;
}

function mutantLines({ mutants }: Matrix): readonly string[] {
  return [
    'MUTANTS  score, id, place, failed requirements, and the first exchange that differs',
    ...mutants.map(({ subject: { id, place, kills }, score }) =>
      line(label(score.kind), id, place, describeScore(score, kills)),
    ),
  ];
}

function describeScore(score: MutantScore, kills: readonly string[]): string {
  switch (score.kind) {
    case 'strong':
      return `${kills.join(' ')}  ${seen(score.witness)}`;
    case 'weak':
    case 'survivor': {
      const found = score.found.join(' ') || 'nothing';
      return `declared ${kills.join(' ')}; failed ${found}  ${seen(score.witness)}`;
    }
    case 'broken':
      return score.why;
    case 'not-applied':
      return 'no exchange differs from the sound gateway';
  }
}

/** Writes expected scores in lower case, and unexpected ones in upper case. */
function label(kind: string): string {
  return ['strong', 'green', 'open'].includes(kind) ? kind : kind.toUpperCase().replaceAll('-', '_');
}

function variantLines({ variants }: Matrix): readonly string[] {
  return [
    'LEGAL VARIANTS  score, id, the words of the contract that allow it',
    ...variants.map(({ subject, score }) => {
      const hides = subject.hides === undefined ? '' : `  (incomplete: ${subject.hides})`;
      const why = score.kind === 'green' ? `"${subject.open}"${hides}` : 'why' in score ? score.why : '';
      return line(label(score.kind), subject.id, '', why);
    }),
  ];
}

function unresponsiveLines({ unresponsive }: Matrix): readonly string[] {
  return [
    'UNRESPONSIVE DEPLOYMENTS  score, id: no check may pass or fail',
    ...unresponsive.map(({ subject, score }) =>
      line(label(score.kind), subject.id, '', 'why' in score ? score.why : ''),
    ),
  ];
}

function requirementLines(matrix: Matrix): readonly string[] {
  const asked = new Set(matrix.mutants.flatMap(({ subject }) => subject.kills));
  const isAsked = (id: RequirementId) => !matrix.isPartial || asked.has(id);
  return [
    'REQUIREMENTS  number of mutants that fail this MUST alone, id, and one of them',
    ...checkedIds('MUST')
      .filter(isAsked)
      .map((id) => {
        const alone = killersAlone(matrix, id);
        const reason = notAlone.find(({ requirement }) => requirement === id);
        const words =
          alone[0] ?? (reason ? `with ${reason.failsWith.join(', ')}: ${reason.because}` : 'NONE');
        return `${String(alone.length).padStart(4)}  ${id.padEnd(54)} ${words}`;
      }),
    ...matrix.owing.map((fault) => `MISSING ${fault}`),
  ];
}

function figureLines(matrix: Matrix): readonly string[] {
  const figures = computeFigures(matrix);
  return [
    `Target: ${figures.target}, green in ${figures.soundRuns} runs with identical reports`,
    `  ${figures.mutants} mutants: ${figures.strongKills} strong kills, ${figures.weakKills} weak kills, ${figures.survivors} survivors`,
    `  ${figures.legalVariants} legal variants: ${figures.falsePositives} false positives`,
    `  ${figures.unresponsiveDeployments} unresponsive deployments: ${figures.silentFoundOpen} open verdicts`,
    `  ${figures.must} MUST requirements with a check: ${figures.mustKilledAlone} kill a mutant alone, ${notAlone.length} have a reason why none can`,
    ...(figures.unscored > 0
      ? [`  ${figures.unscored} not scored: the run was broken, or the change had no effect`]
      : []),
    isTrustworthy(matrix) ? 'All results are as expected.' : 'Some results are not as expected.',
  ];
}

function line(score: string, id: string, place: string, words: string): string {
  return `${score.padEnd(12)} ${id.padEnd(48)} ${place.padEnd(10)} ${words}`.trimEnd();
}

function seen({ exchange, request, change }: Witness): string {
  return `[${exchange}: ${request}: ${change}]`;
}
