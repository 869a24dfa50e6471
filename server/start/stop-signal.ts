import { systemClock } from '../types/clock.ts';

/** A signal to the whole process group comes twice, from the terminal and from npm, and that is one wish. */
const impatienceMs = 1_000;

/**
 * Aborts on the first SIGTERM or SIGINT, with its name as the reason. Whoever asks again a while later does not want to wait: then the process ends with
 * this code at once; the store knows what was under way. Listens from this call on, so that it is to be the first thing
 * that a process does, and imports next to nothing.
 */
export function listenForStop(impatientExitCode: number): AbortSignal {
  const asked = new AbortController();
  let askedAt: number | null = null;
  const stop = (signal: NodeJS.Signals) => {
    const now = systemClock.monotonicMs();
    if (askedAt !== null && now - askedAt >= impatienceMs) process.exit(impatientExitCode);
    if (askedAt !== null) return;
    askedAt = now;
    asked.abort(signal);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  return asked.signal;
}
