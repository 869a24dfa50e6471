import { exitCodes, isUnreached, type Report } from '../engine/report.ts';
import type { Outcome } from '../types/verdict.ts';
import { byRequirement, type RequirementRow } from './by-requirement.ts';
import { counted } from './counted.ts';
import { unreachedLine, verdictWords } from './summary.ts';

/** Longest quotation of the target in the sentence, in characters. */
const causeCharactersMax = 500;

/** The verdict and one sentence with the reason. */
export type Headline = { readonly verdict: string; readonly sentence: string };

export function createHeadline(report: Report): Headline {
  return { verdict: verdictWords[report.verdict], sentence: describeVerdict(report) };
}

function describeVerdict(report: Report): string {
  const { verdict, must } = report;
  const unreached = unreachedLine(report, causeCharactersMax);
  if (unreached !== undefined) return unreached;
  const rows = byRequirement(report);
  if (verdict === 'suite-error') {
    return `${counted(withOutcome(rows, 'error').length, 'requirement')} could not be judged, because the suite itself failed.`;
  }
  if (must.total === 0) return 'no MUST is in scope, so the deployment could not fail.';
  const failed = withOutcome(rows, 'fail');
  const expected = failed.filter((row) => row.expected).length;
  const parts = [
    `${must.verified} of ${must.total} MUST requirements verified`,
    failed.length === 0 ? '' : `${failed.length} failed${expected === 0 ? '' : ` (${expected} expected)`}`,
    openPart(rows),
    warningPart(rows),
  ].filter((part) => part !== '');
  return `${parts.join(', ')}.`;
}

function openPart(rows: readonly RequirementRow[]): string {
  const open = withOutcome(rows, 'inconclusive').filter(({ level }) => level === 'MUST').length;
  return open === 0 ? '' : `${open} could not be exercised`;
}

function warningPart(rows: readonly RequirementRow[]): string {
  const warned = withOutcome(rows, 'warn').length;
  return warned === 0 ? '' : `${counted(warned, 'warning')}`;
}

function withOutcome(rows: readonly RequirementRow[], outcome: Outcome): readonly RequirementRow[] {
  return rows.filter((row) => row.outcome === outcome);
}

/** The last line of a run: the exit code and its reason, as in the table of exit codes. */
export function exitLine(report: Report): string {
  return `Exit code ${report.exitCode}: ${exitReason(report)}`;
}

function exitReason(report: Report): string {
  const { exitCode, verdict, results, must, expectedFailures } = report;
  if (report.isInterrupted) return 'the run was interrupted.';
  if (isUnreached(report)) return 'the target gave no response.';
  switch (exitCode) {
    case exitCodes['suite-error']:
      return verdict === 'suite-error' ? 'the suite itself failed.' : 'a report could not be written.';
    case exitCodes['non-conformant']:
      if (results.some(({ outcome, expected }) => outcome === 'fail' && !expected)) return 'a MUST failed.';
      return expectedFailures.some(({ state }) => state === 'stale')
        ? 'an entry of --expected-failures passes now.'
        : 'a warning counts as a failure with --strict.';
    case exitCodes.incomplete: {
      const nothing = expectedFailures.length === 0 ? 'nothing failed' : 'nothing unexpected failed';
      const isAllowable = must.verified > 0 && !report.isOverdue && report.unreached === null;
      const advice = isAllowable ? ' --allow-incomplete makes it 0.' : '';
      return `${nothing}, but some MUST requirements in scope could not be exercised.${advice}`;
    }
    default:
      return zeroReason(report);
  }
}

function zeroReason({ verdict, results }: Report): string {
  if (results.some(({ outcome }) => outcome === 'fail')) return 'every failure was expected.';
  if (verdict === 'incomplete') return 'incomplete, which --allow-incomplete allows.';
  return verdict === 'conformant' ? 'conformant in scope.' : 'conformant in scope; warnings are allowed.';
}
