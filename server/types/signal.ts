import { setTimeout as sleep } from 'node:timers/promises';

/** Wakes those who wait for work; a call that nobody waited for is remembered once. */
export interface Signal {
  notify(): void;
  /** Resolves at the next `notify`, at once if one was missed, after so long, or when `closing` says so. */
  wait(timeoutMs: number, closing: AbortSignal): Promise<void>;
}

export function createSignal(): Signal {
  let isMissed = false;
  const waiting = new Set<AbortController>();
  return {
    notify() {
      if (waiting.size === 0) isMissed = true;
      for (const waiter of waiting) waiter.abort();
    },
    async wait(timeoutMs, closing) {
      if (!isMissed) {
        // Each waiter has a waker of its own: with one for all, only the relayer worker that came last would ever wake.
        const waiter = new AbortController();
        waiting.add(waiter);
        await pause(timeoutMs, AbortSignal.any([waiter.signal, closing]));
        waiting.delete(waiter);
      }
      isMissed = false;
    },
  };
}

/** Sleeps so long, or until the signal. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
