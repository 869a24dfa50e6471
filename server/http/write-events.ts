import type { ServerResponse } from 'node:http';

export type StreamLimits = {
  /** The longest silence before a comment, so that proxies and clients do not close the connection. */
  readonly streamHeartbeatMs: number;
  /** How long a client may take to read the bytes that the gateway has written. */
  readonly responseTimeoutMs: number;
};

export const streamHeaders = {
  'Content-Type': 'text/event-stream',
  // Otherwise nginx and others keep the events until the response ends.
  'X-Accel-Buffering': 'no',
} as const;

/** A comment, which clients skip. */
const heartbeat = ':\n\n';

/** The event of one chunk, or of the end of a stream. */
export function writeEvent(data: object | string): string {
  return `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}

/**
 * Writes the texts of a stream as the body of a response whose headers are set. It takes the next text only when
 * the client has read the last one, so unsent bytes are bounded by one text and the buffer of a connection. A
 * client that reads too slowly is disconnected. If the client leaves, it calls `return` of the texts and ends
 * at once. Throws the exceptions of the texts after it has disconnected the client, because a stream without its
 * end must not look complete.
 */
export async function writeEvents(
  response: ServerResponse,
  texts: AsyncIterable<string>,
  limits: StreamLimits,
): Promise<void> {
  const orClosed = watchClose(response);
  const timer = setInterval(() => {
    if (!response.destroyed && !response.writableNeedDrain) response.write(heartbeat);
  }, limits.streamHeartbeatMs);
  const iterator = texts[Symbol.asyncIterator]();
  response.flushHeaders();
  try {
    for (;;) {
      const next = await orClosed(iterator.next());
      // A write to a closed response would be an unhandled error.
      if (next === null || response.destroyed) return;
      if (next.done) return void response.end();
      timer.refresh();
      if (!response.write(next.value) && !(await drained(response, orClosed, limits.responseTimeoutMs)))
        return;
    }
  } catch (cause) {
    breakOff(response);
    throw cause;
  } finally {
    clearInterval(timer);
    // The texts may end much later, or never.
    if (!response.writableEnded) iterator.return?.().catch(() => undefined);
  }
}

/**
 * Ends the connection so that the stream does not look complete. In HTTP/1.0, which nginx speaks by default, a body ends
 * with its connection, so only a reset shows the break.
 */
function breakOff(response: ServerResponse): void {
  if (response.req.httpVersion === '1.0') response.socket?.resetAndDestroy();
  else response.destroy();
}

/** Waits for a promise, or returns null once the response has closed. One wait at a time. */
type OrClosed = <Value>(promise: Promise<Value>) => Promise<Value | null>;

/**
 * A race with one promise for the close would keep memory for each event until the response closes, because a promise
 * keeps the reactions of all its races.
 */
function watchClose(response: ServerResponse): OrClosed {
  let end = () => {};
  response.once('close', () => end());
  return (promise) =>
    new Promise((resolve, reject) => {
      end = () => resolve(null);
      if (response.closed) end();
      promise.then(resolve, reject);
    });
}

/** Waits until the client has read the written bytes. False if it left, or was disconnected for its slowness. */
async function drained(response: ServerResponse, orClosed: OrClosed, timeoutMs: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const drain = () => resolve(true);
  response.once('drain', drain);
  const timer = setTimeout(() => response.destroy(), timeoutMs);
  const isDrained = await orClosed(promise);
  clearTimeout(timer);
  response.off('drain', drain);
  return isDrained ?? false;
}
