import type { Book, Payment } from './book.ts';
import { countSeen, type SeenCounts } from './book.ts';
import type { Seen } from './connections.ts';
import type { Law, Timed } from './laws.ts';
import { runOpenLoop } from './loops.ts';
import { systemPace } from './pace.ts';
import type { Reading } from './readings.ts';
import { watchMetrics } from './watch-metrics.ts';

/** The clients of a gateway under load. */
export type Driver = {
  readonly url: string;
  readonly adminUrl: string;
  readonly book: Book;
  readonly nextPayment: () => Payment;
  /** Sends a payment once, and notes its end in the book. */
  send(payment: Payment): Promise<Seen>;
  readonly say: (line: string) => void;
};

export type PhaseOptions<Result> = {
  readonly perSecond: number;
  readonly seconds: number;
  readonly scrapeMs: number;
  readonly next: () => Payment;
  /** Begins at the end of the load, while the last requests are in progress. */
  readonly afterwards: (endedAtMs: number) => Promise<Result>;
};

export type Phase<Result> = {
  readonly counts: SeenCounts;
  /** The time of each request, from the moment at which it was due. */
  readonly timesMs: readonly Timed[];
  readonly notSent: number;
  /** Begin and end of the load. */
  readonly time: readonly [number, number];
  readonly readings: readonly Reading[];
  readonly afterwards: Result;
};

/**
 * The driver's bound. It is above `concurrentInferencesMax` (1,024), which the gateway must reach first, and below
 * `connectionsMax` (4,096).
 */
const inFlightMax = 4_000;
/** The driver may leave out this share of the arrivals, or the load was not what it claims to be. */
const notSentShareMax = 0.01;

/** Sends payments at a fixed rate. */
export async function runPhase<Result>(
  { adminUrl, send }: Driver,
  { perSecond, seconds, scrapeMs, next, afterwards }: PhaseOptions<Result>,
): Promise<Phase<Result>> {
  const watch = watchMetrics(adminUrl, scrapeMs);
  const counts = countSeen();
  const timesMs: Timed[] = [];
  const pay = async (dueMs: number) => {
    const seen = await send(next());
    timesMs.push({ atMs: dueMs, value: performance.now() - dueMs });
    counts.note(seen);
  };
  const startMs = performance.now();
  const load = await runOpenLoop({ perSecond, seconds, inFlightMax }, pay, systemPace);
  const [result] = await Promise.all([afterwards(load.endedAtMs), load.rest]);
  return {
    counts,
    timesMs,
    notSent: load.notSent,
    time: [startMs, load.endedAtMs],
    readings: await watch.stop(),
    afterwards: result,
  };
}

type Sent = Pick<Phase<unknown>, 'notSent' | 'counts'>;

export function judgeSent(name: string, phase: Sent): Law {
  return {
    name: `${name}: the driver sends at least ${100 - notSentShareMax * 100} % of the payments`,
    holds: phase.notSent / countArrivals(phase) <= notSentShareMax,
    figures: describeNotSent(phase),
  };
}

export function describeNotSent(phase: Sent): string {
  return `${phase.notSent} of ${countArrivals(phase)} were not sent, because ${inFlightMax} were in progress`;
}

function countArrivals({ notSent, counts }: Sent): number {
  return notSent + counts.count(() => true);
}
