import { setTimeout as sleep } from 'node:timers/promises';

/** Wakes tasks that wait for work. A `notify` without a waiting task is remembered once. */
export interface Signal {
  notify(): void;
  /**
   * Resolves at the next `notify`, at once after a missed one, after `timeoutMs`, or when `closing` aborts.
   * Returns whether there was a `notify`.
   */
  wait(timeoutMs: number, closing: AbortSignal): Promise<boolean>;
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
      // Each waiting task needs its own controller: a shared one would wake only the last relayer worker.
      const waiter = new AbortController();
      if (!isMissed) {
        waiting.add(waiter);
        await pause(timeoutMs, AbortSignal.any([waiter.signal, closing]));
        waiting.delete(waiter);
      }
      const isNotified = isMissed || waiter.signal.aborted;
      isMissed = false;
      return isNotified;
    },
  };
}

/** Sleeps for `ms`, or until the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
