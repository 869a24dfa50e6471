import type { Pace } from './pace.ts';

export type OpenLoop = {
  /** Arrivals a second, at equal distances. */
  readonly perSecond: number;
  readonly seconds: number;
  /** Requests in progress at once. A further arrival is counted, and not sent. */
  readonly inFlightMax: number;
};

export type OpenLoopEnd = {
  readonly sent: number;
  readonly notSent: number;
  /** The time of the last arrival. */
  readonly endedAtMs: number;
  /** Resolves once each request has ended. */
  readonly rest: Promise<unknown>;
};

/** The driver reads responses at least after this many requests. */
const burstMax = 32;

/**
 * Calls `send` at fixed times, also while earlier requests wait. Real clients do not slow down for a busy gateway either.
 * `send` gets the time at which its request was due, and never rejects. Resolves after the last arrival.
 */
export async function runOpenLoop(
  { perSecond, seconds, inFlightMax }: OpenLoop,
  send: (dueMs: number) => Promise<void>,
  pace: Pace,
): Promise<OpenLoopEnd> {
  const startMs = pace.nowMs();
  const arrivals = Math.round(perSecond * seconds);
  const inFlight = new Set<Promise<void>>();
  let notSent = 0;
  for (let arrival = 0, burst = 0; arrival < arrivals; ) {
    const dueMs = startMs + (arrival * 1_000) / perSecond;
    const waitMs = dueMs - pace.nowMs();
    if (waitMs > 0 || burst >= burstMax) {
      await pace.wait(Math.max(0, waitMs));
      burst = 0;
      continue;
    }
    arrival += 1;
    burst += 1;
    if (inFlight.size >= inFlightMax) {
      notSent += 1;
      continue;
    }
    const request = send(dueMs);
    inFlight.add(request);
    void request.then(() => inFlight.delete(request));
  }
  return { sent: arrivals - notSent, notSent, endedAtMs: pace.nowMs(), rest: Promise.all(inFlight) };
}

export type ClosedLoop = { readonly atOnce: number; readonly seconds: number };

/** Keeps this many requests in progress. Resolves once all of them have ended. */
export async function runClosedLoop(
  { atOnce, seconds }: ClosedLoop,
  send: () => Promise<void>,
  pace: Pace,
): Promise<void> {
  const endMs = pace.nowMs() + seconds * 1_000;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (pace.nowMs() < endMs) await send();
    }),
  );
}
