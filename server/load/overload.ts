import type { Report } from '../bench/section.ts';
import { isServed } from './book.ts';
import type { Seen } from './connections.ts';
import { type Law, p99RatioMax } from './laws.ts';
import { type Driver, describeNotSent, type Phase, runPhase } from './phase.ts';
import { watchRecovery } from './recovery.ts';
import { chartReadings } from './report.ts';

const scrapeMs = 1_000;
const seconds = 60;

/** The least load, as a multiple of the capacity. */
const overloadTimes = 3;
/**
 * The driver aims higher. The gateway refuses nothing until its places are full, which takes some seconds. Until then
 * most requests wait, and the driver leaves out those above its own limit.
 */
const aimedTimes = 3.2;

export type OverloadFindings = {
  readonly perSecond: number;
  readonly servedPerSecond: number;
  readonly laws: readonly Law[];
  readonly chart: Report;
};

/** Loads the gateway above its capacity, and waits for its recovery. */
export async function runOverload(
  driver: Driver,
  capacityPerSecond: number,
  soakP99Ms: number,
): Promise<OverloadFindings> {
  const perSecond = capacityPerSecond * aimedTimes;
  driver.say(`Overload: ${perSecond.toFixed(0)} payments a second for ${seconds} s …`);
  // Signed before, so that the driver has time to send.
  const signed = Array.from({ length: Math.round(perSecond * seconds) }, driver.nextPayment);
  // In the order of their signatures, because the gateway first settles the payment that expires first.
  let sent = 0;
  const next = () => signed[sent++] ?? driver.nextPayment();
  const pay = () => driver.send(driver.nextPayment());
  const normalMs = soakP99Ms * p99RatioMax;
  const phase = await runPhase(driver, {
    perSecond,
    seconds,
    scrapeMs,
    next,
    afterwards: (endedAtMs) => watchRecovery({ ...driver, pay, normalMs, endedAtMs }),
  });
  const { counts, readings, time } = phase;
  const [served, refused] = [counts.count(isServed), counts.count(isRefusal)];
  const lost = counts.count(({ kind }) => kind === 'lost');
  driver.say(`Overload: ${counts.describe()}, ${phase.notSent} not sent.`);
  const laws: readonly Law[] = [
    judgeOverload(phase, capacityPerSecond),
    {
      name: 'overload: the surplus gets 503 with Retry-After, and all other requests their completion',
      holds: refused > 0 && served + refused === counts.count(() => true),
      figures: counts.describe(),
    },
    {
      name: 'overload: no connection breaks',
      holds: lost === 0,
      figures: `${lost} requests without a response`,
    },
    phase.afterwards,
  ];
  const title = `Overload with ${perSecond.toFixed(0)} payments a second, and recovery`;
  const servedPerSecond = (served * 1_000) / (time[1] - time[0]);
  return {
    perSecond: sentPerSecond(phase),
    servedPerSecond,
    laws,
    chart: chartReadings('overload', title, readings),
  };
}

type Sent = Pick<Phase<unknown>, 'counts' | 'notSent' | 'time'>;

function sentPerSecond({ counts, time: [fromMs, toMs] }: Sent): number {
  return (counts.count(() => true) * 1_000) / (toMs - fromMs);
}

/** Whether the load was what it claims to be. */
export function judgeOverload(phase: Sent, capacityPerSecond: number): Law {
  const times = sentPerSecond(phase) / capacityPerSecond;
  return {
    name: `overload: the driver sends at least ${overloadTimes} times the capacity`,
    holds: times >= overloadTimes,
    figures: `${times.toFixed(2)} times; ${describeNotSent(phase)}`,
  };
}

function isRefusal(seen: Seen): boolean {
  return seen.kind === 'response' && seen.status === 503 && seen.retryAfterSeconds !== null;
}
