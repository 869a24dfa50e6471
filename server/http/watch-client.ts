import type { ServerResponse } from 'node:http';
import type { ClientWatch } from './contract.ts';

/** Watches the connection from the first call on: did the client leave early, did it receive the whole response? */
export function watchOnce(response: ServerResponse): () => ClientWatch {
  let watched: ClientWatch | null = null;
  return () => {
    if (watched !== null) return watched;
    const left = new AbortController();
    const { promise: delivered, resolve } = Promise.withResolvers<boolean>();
    const end = () => {
      if (!response.writableFinished) left.abort();
      resolve(response.writableFinished);
    };
    if (response.closed) end();
    else response.once('close', end);
    watched = { left: left.signal, delivered };
    return watched;
  };
}
