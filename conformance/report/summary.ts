import { exitCodes, type Report } from '../engine/report.ts';
import type { RequirementId } from '../engine/scope.ts';
import type { Outcome } from '../engine/verdict.ts';
import { byRequirement } from './by-requirement.ts';
import { counted } from './counted.ts';
import { commonestReason } from './findings.ts';
import { visibleLine } from './visible.ts';

/** How an outcome looks where one character has to say it. */
export const marks: Readonly<
  Record<Outcome, { mark: string; colour: 'green' | 'red' | 'yellow' | 'cyan' | 'dim' }>
> = {
  pass: { mark: '✓', colour: 'green' },
  fail: { mark: '✗', colour: 'red' },
  warn: { mark: '!', colour: 'yellow' },
  observed: { mark: '·', colour: 'cyan' },
  inconclusive: { mark: '?', colour: 'yellow' },
  'not-applicable': { mark: '-', colour: 'dim' },
  disabled: { mark: ' ', colour: 'dim' },
  error: { mark: '☠', colour: 'red' },
};

/** The lines at the end of every run. The number of verified requirements never stands without what it is out of. */
export function summaryLines(report: Report): readonly string[] {
  const { spent } = report;
  return [
    ...(report.isInterrupted ? ['The run was interrupted: what is inconclusive was not looked at.'] : []),
    ...(report.isOverdue
      ? [
          `The deadline of ${report.deadlineSeconds} s for the whole run was reached: what is inconclusive was not looked at.`,
        ]
      : []),
    ...vacuity(report),
    // Of a run that was cut off the line above says it.
    ...(isCutShort(report) ? [] : commonestReason(report)),
    verdictLine(report),
    `signed ${spent.signedUnits} of the token's smallest unit in ${counted(spent.payments, 'payment')}, ${spent.settledUnits} of them settled (answered with 200)` +
      ` · ${counted(report.requests, 'request')} in ${(report.durationMs / 1000).toFixed(1)} s, chance seeded with ${report.fuzz.seed}`,
    ...money(report),
    ...leave(report),
  ];
}

/** What ends a run with 0 in which nothing is left to mend, and something could not be exercised. */
function leave(report: Report): readonly string[] {
  const { must, expectedFailures } = report;
  if (report.exitCode !== exitCodes.incomplete || isCutShort(report) || must.verified === 0) return [];
  const nothing = expectedFailures.length === 0 ? 'Nothing failed' : 'Nothing unexpected failed';
  return [
    `${nothing}; what is inconclusive makes the exit code ${report.exitCode}: --allow-incomplete lets it be.`,
  ];
}

function isCutShort({ isInterrupted, isOverdue, unreached }: Report): boolean {
  return isInterrupted || isOverdue || unreached !== null;
}

/** Where the money went, for whoever wants to look it up on the chain. */
function money({ spent }: Report): readonly string[] {
  const { journal, unresolved } = spent;
  return [
    ...(unresolved.length === 0
      ? []
      : [`What became of these payments nobody can say; they count as spent: ${unresolved.join(', ')}`]),
    ...(journal === null || spent.payments === 0 ? [] : [`Journal of what was signed: ${journal}`]),
  ];
}

/** Why a target gave nothing to judge; undefined where it did. */
export function unreachedLine({ target, unreached, exchanges }: Report, charactersMax: number) {
  if (unreached === null) return undefined;
  const cause = visibleLine(unreached, charactersMax);
  return exchanges.some(({ answer }) => answer !== undefined)
    ? `${target} cannot be judged now: ${cause}`
    : `${target} cannot be reached: ${cause}`;
}

/** Counts requirements throughout, a requirement by the worst of its checks: checks beside them would not add up. */
export function verdictLine(report: Report): string {
  const { contractVersion, profiles, filter, must } = report;
  const rows = Map.groupBy(byRequirement(report), ({ outcome }) => outcome);
  const said = ([outcome, words]: (typeof told)[number]) => {
    const ours = rows.get(outcome) ?? [];
    const expected = ours.filter((row) => row.expected).length;
    return ours.length === 0 ? [] : [words(ours.length) + (expected === 0 ? '' : ` (${expected} expected)`)];
  };
  const scope = [
    contractVersion,
    `profiles ${profiles.join('+')}`,
    ...(filter === null ? [] : [`only ${filter}…`]),
    `${must.verified} of ${must.total} MUST verified`,
    ...told.flatMap(said),
  ];
  return `${verdictWords[report.verdict]}: ${scope.join(' · ')}`;
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

const verdictWords = {
  conformant: 'Conformant in scope',
  'conformant-with-warnings': 'Conformant in scope, with warnings',
  'non-conformant': 'NOT conformant',
  incomplete: 'INCOMPLETE',
  'suite-error': 'FAULT OF THE SUITE',
} as const;

const told: readonly (readonly [Outcome, (count: number) => string])[] = [
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
