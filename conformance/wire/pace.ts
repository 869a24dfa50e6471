/** When the next request may be sent: the limits bound it, and so does the target that asks for patience. */
export type Pace = {
  /** Seconds that the target asked for, and that no repetition has waited for yet. */
  retryAfterSecondsLeft: number;
  /** Waits until requests may be sent. */
  keep(): Promise<void>;
  /** So many requests are sent now; says when that is. */
  sent(count: number): number;
};

type PaceTools = { readonly nowMs: () => number; readonly sleep: (seconds: number) => Promise<void> };

/** Requests a second at most; undefined for a target that needs no consideration. */
export function createPace(rate: number | undefined, tools: PaceTools): Pace {
  let lastSentAtMs = Number.NEGATIVE_INFINITY;
  /** How many requests were sent then. */
  let lastSent = 1;
  const pace: Pace = {
    retryAfterSecondsLeft: 0,
    async keep() {
      const intervalMs = rate === undefined ? 0 : (1000 / rate) * lastSent;
      // No longer than the interval, should the clock have been set back.
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
