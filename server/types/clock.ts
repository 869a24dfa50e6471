import { type UnixSeconds, unixSeconds } from './units.ts';

/** The only source of time. It is a parameter, so that a test can stop it. */
export interface Clock {
  /** Wall clock, for times that client, gateway and chain compare. */
  nowSeconds(): UnixSeconds;
  /**
   * The wall clock at the start of the process plus the time since then. Corrections of the wall clock do not
   * move it. It serves leases, ages, and all other times that a store compares with its own records (D-139).
   */
  steadySeconds(): UnixSeconds;
  /** Milliseconds that never run backwards, for durations and deadlines. */
  monotonicMs(): number;
}

export const systemClock: Clock = {
  nowSeconds: () => unixSeconds(Math.floor(Date.now() / 1000)),
  steadySeconds: () => unixSeconds(Math.floor((performance.timeOrigin + performance.now()) / 1000)),
  monotonicMs: () => performance.now(),
};

export type ManualClock = Clock & {
  /** Moves all three clocks forward. */
  advance(seconds: number): void;
  /** Corrects the wall clock only, as an operator or NTP would. */
  step(seconds: number): void;
};

/** A clock that a test moves. */
export function manualClock(startSeconds: number): ManualClock {
  let seconds = startSeconds;
  let stepped = 0;
  return {
    nowSeconds: () => unixSeconds(seconds + stepped),
    steadySeconds: () => unixSeconds(seconds),
    monotonicMs: () => seconds * 1000,
    advance(by) {
      seconds += by;
    },
    step(by) {
      stepped += by;
    },
  };
}
