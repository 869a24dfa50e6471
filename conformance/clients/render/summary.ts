import { exitCodes } from '../../engine/report.ts';
import { counted } from '../../report/counted.ts';
import { verdictWords } from '../../report/summary.ts';
import type { ClientReport, ClientResult, ScenarioReport } from '../report.ts';

/** The verdict with counts of requirements. */
export function verdictLine({ verdict, must, counts }: ClientReport): string {
  const parts = [
    `${must.verified} of ${must.total} MUST verified`,
    ...(counts.fail === 0 ? [] : [`${counts.fail} failed`]),
    ...(counts.warn === 0 ? [] : [counted(counts.warn, 'warning')]),
    ...(counts.inconclusive === 0 ? [] : [`${counts.inconclusive} cannot be determined`]),
    ...(counts['not-applicable'] === 0 ? [] : [`${counts['not-applicable']} not applicable`]),
    ...(counts.error === 0 ? [] : [counted(counts.error, 'suite error')]),
  ];
  return `${verdictWords[verdict]}: ${parts.join(' · ')}`;
}

/** The last line of a run. */
export function exitLine(report: ClientReport): string {
  return `Exit code ${report.exitCode}: ${exitReason(report)}`;
}

function exitReason({ exitCode, verdict, isInterrupted }: ClientReport): string {
  if (isInterrupted) return 'the run was interrupted.';
  if (verdict === 'suite-error') return 'the suite itself failed.';
  if (exitCode === exitCodes['suite-error']) return 'a report could not be written.';
  if (verdict === 'non-conformant') return 'a MUST failed.';
  if (verdict === 'incomplete') return 'nothing failed, but a MUST cannot be determined.';
  return verdict === 'conformant'
    ? 'the client keeps all rules in scope.'
    : 'the client keeps every MUST in scope; warnings are allowed.';
}

/** Requirements that did not pass, the worst last. */
export function listFindings({ results }: ClientReport): readonly ClientResult[] {
  const order = ['inconclusive', 'warn', 'fail', 'error'];
  return order.flatMap((outcome) => results.filter((each) => each.outcome === outcome));
}

/** The scenario of a requirement. Rules for the whole run have none. */
export function findScenario(result: ClientResult, { scenarios }: ClientReport): ScenarioReport | undefined {
  return scenarios.find(({ id }) => id === result.scenario);
}

/** The columns of the table of scenarios. */
export const countColumns = ['scenario', 'payments', 'signatures', 'completions', 'exit code'] as const;

export function countCells({
  id,
  payments,
  signatures,
  completions,
  ...ends
}: ScenarioReport): readonly string[] {
  const codes = ends.isOverdue ? 'deadline' : ends.exitCodes.map((code) => code ?? 'signal').join(', ');
  return [id, `${payments}`, `${signatures}`, `${completions}`, codes];
}
