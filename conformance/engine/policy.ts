import {
  type ExpectedFailure,
  exitCodes,
  isUnreached,
  judgeRun,
  type Policy,
  type Report,
  type Result,
  usageExitCode,
} from './report.ts';

/**
 * Marks expected failures, finds list entries that pass now, and computes the exit code. An unexpected failure
 * or a stale list gives 1.
 */
export function applyPolicy(report: Report, policy: Policy): Report {
  const { strict = false, allowIncomplete = false, expectedFailures = [] } = policy;
  const listed = new Map(expectedFailures.map((entry) => [entry.requirement, entry]));
  const results = report.results.map((result) => withExpectation(result, listed.get(result.requirement)));
  const judgedEntries = expectedFailures.map((entry) => ({ ...entry, state: judgeEntry(entry, results) }));
  const isStale = judgedEntries.some(({ state }) => state === 'stale');
  const exitCode = isUnreached(report)
    ? usageExitCode
    : computeExitCode(results, isStale, { strict, allowIncomplete });
  return { ...report, strict, allowIncomplete, expectedFailures: judgedEntries, results, exitCode };
}

function withExpectation(result: Result, entry: ExpectedFailure | undefined): Result {
  if (!entry || !isFailing(result)) return result;
  const { reason, issue } = entry;
  return { ...result, expected: { reason, ...(issue !== undefined && { issue }) } };
}

type State = Report['expectedFailures'][number]['state'];

/**
 * An entry is stale only if its checks ended: a requirement that is out of scope or inconclusive may still
 * fail.
 */
function judgeEntry({ requirement }: ExpectedFailure, results: readonly Result[]): State {
  const own = results.filter((result) => result.requirement === requirement);
  if (own.some(isFailing)) return 'failing';
  const isJudged = own.some(({ outcome }) => outcome === 'pass');
  return isJudged && own.every(({ outcome }) => passing.has(outcome)) ? 'stale' : 'open';
}

const passing: ReadonlySet<Result['outcome']> = new Set(['pass', 'not-applicable']);

function isFailing({ outcome }: Result): boolean {
  return outcome === 'fail' || outcome === 'warn';
}

/** The exit code of the verdict with expected failures counted as passed. */
function computeExitCode(
  results: readonly Result[],
  isStale: boolean,
  { strict, allowIncomplete }: Policy,
): number {
  const verdict = judgeRun(
    results.map(({ level, outcome, expected }) => ({ level, outcome: expected ? 'pass' : outcome })),
  );
  if (verdict === 'suite-error') return exitCodes[verdict];
  if (isStale) return exitCodes['non-conformant'];
  const isWarned = results.some(({ outcome, expected }) => outcome === 'warn' && !expected);
  if (strict && isWarned) return exitCodes['non-conformant'];
  // `--allow-incomplete` allows nothing if no MUST was verified.
  const isPartlyGreen = results.some(
    ({ level, outcome, expected }) => level === 'MUST' && (outcome === 'pass' || expected),
  );
  const isAllowed = verdict === 'incomplete' && allowIncomplete && isPartlyGreen;
  return isAllowed ? exitCodes.conformant : exitCodes[verdict];
}
