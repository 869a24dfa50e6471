import { type UnixSeconds, unixSeconds } from './units.ts';

/** The only source of time; handed in, so that a test can hold it still. */
export interface Clock {
  /** Wall clock, for everything that both sides or the chain compare. */
  nowSeconds(): UnixSeconds;
  /** Milliseconds that never run backwards, for durations and deadlines. */
  monotonicMs(): number;
}

export const systemClock: Clock = {
  nowSeconds: () => unixSeconds(Math.floor(Date.now() / 1000)),
  monotonicMs: () => performance.now(),
};

/** A clock that stands still until a test moves it. */
export function manualClock(startSeconds: number): Clock & { advance(seconds: number): void } {
  let seconds = startSeconds;
  return {
    nowSeconds: () => unixSeconds(seconds),
    monotonicMs: () => seconds * 1000,
    advance(by) {
      seconds += by;
    },
  };
}
