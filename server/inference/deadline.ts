import type { InferenceFault, InferenceLimits } from './engine.ts';

/** One signal for the timeout and for the cancellation by the caller. */
export type Deadline = {
  readonly signal: AbortSignal;
  /** Why the signal was aborted; null while it is not. */
  fault(): InferenceFault | null;
  /** Removes timer and listener, so that nothing of the call stays on the caller's signal. */
  close(): void;
};

export function openDeadline({ timeoutMs, signal }: InferenceLimits): Deadline {
  const controller = new AbortController();
  let fault: InferenceFault | null = null;
  const end = (why: InferenceFault) => {
    fault ??= why;
    controller.abort();
  };
  const cancel = () => end({ kind: 'cancelled', detail: 'the caller cancelled the request' });
  const timer = setTimeout(
    () => end({ kind: 'timeout', detail: `no completion within ${timeoutMs} ms` }),
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
