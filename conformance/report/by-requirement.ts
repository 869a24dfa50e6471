import type { Report, Result } from '../engine/report.ts';
import type { Outcome } from '../types/verdict.ts';
import { compareSections } from './sections.ts';

/** A requirement with all its checks. Its outcome is the worst of their outcomes. */
export type RequirementRow = Pick<
  Result,
  'requirement' | 'level' | 'profile' | 'section' | 'quote' | 'decision' | 'outcome' | 'expected'
> & {
  readonly results: readonly Result[];
  readonly isStale: boolean;
};

/** Outcomes from worst to best. An inconclusive check outranks one that passed. */
const worstFirst: readonly Outcome[] = [
  'error',
  'fail',
  'warn',
  'inconclusive',
  'observed',
  'pass',
  'not-applicable',
  'disabled',
];

/** All requirements of a report, by section and in the order of the checks. */
export function byRequirement(report: Report): readonly RequirementRow[] {
  const stale = new Set(
    report.expectedFailures.flatMap(({ requirement, state }) => (state === 'stale' ? [requirement] : [])),
  );
  const groups = Map.groupBy(report.results, ({ requirement }) => requirement);
  return [...groups.values()]
    .flatMap((results) => {
      const worst = findWorst(results);
      if (!worst) return [];
      const { title: _, detail: __, evidence: ___, ...row } = worst;
      return [{ ...row, results, isStale: stale.has(row.requirement) }];
    })
    .sort((one, other) => compareSections(one.section, other.section));
}

export function bySection(rows: readonly RequirementRow[]): ReadonlyMap<string, readonly RequirementRow[]> {
  return Map.groupBy(rows, ({ section }) => section);
}

function findWorst(results: readonly Result[]): Result | undefined {
  return [...results].sort(
    (one, other) => worstFirst.indexOf(one.outcome) - worstFirst.indexOf(other.outcome),
  )[0];
}
