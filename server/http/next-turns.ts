import { systemClock } from '../types/clock.ts';

/** Calls in later turns of the event loop. */
export type NextTurns = {
  /** Adds a call. `site` is the site of the client (D-224). The calls of one site keep their order. */
  add(site: string, call: () => void): void;
  /** Whether a call of this site waits. */
  has(site: string): boolean;
};

export type TurnLength = {
  readonly callsMax: number;
  /** After this time, further calls wait for the next turn. */
  readonly ms: number;
};

/**
 * Makes at most `callsMax` calls in each turn, and fewer when they take long (D-414). Starting a request on each of 256
 * connections in one turn would keep other clients waiting. The sites take turns, so a client with one call does not
 * wait for all calls of a client with hundreds (D-416). `nowMs` is a monotonic time.
 */
export function createNextTurns(
  { callsMax, ms }: TurnLength,
  nowMs: () => number = systemClock.monotonicMs,
): NextTurns {
  /** In the order of the next call of each site. */
  const waiting = new Map<string, (() => void)[]>();
  let isDue = false;
  return {
    add(site, call) {
      const calls = waiting.get(site);
      if (calls === undefined) waiting.set(site, [call]);
      else calls.push(call);
      if (isDue) return;
      isDue = true;
      setImmediate(callSome);
    },
    has: (site) => waiting.has(site),
  };

  function callSome(): void {
    const beganMs = nowMs();
    for (let made = 0; made < callsMax && waiting.size > 0; made += 1) {
      callNext();
      if (nowMs() - beganMs >= ms) break;
    }
    isDue = waiting.size > 0;
    if (isDue) setImmediate(callSome);
  }

  /** Makes the first call of the first site, which then is the last one. */
  function callNext(): void {
    const [first] = waiting;
    if (first === undefined) return;
    const [site, calls] = first;
    waiting.delete(site);
    const call = calls.shift();
    if (calls.length > 0) waiting.set(site, calls);
    call?.();
  }
}
