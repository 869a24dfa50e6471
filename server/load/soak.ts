import { percentile } from '../bench/measure/statistics.ts';
import type { Report } from '../bench/section.ts';
import { isServed } from './book.ts';
import { judgeMemory, judgeP99, judgeProofs, type Law, splitThirds } from './laws.ts';
import { type Driver, judgeSent, runPhase } from './phase.ts';
import { chartReadings } from './report.ts';

const scrapeMs = 5_000;

export type SoakFindings = {
  readonly perSecond: number;
  readonly p50Ms: number;
  /** Of the first third. */
  readonly p99Ms: number;
  readonly laws: readonly Law[];
  readonly chart: Report;
};

/** Loads the gateway below its capacity, for long enough that a leak or a queue that grows would show. */
export async function runSoak(driver: Driver, perSecond: number, seconds: number): Promise<SoakFindings> {
  driver.say(`Soak: ${perSecond.toFixed(0)} payments a second for ${seconds} s …`);
  const next = driver.nextPayment;
  const phase = await runPhase(driver, { perSecond, seconds, scrapeMs, next, afterwards: async () => null });
  const { timesMs, readings, time, counts } = phase;
  const memory = readings.map(({ atMs, memoryMB }) => ({ atMs, value: memoryMB }));
  const proofs = readings.map(({ atMs, oldestProofSeconds }) => ({ atMs, value: oldestProofSeconds }));
  const laws: readonly Law[] = [
    {
      name: 'soak: each request gets its completion',
      holds: counts.count(isServed) === counts.count(() => true),
      figures: counts.describe(),
    },
    judgeSent('soak', phase),
    judgeP99(timesMs, time),
    judgeMemory(memory, time),
    judgeProofs(proofs, time),
  ];
  const times = timesMs.map(({ value }) => value);
  const [first] = splitThirds(timesMs, time);
  const [p50Ms, p99Ms] = [percentile(times, 0.5), percentile(first, 0.99)];
  driver.say(`Soak: ${counts.describe()}, p50 ${p50Ms.toFixed(0)} ms, p99 ${p99Ms.toFixed(0)} ms.`);
  const chart = chartReadings('soak', `Soak with ${perSecond.toFixed(0)} payments a second`, readings);
  return { perSecond, p50Ms, p99Ms, laws, chart };
}
