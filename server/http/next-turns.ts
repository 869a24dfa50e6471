import { systemClock } from '../types/clock.ts';

/** After this time, further calls wait for the next turn: 1 KiB of one-byte chunks takes a third of a millisecond. */
const turnMsMax = 0.5;

/**
 * Calls a function in a later turn of the event loop. `site` is the site of the client (D-224). The calls of one site keep
 * their order.
 */
export type NextTurns = (site: string, call: () => void) => void;

/**
 * Makes at most `callsPerTurn` calls in each turn, and fewer when they take long (D-414). Starting a request on each of 256
 * connections in one turn would keep other clients waiting. The sites take turns, so a client with one call does not
 * wait for all calls of a client with hundreds (D-416). `nowMs` is a monotonic time.
 */
export function createNextTurns(
  callsPerTurn: number,
  nowMs: () => number = systemClock.monotonicMs,
): NextTurns {
  /** In the order of the next call of each site. */
  const waiting = new Map<string, (() => void)[]>();
  let isDue = false;
  return (site, call) => {
    const calls = waiting.get(site);
    if (calls === undefined) waiting.set(site, [call]);
    else calls.push(call);
    if (isDue) return;
    isDue = true;
    setImmediate(callSome);
  };

  function callSome(): void {
    const beganMs = nowMs();
    for (let made = 0; made < callsPerTurn && waiting.size > 0; made += 1) {
      callNext();
      if (nowMs() - beganMs >= turnMsMax) break;
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
