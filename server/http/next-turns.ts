import { systemClock } from '../types/clock.ts';

/** After this time, further calls wait for the next turn: 1 KiB of one-byte chunks takes a third of a millisecond. */
const turnMsMax = 0.5;

/**
 * Calls each function in a later turn of the event loop, in order, and at most `callsPerTurn` in each turn. It makes
 * fewer calls in a turn when they take long (D-414). Node accepts a few connections a turn, so starting a request on each
 * of 256 connections in one turn would keep new clients waiting. `nowMs` is a monotonic time.
 */
export function createNextTurns(
  callsPerTurn: number,
  nowMs: () => number = systemClock.monotonicMs,
): (call: () => void) => void {
  const due: (() => void)[] = [];
  return (call) => {
    if (due.push(call) === 1) setImmediate(callSome);
  };

  function callSome(): void {
    const beganMs = nowMs();
    // Calls added during this loop wait for the next turn. The list stays non-empty until its last call.
    const some = due.slice(0, callsPerTurn);
    let made = 0;
    for (const call of some) {
      call();
      made += 1;
      if (nowMs() - beganMs >= turnMsMax) break;
    }
    due.splice(0, made);
    if (due.length > 0) setImmediate(callSome);
  }
}
