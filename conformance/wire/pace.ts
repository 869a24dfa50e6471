/** Controls when the next request may be sent, according to the rate limit and to `Retry-After`. */
export type Pace = {
  /** Seconds of a `Retry-After` that the run has not waited for yet. */
  retryAfterSecondsLeft: number;
  /** Waits until requests may be sent. */
  keep(): Promise<void>;
  /** Notes that `count` requests are sent now, and returns the time. */
  sent(count: number): number;
};

type PaceTools = { readonly nowMs: () => number; readonly sleep: (seconds: number) => Promise<void> };

/** `rate` is the highest number of requests per second; undefined means unlimited. */
export function createPace(rate: number | undefined, tools: PaceTools): Pace {
  let lastSentAtMs = Number.NEGATIVE_INFINITY;
  /** Number of requests sent at that time. */
  let lastSent = 1;
  const pace: Pace = {
    retryAfterSecondsLeft: 0,
    async keep() {
      const intervalMs = rate === undefined ? 0 : (1000 / rate) * lastSent;
      // The wait is at most the interval, even if the clock was set back.
      const paceMs = Math.min(lastSentAtMs + intervalMs - tools.nowMs(), intervalMs);
      const waitMs = Math.max(pace.retryAfterSecondsLeft * 1000, paceMs);
      pace.retryAfterSecondsLeft = 0;
      if (waitMs > 0) await tools.sleep(waitMs / 1000);
    },
    sent(count) {
      [lastSentAtMs, lastSent] = [tools.nowMs(), count];
      return lastSentAtMs;
    },
  };
  return pace;
}
