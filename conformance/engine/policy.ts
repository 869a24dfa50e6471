import {
  type ExpectedFailure,
  exitCodes,
  isUnreached,
  type Policy,
  type Report,
  type Result,
  usageExitCode,
  verdictOf,
} from './report.ts';

/**
 * Marks the failures that were expected, finds those on the list that pass by now, and gives the exit code: 1 where anything
 * failed that is not on the list, or where the list is stale.
 */
export function applyPolicy(report: Report, policy: Policy): Report {
  const { strict = false, allowIncomplete = false, expectedFailures = [] } = policy;
  const listed = new Map(expectedFailures.map((entry) => [entry.requirement, entry]));
  const results = report.results.map((result) => withExpectation(result, listed.get(result.requirement)));
  const judgedEntries = expectedFailures.map((entry) => ({ ...entry, state: stateOf(entry, results) }));
  const isStale = judgedEntries.some(({ state }) => state === 'stale');
  const remaining = exitCodeOf(results, { strict, allowIncomplete });
  const judged = isStale && remaining !== exitCodes['suite-error'] ? exitCodes['non-conformant'] : remaining;
  const exitCode = isUnreached(report) ? usageExitCode : judged;
  return { ...report, strict, allowIncomplete, expectedFailures: judgedEntries, results, exitCode };
}

function withExpectation(result: Result, entry: ExpectedFailure | undefined): Result {
  if (!entry || !isFailing(result)) return result;
  const { reason, issue } = entry;
  return { ...result, expected: { reason, ...(issue !== undefined && { issue }) } };
}

type State = Report['expectedFailures'][number]['state'];

/** Only what was judged to its end is stale: what is out of scope or open may still fail. */
function stateOf({ requirement }: ExpectedFailure, results: readonly Result[]): State {
  const own = results.filter((result) => result.requirement === requirement);
  if (own.some(isFailing)) return 'failing';
  const isJudged = own.some(({ outcome }) => outcome === 'pass');
  return isJudged && own.every(({ outcome }) => passing.has(outcome)) ? 'stale' : 'open';
}

const passing: ReadonlySet<Result['outcome']> = new Set(['pass', 'not-applicable']);

function isFailing({ outcome }: Result): boolean {
  return outcome === 'fail' || outcome === 'warn';
}

/** The verdict's exit code, as it would be had nothing failed that was expected to. */
function exitCodeOf(results: readonly Result[], { strict, allowIncomplete }: Policy): number {
  const verdict = verdictOf(
    results.map(({ level, outcome, expected }) => ({ level, outcome: expected ? 'pass' : outcome })),
  );
  if (verdict === 'suite-error') return exitCodes[verdict];
  const isWarned = results.some(({ outcome, expected }) => outcome === 'warn' && !expected);
  if (strict && isWarned) return exitCodes['non-conformant'];
  // A run that verified nothing is not partly green, so that there is nothing to allow.
  const isPartlyGreen = results.some(
    ({ level, outcome, expected }) => level === 'MUST' && (outcome === 'pass' || expected),
  );
  const isAllowed = verdict === 'incomplete' && allowIncomplete && isPartlyGreen;
  return isAllowed ? exitCodes.conformant : exitCodes[verdict];
}
