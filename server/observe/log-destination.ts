import { constants, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { isatty } from 'node:tty';
import { pino } from 'pino';

/** Characters of unwritten lines; further lines are dropped. */
const unwrittenCharsMax = 1_048_576;
/** Characters of the lines of one turn that are written together. One write costs as much as a few lines. */
const turnCharsMax = 16_384;
const retryMs = 100;
/** At its end the process waits up to a second for a slow reader. */
const exitTriesMax = 50;
const exitPauseMs = 20;
const withoutWaiting = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/** Where the lines of the log go. */
export type LogDestination = {
  /** Writes a line at the end of this turn of the event loop, together with the other lines of the turn. */
  write(line: string): void;
  /** Writes all lines now. */
  flush(): void;
};

/**
 * Standard error without blocking (D-174): a pipe whose reader stops would otherwise block the whole process.
 * Lines stay in memory while the reader is behind, up to a limit. Lines beyond the limit are dropped.
 */
export function openLogDestination(): LogDestination {
  const destination = pino.destination({
    dest: openWithoutWaiting(2),
    sync: true,
    maxLength: unwrittenCharsMax,
    retryEAGAIN: () => false,
  });
  let ofThisTurn = '';
  const writeWaiting = () => {
    const lines = ofThisTurn;
    ofThisTurn = '';
    // `flush` of the destination writes nothing without a `minLength`, so an empty write stands for it.
    destination.write(lines);
  };
  const writeTurn = () => {
    if (ofThisTurn !== '') writeWaiting();
  };
  let isDue = false;
  let isBehind = false;
  // Without a listener, a failed write of a line, as on a full disk, would fail the sale.
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
  // `flushSync` would retry for ever on a full disk.
  process.on('exit', () => {
    for (let tries = 0; tries < exitTriesMax; tries++) {
      isBehind = false;
      writeWaiting();
      if (!isBehind) break;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, exitPauseMs);
    }
  });
  return {
    write(line) {
      if (ofThisTurn === '') setImmediate(writeTurn);
      ofThisTurn += line;
      if (ofThisTurn.length > turnCharsMax) writeWaiting();
    },
    flush: writeWaiting,
  };
}

/** Opens the same target again so that a write fails with EAGAIN instead of blocking. */
function openWithoutWaiting(fd: number): number {
  try {
    const stat = fstatSync(fd);
    // Other processes share the first description of the pipe, which stays unchanged. The same holds for a
    // terminal that the user stops with Ctrl-S.
    if (stat.isFIFO() || isatty(fd)) return openSync(`/proc/self/fd/${fd}`, withoutWaiting);
    // A socket cannot be opened again. Node sets the socket that it wraps to non-blocking.
    if (stat.isSocket()) new Socket({ fd, readable: false, writable: true }).unref();
  } catch {
    // Only Linux can open a descriptor again; elsewhere the writes block.
  }
  return fd;
}
