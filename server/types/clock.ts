import { type UnixSeconds, unixSeconds } from './units.ts';

/** The only source of time; handed in, so that a test can hold it still. */
export interface Clock {
  /** Wall clock, for everything that both sides or the chain compare. */
  nowSeconds(): UnixSeconds;
  /**
   * Wall clock as it was when the process started, and the time since. No correction of the wall clock moves it: for
   * leases, ages and everything else that a store compares with what it wrote (D-139).
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
  /** Lets time pass. */
  advance(seconds: number): void;
  /** Corrects the wall clock, as an operator or NTP would; no time passes. */
  step(seconds: number): void;
};

/** A clock that stands still until a test moves it. */
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
