import type { ServerResponse } from 'node:http';

const handlers = new WeakMap<ServerResponse, Promise<unknown>>();

/** Registers the work on a request. A client may leave long before this work has ended. */
export function registerHandler(response: ServerResponse, work: Promise<unknown>): void {
  handlers.set(response, work);
}

/** Calls `end` once the response has closed and the work on its request has ended (D-432). */
export function onRequestEnd(response: ServerResponse, end: () => void): void {
  const afterWork = () => {
    void Promise.resolve(handlers.get(response)).then(end, end);
  };
  if (response.closed) afterWork();
  else response.once('close', afterWork);
}
