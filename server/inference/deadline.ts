import type { Engine, InferenceFault } from './engine.ts';

export type InferenceLimits = Parameters<Engine['infer']>[1];

/** One signal for "too late" and "no longer wanted". */
export type Deadline = {
  readonly signal: AbortSignal;
  /** Why the signal was aborted; null as long as it was not. */
  fault(): InferenceFault | null;
  /** Takes timer and listener back; nothing of the call stays behind on the caller's signal. */
  close(): void;
};

export function openDeadline({ timeoutMs, signal }: InferenceLimits): Deadline {
  const controller = new AbortController();
  let fault: InferenceFault | null = null;
  const end = (why: InferenceFault) => {
    fault ??= why;
    controller.abort();
  };
  const cancel = () => end({ kind: 'cancelled', detail: 'nobody waits for the answer any more' });
  const timer = setTimeout(
    () => end({ kind: 'timeout', detail: `no answer within ${timeoutMs} ms` }),
    timeoutMs,
  );
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true });
  return {
    signal: controller.signal,
    fault: () => fault,
    close() {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
    },
  };
}
