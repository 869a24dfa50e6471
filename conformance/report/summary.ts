import type { Report } from '../engine/report.ts';
import type { RequirementId } from '../engine/scope.ts';
import type { Outcome } from '../types/verdict.ts';
import { byRequirement } from './by-requirement.ts';
import { counted } from './counted.ts';
import { unreachableText } from './unreachable.ts';
import { visibleLine } from './visible.ts';

/** Warnings to read before the verdict: the reasons why the run tested less than it should. */
export function caveats(report: Report): readonly string[] {
  return [
    ...(report.isInterrupted ? ['The run was interrupted. Checks that had not ended are inconclusive.'] : []),
    ...(report.isOverdue
      ? [
          `The run reached its deadline of ${report.deadlineSeconds} s. Checks that had not ended are inconclusive. Raise --deadline-seconds.`,
        ]
      : []),
    ...vacuity(report),
  ];
}

/** Counts of requirements, requests and payments. Amounts always have a unit, and counts a noun. */
export function runLines(report: Report): readonly string[] {
  return [
    mustLine(report),
    `${counted(report.requests, 'request')} in ${(report.durationMs / 1000).toFixed(1)} s, seed ${report.fuzz.seed}`,
    ...moneyLines(report),
  ];
}

/** How many MUST requirements of the contract the verdict counts, and why not all. */
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

/** Signed and settled amounts, with unresolved nonces to look up on the chain. */
function moneyLines({ spent, profiles }: Report): readonly string[] {
  const { payments, signedUnits, settledPayments, settledUnits, journal, unresolved } = spent;
  if (payments === 0) return profiles.includes('paid') ? ['Signed no payment'] : [];
  return [
    `Signed ${counted(payments, 'payment')}, ${signedUnits} units in all; served (200): ${counted(settledPayments, 'payment')}, ${settledUnits} units. One unit is the token's smallest unit`,
    ...(unresolved.length === 0
      ? []
      : [
          `The suite does not know whether these payments settled, so they count as spent (nonces): ${unresolved.join(', ')}`,
        ]),
    ...(journal === null ? [] : [`Journal of signed payments: ${journal}`]),
  ];
}

/** The reason why the target could not be judged; undefined if it was judged. */
export function unreachedLine(
  { target, unreached, exchanges }: Report,
  charactersMax: number,
): string | undefined {
  if (unreached === null) return undefined;
  const isAnswered = exchanges.some(({ response }) => response !== undefined);
  const cause = visibleLine(isAnswered ? unreached : unreachableText(unreached, target), charactersMax);
  return isAnswered ? `${target} cannot be tested now: ${cause}` : `${target} cannot be reached: ${cause}`;
}

/** The verdict with counts. All counts are of requirements, by the worst outcome of their checks. */
export function verdictLine(report: Report): string {
  return `${verdictWords[report.verdict]}: ${scopeWords(report)} · ${countWords(report)}`;
}

/** Contract version, profiles and filter of a run. */
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

/** Advice for entries of the list that no longer fail. */
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

/** Warnings for a run that tested hardly anything, because such a run passes easily. */
function vacuity({ exchanges, profiles, must }: Report): readonly string[] {
  const saw = (status: number, isPaid: boolean) =>
    exchanges.some(
      ({ request, response }) => response?.status === status && 'X-PAYMENT' in request.headers === isPaid,
    );
  return [
    ...(must.total > 0 ? [] : ['No MUST is in scope, so the deployment could not fail.']),
    ...(saw(402, false) ? [] : ['No unpaid request got 402, so the run shows nothing about payments.']),
    ...(profiles.includes('paid') && !saw(200, true)
      ? ['No paid request got 200, so the run shows nothing about paid responses.']
      : []),
  ];
}
