import type { Clock } from '../clock.ts';

/** Until when something is waited for that is not on a chain yet, in Unix seconds. */
export type Waiting = { readonly deadline: number; readonly clock: Clock; readonly signal: AbortSignal };

/** Between two looks. */
const pollMs = 1_000;

/** Looks at least once, and again for as long as what is found may be otherwise in a moment. */
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
