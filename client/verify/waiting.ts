import type { Clock } from '../clock.ts';

/** How long a verification waits for data that a chain lacks, in Unix seconds. */
export type Waiting = { readonly deadline: number; readonly clock: Clock; readonly signal: AbortSignal };

/** Time between two attempts. */
const pollMs = 1_000;

/**
 * Calls `look` at least once, and again until the result is final, the deadline has passed, or the signal
 * aborts.
 */
export async function lookUntil<T>(
  look: () => Promise<T>,
  mayChange: (found: T) => boolean,
  { deadline, clock, signal }: Waiting,
): Promise<T> {
  for (;;) {
    const found = await look();
    if (!mayChange(found) || clock.nowSeconds() >= deadline || signal.aborted) return found;
    await clock.waitMs(pollMs, signal);
  }
}
