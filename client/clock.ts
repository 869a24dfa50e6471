/** The only source of time; a parameter, so that a test can set it. */
export interface Clock {
  /** Unix seconds, the unit of the contract and of EIP-3009. */
  nowSeconds(): number;
  /** Resolves after this time, or as soon as the signal aborts. */
  waitMs(durationMs: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  nowSeconds: () => Math.floor(Date.now() / 1000),
  waitMs: (durationMs, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, durationMs);
      signal.addEventListener('abort', end);
    }),
};
