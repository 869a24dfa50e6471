import type { Report, Result } from '../engine/report.ts';
import { profilesOfAll } from '../engine/scope.ts';
import { judge, type SuiteOptions } from '../suite/judge.ts';
import type { FakeTarget } from './fake-target.ts';
import { memoryJournal } from './memory-journal.ts';

/** The report on a fake target, by default with all three profiles and ample caps. */
export async function judged(target: FakeTarget, options: Partial<SuiteOptions> = {}): Promise<Report> {
  const result = await judge({
    targetUrl: target.url,
    profiles: profilesOfAll,
    filter: undefined,
    // A target without payer has an empty key, which the suite would reject.
    ...(target.payerKey !== '' && {
      funded: {
        privateKey: target.payerKey,
        caps: { perRequestUnits: 2_000n, totalUnits: 100_000n },
        journal: memoryJournal(),
      },
    }),
    ...options,
  });
  if (!result.ok) throw new Error(result.usage);
  return result.report;
}

/** Sorted ids of the requirements with a check that has one of the outcomes. */
export function listIds(report: Report, ...outcomes: readonly Result['outcome'][]): readonly string[] {
  const results = report.results.filter(({ outcome }) => outcomes.includes(outcome));
  return [...new Set(results.map(({ requirement }) => requirement))].sort();
}
