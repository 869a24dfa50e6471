import type { Clock } from '../types/clock.ts';

/** The results of a call, of which the last one is cached. */
export type Remembered<T> = {
  /**
   * A result that is younger than the maximum age. From half that age on it is renewed in the background, so that no caller
   * waits under load.
   */
  recent(): Promise<T>;
  /** The last result, of any age; undefined before the first one. */
  last(): T | undefined;
};

/** Caches the result of `ask`. */
export function remembered<T>(ask: () => Promise<T>, ageMaxMs: number, clock: Clock): Remembered<T> {
  let last: { readonly result: T; readonly at: number } | null = null;
  let asking: Promise<T> | null = null;
  return {
    recent() {
      const ageMs = last === null ? Number.POSITIVE_INFINITY : clock.monotonicMs() - last.at;
      if (last === null || ageMs >= ageMaxMs) return renew();
      // If the error lasts, the next caller with an expired result gets it.
      if (ageMs >= ageMaxMs / 2) renew().catch(() => undefined);
      return Promise.resolve(last.result);
    },
    last: () => last?.result,
  };

  function renew(): Promise<T> {
    const at = clock.monotonicMs();
    asking ??= ask()
      .then((result) => {
        last = { result, at };
        return result;
      })
      .finally(() => {
        asking = null;
      });
    return asking;
  }
}
