import { constants, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { isatty } from 'node:tty';
import { pino } from 'pino';

/** Lines that wait until they can be written; those beyond are lost. */
const unwrittenCharsMax = 1_048_576;
const retryMs = 100;
/** The process waits a second at its end for a reader that is behind. */
const exitTriesMax = 50;
const exitPauseMs = 20;
const withoutWaiting = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * Standard error, written without waiting (D-174). A pipe that its reader does not empty would stop the whole process.
 * Lines stay in memory while the reader is behind, up to a bound, and the lines beyond it are lost.
 */
export function openLogDestination(): ReturnType<typeof pino.destination> {
  const destination = pino.destination({
    dest: openWithoutWaiting(2),
    sync: true,
    maxLength: unwrittenCharsMax,
    retryEAGAIN: () => false,
  });
  // `flush` writes nothing where there is no least length.
  const writeWaiting = () => void destination.write('');
  let isDue = false;
  let isBehind = false;
  // Without a listener a line that cannot be written, as on a full disk, would fail the sale that it tells of.
  destination.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code !== 'EAGAIN') return;
    isBehind = true;
    if (isDue) return;
    isDue = true;
    const retry = () => {
      isDue = false;
      writeWaiting();
    };
    setTimeout(retry, retryMs).unref();
  });
  // Not flushSync, which tries for ever on a full disk.
  process.on('exit', () => {
    for (let tries = 0; tries < exitTriesMax; tries++) {
      isBehind = false;
      writeWaiting();
      if (!isBehind) break;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, exitPauseMs);
    }
  });
  return destination;
}

/** A file descriptor for the same target that fails with EAGAIN where the other one would wait. */
function openWithoutWaiting(fd: number): number {
  try {
    const stat = fstatSync(fd);
    // A second description of the pipe leaves the first one, which other processes share, as it is.
    // So it is with a terminal, whose reader stops it with Ctrl-S.
    if (stat.isFIFO() || isatty(fd)) return openSync(`/proc/self/fd/${fd}`, withoutWaiting);
    // A socket cannot be opened again. Node sets the one that it wraps to non-blocking.
    if (stat.isSocket()) new Socket({ fd, readable: false, writable: true }).unref();
  } catch {
    // Only Linux opens a descriptor again; elsewhere the writes wait.
  }
  return fd;
}
