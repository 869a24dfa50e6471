import { setTimeout as sleep } from 'node:timers/promises';

/** Wakes who waits for work; a call that nobody waited for is remembered once. */
export interface Signal {
  notify(): void;
  /** Resolves at the next `notify`, at once if there was one, or after so long. */
  wait(timeoutMs: number): Promise<void>;
}

export function createSignal(): Signal {
  let isSet = false;
  let wake: AbortController | null = null;
  return {
    notify() {
      isSet = true;
      wake?.abort();
    },
    async wait(timeoutMs) {
      if (!isSet) {
        wake = new AbortController();
        await pause(timeoutMs, wake.signal);
        wake = null;
      }
      isSet = false;
    },
  };
}

/** Sleeps so long, or until the signal. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
