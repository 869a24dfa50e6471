import { createServer, type RequestListener } from 'node:http';
import { createSession, type SessionLimits, type SessionTools } from '../wire/session.ts';
import type { WireRequest } from '../wire/wire.ts';

const ample: SessionLimits = { timeoutMs: 5_000, responseBytesMax: 1_000, requestsMax: 100 };
export const nowMs = 1_700_000_000_000;

/** A session with its own loopback target. Its waits are recorded and take no time. */
export async function sessionWith(
  listener: RequestListener,
  limits: Partial<SessionLimits> = {},
  tools: Partial<SessionTools> = {},
) {
  const server = createServer(listener);
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const url = `http://127.0.0.1:${port}/`;
  const slept: number[] = [];
  const session = createSession(
    { ...ample, ...limits },
    { nowMs: () => nowMs, sleep: async (seconds) => void slept.push(seconds), ...tools },
  );
  return {
    session,
    slept,
    url,
    send: (more: Partial<WireRequest> = {}) =>
      session.send({ method: 'GET', url, headers: {}, body: undefined, ...more }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
