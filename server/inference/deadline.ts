import type { InferenceFault, InferenceLimits } from './engine.ts';
import { assignClient } from './work-turns.ts';

/** One signal for the timeouts and for the cancellation by the caller. */
export type Deadline = {
  readonly signal: AbortSignal;
  /** Why the signal was aborted; null while it is not. */
  fault(): InferenceFault | null;
  /** Tells that the response has begun. The first call ends the timeout of the beginning. */
  begin(): void;
  /** Removes timers and listener, so that nothing of the call stays on the caller's signal. */
  close(): void;
};

export function openDeadline(limits: InferenceLimits): Deadline {
  const { timeoutMs, signal, beginTimeoutMs, onBegun } = limits;
  const controller = new AbortController();
  assignClient(controller.signal, limits);
  let fault: InferenceFault | null = null;
  let hasBegun = false;
  const end = (why: InferenceFault) => {
    fault ??= why;
    controller.abort();
  };
  const cancel = () =>
    end({
      kind: 'cancelled',
      detail: hasBegun ? 'the client left during the response' : 'the client left before the response began',
    });
  const timer = setTimeout(
    () => end({ kind: 'timeout', detail: `no completion within ${timeoutMs} ms` }),
    timeoutMs,
  );
  const beginTimer =
    beginTimeoutMs === undefined
      ? undefined
      : setTimeout(
          () => end({ kind: 'timeout', detail: `no response began within ${beginTimeoutMs} ms` }),
          beginTimeoutMs,
        );
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true });
  return {
    signal: controller.signal,
    fault: () => fault,
    begin() {
      clearTimeout(beginTimer);
      if (hasBegun) return;
      hasBegun = true;
      onBegun?.();
    },
    close() {
      clearTimeout(timer);
      clearTimeout(beginTimer);
      signal.removeEventListener('abort', cancel);
    },
  };
}
