import type { Log } from './log.ts';

/** Lines a second for responses with 429. Without a limit any client could fill the log. */
const refusalLinesPerSecondMax = 10;
const pathCharsMax = 256;

export type RequestLine = {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly ms: number;
};

/**
 * Logs one line for each request, but only some lines a second for requests that got 429 (D-174). The next such
 * line has the number of omitted lines in `unlogged`. `steadyMs` never steps back.
 */
export function createRequestLog(log: Log, steadyMs: () => number): (line: RequestLine) => void {
  let second = Number.NEGATIVE_INFINITY;
  let lines = 0;
  let unlogged = 0;

  return (line) => {
    const path = line.path.length > pathCharsMax ? `${line.path.slice(0, pathCharsMax)}…` : line.path;
    if (line.status !== 429) return log.info({ ...line, path }, 'responded');
    const now = Math.floor(steadyMs() / 1_000);
    if (now !== second) [second, lines] = [now, 0];
    if (++lines > refusalLinesPerSecondMax) {
      unlogged++;
      return;
    }
    log.info({ ...line, path, ...(unlogged > 0 && { unlogged }) }, 'responded');
    unlogged = 0;
  };
}
