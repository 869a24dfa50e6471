import type { Report } from '../engine/report.ts';
import type { RequirementId } from '../engine/scope.ts';
import type { Outcome } from '../types/verdict.ts';
import { byRequirement } from './by-requirement.ts';
import { counted } from './counted.ts';
import { unreachableText } from './unreachable.ts';
import { visibleLine } from './visible.ts';

/** What to know before the verdict is read: why less was looked at than was asked for. */
export function caveats(report: Report): readonly string[] {
  return [
    ...(report.isInterrupted ? ['The run was interrupted: what is inconclusive was not looked at.'] : []),
    ...(report.isOverdue
      ? [
          `The deadline of ${report.deadlineSeconds} s for the whole run was reached: what is inconclusive was not looked at.`,
        ]
      : []),
    ...vacuity(report),
  ];
}

/** What a run counted, sent and signed. An amount of money never stands without its unit, nor a count without its noun. */
export function runLines(report: Report): readonly string[] {
  return [
    mustLine(report),
    `${counted(report.requests, 'request')} in ${(report.durationMs / 1000).toFixed(1)} s, chance seeded with ${report.fuzz.seed}`,
    ...moneyLines(report),
  ];
}

/** Which of the contract's MUST are in the number that a verdict names. */
function mustLine({ results, must }: Report): string {
  const demanded = results.filter(({ level }) => level === 'MUST');
  const all = new Set(demanded.map(({ requirement }) => requirement));
  const inScope = new Set(
    demanded.filter(({ outcome }) => outcome !== 'disabled').map(({ requirement }) => requirement),
  );
  const notArisen = inScope.size - must.total;
  const parts = [
    `${must.total} arose in this run`,
    ...(notArisen === 0 ? [] : [`${notArisen} did not arise`]),
    ...(all.size === inScope.size ? [] : [`${all.size - inScope.size} were out of scope`]),
  ];
  return `The contract has ${all.size} MUST requirements: ${parts.join(', ')}`;
}

/** Where the money went, for whoever wants to look it up on the chain. */
function moneyLines({ spent, profiles }: Report): readonly string[] {
  const { payments, signedUnits, settledPayments, settledUnits, journal, unresolved } = spent;
  if (payments === 0) return profiles.includes('paid') ? ['Signed no payment'] : [];
  return [
    `Signed ${counted(payments, 'payment')}, ${signedUnits} units in all; served (200): ${counted(settledPayments, 'payment')}, ${settledUnits} units. A unit is the token's smallest`,
    ...(unresolved.length === 0
      ? []
      : [`What became of these payments nobody can say; they count as spent: ${unresolved.join(', ')}`]),
    ...(journal === null ? [] : [`Journal of what was signed: ${journal}`]),
  ];
}

/** Why a target gave nothing to judge; undefined where it did. */
export function unreachedLine(
  { target, unreached, exchanges }: Report,
  charactersMax: number,
): string | undefined {
  if (unreached === null) return undefined;
  const isAnswered = exchanges.some(({ answer }) => answer !== undefined);
  const cause = visibleLine(isAnswered ? unreached : unreachableText(unreached, target), charactersMax);
  return isAnswered ? `${target} cannot be judged now: ${cause}` : `${target} cannot be reached: ${cause}`;
}

/** Counts requirements throughout, a requirement by the worst of its checks: checks beside them would not add up. */
export function verdictLine(report: Report): string {
  return `${verdictWords[report.verdict]}: ${scopeWords(report)} · ${countWords(report)}`;
}

/** What was judged. */
export function scopeWords({ contractVersion, profiles, filter }: Report): string {
  const scope = [`${contractVersion}`, `profiles ${profiles.join('+')}`];
  return [...scope, ...(filter === null ? [] : [`only ${filter}…`])].join(' · ');
}

function countWords(report: Report): string {
  const { must } = report;
  const rows = Map.groupBy(byRequirement(report), ({ outcome }) => outcome);
  const said = ([outcome, words]: (typeof reported)[number]) => {
    const ours = rows.get(outcome) ?? [];
    const expected = ours.filter((row) => row.expected).length;
    return ours.length === 0 ? [] : [words(ours.length) + (expected === 0 ? '' : ` (${expected} expected)`)];
  };
  return [`${must.verified} of ${must.total} MUST verified`, ...reported.flatMap(said)].join(' · ');
}

/** What is to be done about entries of the list that fail no longer. */
export function staleLines(report: Report): readonly string[] {
  return report.expectedFailures
    .filter(({ state }) => state === 'stale')
    .map(({ requirement }) => staleLine(requirement, report));
}

export function staleLine(requirement: RequirementId, { expectedFailures }: Report): string {
  const line = expectedFailures.find((entry) => entry.requirement === requirement)?.line;
  const where = line === undefined ? 'its entry' : `its entry in line ${line}`;
  return `${requirement} passes now: remove ${where} from the expected failures`;
}

export const verdictWords = {
  conformant: 'Conformant in scope',
  'conformant-with-warnings': 'Conformant in scope, with warnings',
  'non-conformant': 'NOT conformant',
  incomplete: 'INCOMPLETE',
  'suite-error': 'FAULT OF THE SUITE',
} as const;

const reported: readonly (readonly [Outcome, (count: number) => string])[] = [
  ['fail', (count) => `${count} failed`],
  ['warn', (count) => counted(count, 'warning')],
  ['observed', (count) => `${count} observed`],
  ['inconclusive', (count) => `${count} inconclusive`],
  ['error', (count) => counted(count, 'suite error')],
];

/** Says so where a run hardly touched what it was to judge: passing nothing is easily done. */
function vacuity({ exchanges, profiles, must }: Report): readonly string[] {
  const saw = (status: number, isPaid: boolean) =>
    exchanges.some(
      ({ request, answer }) => answer?.status === status && 'X-PAYMENT' in request.headers === isPaid,
    );
  return [
    ...(must.total > 0 ? [] : ['No MUST is in scope: there was nothing that a deployment could fail.']),
    ...(saw(402, false) ? [] : ['No unpaid request was answered 402: nothing about payment was seen.']),
    ...(profiles.includes('paid') && !saw(200, true)
      ? ['No paid request was answered 200: nothing about paid answers was seen.']
      : []),
  ];
}
