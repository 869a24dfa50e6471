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
      // An abort without a reason makes an exception with a stack trace.
      for (const waiter of waiting) waiter.abort(null);
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

/**
 * Sleeps for `ms`, or until the signal aborts. Node's own sleep rejects then, and the stack traces of its errors
 * cost more than the rest of a wait for a settlement.
 */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
