import { systemClock } from '../types/clock.ts';

/** A signal to the process group arrives twice, from the terminal and from npm, and counts once. */
const forceAfterMs = 1_000;

/**
 * Aborts on the first SIGTERM or SIGINT, with the signal's name as the reason. A second signal, later than
 * `forceAfterMs`, ends the process at once with this exit code; the store has the state of all payments. Call
 * it first in a process. This file imports almost nothing, so that it listens early.
 */
export function listenForStop(forcedExitCode: number): AbortSignal {
  const asked = new AbortController();
  let askedAt: number | null = null;
  const stop = (signal: NodeJS.Signals) => {
    const now = systemClock.monotonicMs();
    if (askedAt !== null && now - askedAt >= forceAfterMs) process.exit(forcedExitCode);
    if (askedAt !== null) return;
    askedAt = now;
    asked.abort(signal);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  return asked.signal;
}
