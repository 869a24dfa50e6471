import type { ServerResponse } from 'node:http';

const ends = new WeakMap<ServerResponse, () => void>();

/**
 * Calls `end` once the work on a request has ended, and its response was given to the connection (D-408). A client may
 * leave long before, or read its response long after.
 */
export function onRequestEnd(response: ServerResponse, end: () => void): void {
  ends.set(response, end);
}

/** Tells that a request has ended. A stream has ended when all its events were given to the connection. */
export function endRequest(response: ServerResponse): void {
  ends.get(response)?.();
  ends.delete(response);
}
