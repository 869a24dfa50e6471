import type { Report, Result } from '../engine/report.ts';
import { profilesOfAll } from '../engine/scope.ts';
import { judge, type SuiteOptions } from '../suite/judge.ts';
import type { FakeTarget } from './fake-target.ts';
import { memoryJournal } from './memory-journal.ts';

/** The report on a fake: on all three profiles and with ample caps, unless said otherwise. */
export async function judged(target: FakeTarget, options: Partial<SuiteOptions> = {}): Promise<Report> {
  const result = await judge({
    targetUrl: target.url,
    profiles: profilesOfAll,
    filter: undefined,
    // Not all that listens has a payer; what is no key is refused before anything is sent.
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

/** Ids of the requirements of which a check ended so, each once, sorted. */
export function idsOf(report: Report, ...outcomes: readonly Result['outcome'][]): readonly string[] {
  const results = report.results.filter(({ outcome }) => outcomes.includes(outcome));
  return [...new Set(results.map(({ requirement }) => requirement))].sort();
}
