/** One signal for "too late" and "no longer wanted". */
export type Deadline = {
  readonly signal: AbortSignal;
  /** Why the signal was aborted; null as long as it was not. */
  reason(): string | null;
  /** Takes timer and listener back; nothing of the call stays behind on the caller's own signal. */
  close(): void;
};

export function openDeadline(timeoutMs: number, wanted: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let reason: string | null = null;
  const end = (why: string) => {
    reason ??= why;
    controller.abort();
  };
  const cancel = () => end('the caller no longer waits');
  const timer = setTimeout(() => end(`no answer within ${timeoutMs} ms`), timeoutMs);
  if (wanted?.aborted) cancel();
  wanted?.addEventListener('abort', cancel);
  return {
    signal: controller.signal,
    reason: () => reason,
    close() {
      clearTimeout(timer);
      wanted?.removeEventListener('abort', cancel);
    },
  };
}
