import type { Report } from '../engine/report.ts';
import type { RequirementRow } from './by-requirement.ts';
import { staleLine } from './summary.ts';

/** The outcome of a requirement in the terms of a test runner. */
export type Ending = 'failure' | 'error' | 'skipped' | 'none';

/**
 * A failure is one that changes the exit code: unexpected, or expected and stale. Requirements that were not
 * exercised and expected failures are skipped, so neither counts as passed.
 */
export function chooseEnding(row: RequirementRow, { strict }: Report): Ending {
  if (row.outcome === 'error') return 'error';
  if (row.isStale) return 'failure';
  if (row.outcome === 'fail' || (row.outcome === 'warn' && strict))
    return row.expected ? 'skipped' : 'failure';
  const isOpen = ['inconclusive', 'not-applicable', 'disabled'].includes(row.outcome);
  return isOpen ? 'skipped' : 'none';
}

/** The reason of the ending, in one line. */
export function describeEnding(row: RequirementRow, report: Report): string {
  if (row.isStale) return staleLine(row.requirement, report);
  if (row.expected) return `expected failure: ${row.expected.reason}`;
  const detail = row.results.find(({ outcome }) => outcome === row.outcome)?.detail ?? '';
  return detail === '' ? row.outcome : `${row.outcome}: ${detail}`;
}
