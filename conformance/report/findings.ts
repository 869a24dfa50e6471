import type { Report, Result } from '../engine/report.ts';
import type { Outcome } from '../types/verdict.ts';
import { byRequirement, type RequirementRow } from './by-requirement.ts';

/** Requirements that need attention, by their worst outcome. */
export type Findings = {
  readonly errors: readonly RequirementRow[];
  readonly failures: readonly RequirementRow[];
  readonly warnings: readonly RequirementRow[];
  /** Checks that could not be exercised, grouped by reason, the most frequent reason first. */
  readonly open: readonly OpenGroup[];
};

export type OpenGroup = { readonly reason: string; readonly results: readonly Result[] };

export function collectFindings(report: Report): Findings {
  const rows = Map.groupBy(byRequirement(report), ({ outcome }) => outcome);
  const of = (outcome: Outcome) => rows.get(outcome) ?? [];
  return { errors: of('error'), failures: of('fail'), warnings: of('warn'), open: openGroups(report) };
}

/** Groups inconclusive checks by reason. Reasons that differ only in numbers count as one. */
function openGroups({ results }: Report): readonly OpenGroup[] {
  const open = results.filter(({ outcome }) => outcome === 'inconclusive');
  const groups = Map.groupBy(open, ({ detail }) => detail.replaceAll(/0x[0-9a-f]+|\d+/gi, '#'));
  return [...groups.values()]
    .map((own) => ({ reason: own[0]?.detail ?? '', results: own }))
    .sort((one, other) => other.results.length - one.results.length);
}

/** The requirements of the results, without duplicates. */
export function listRequirements(results: readonly Result[]): readonly Result['requirement'][] {
  return [...new Set(results.map(({ requirement }) => requirement))];
}

/** The checks with the outcome of the requirement. */
export function decisive({ results, outcome }: RequirementRow): readonly Result[] {
  return results.filter((result) => result.outcome === outcome);
}
