/** One signal for two reasons: the time is over, or the caller has cancelled. */
export type Deadline = {
  readonly signal: AbortSignal;
  /** The reason of the abort; null before. */
  reason(): string | null;
  /** Removes the timer, and the listener on the caller's signal. */
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
  const timer = setTimeout(() => end(`no response within ${timeoutMs} ms`), timeoutMs);
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
