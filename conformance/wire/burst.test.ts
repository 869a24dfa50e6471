import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createSession } from './session.ts';

const bounds = { requestsMax: 10, secondsMax: 60 };

/** A session whose target answers with these statuses in turn, then always with the last one. */
async function sessionWith(statuses: readonly number[], headers: Record<string, string> = {}) {
  let requests = 0;
  const server = createServer((_, response) => {
    const status = statuses[Math.min(requests, statuses.length - 1)] ?? 200;
    requests += 1;
    response.writeHead(status, headers).end();
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const slept: number[] = [];
  const session = createSession(
    { timeoutMs: 5_000, responseBytesMax: 1_000, requestsMax: 3, requestsPerSecondMax: 1 },
    { nowMs: () => 1_700_000_000_000, sleep: async (seconds) => void slept.push(seconds) },
  );
  return {
    session,
    slept,
    request: { method: 'GET', url: `http://127.0.0.1:${port}/`, headers: {}, body: undefined },
    requests: () => requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

describe('a burst', () => {
  it('ends at the first 429, ignores rate and request limit, and keeps its last exchange', async () => {
    await using target = await sessionWith([402, 402, 402, 402, 429]);
    const { session, request, slept, requests } = target;
    expect(await session.burst(request, bounds)).toMatchObject({
      ok: true,
      value: { requests: 5, answered: { number: 1, outcome: { status: 429 } } },
    });
    expect({ requests: requests(), kept: session.exchanges.length, slept }).toEqual({
      requests: 5,
      kept: 1,
      slept: [],
    });
  });

  it('ends at its request bound', async () => {
    await using target = await sessionWith([402]);
    expect(await target.session.burst(target.request, bounds)).toMatchObject({
      ok: true,
      value: { requests: bounds.requestsMax, answered: { outcome: { status: 402 } } },
    });
  });

  it('ends at a server fault', async () => {
    await using target = await sessionWith([402, 500, 402]);
    expect(await target.session.burst(target.request, bounds)).toMatchObject({
      ok: true,
      value: { requests: 2 },
    });
    expect(target.requests()).toBe(2);
  });

  it('ends at the first served request and keeps it (D-146)', async () => {
    await using target = await sessionWith([402, 402, 200, 402]);
    expect(await target.session.burst(target.request, bounds)).toMatchObject({
      ok: true,
      value: { requests: 3, answered: { outcome: { status: 200 } } },
    });
    expect(target.session.exchanges).toMatchObject([{ outcome: { status: 200 } }]);
  });

  it('delays the next request by Retry-After', async () => {
    await using target = await sessionWith([429, 402], { 'Retry-After': '7' });
    await target.session.burst(target.request, bounds);
    expect(await target.session.send(target.request)).toMatchObject({
      ok: true,
      value: { outcome: { status: 402 } },
    });
    expect(target.slept).toEqual([7]);
  });

  it('ends when the target does not respond', async () => {
    await using target = await sessionWith([402]);
    const request = { ...target.request, url: 'http://127.0.0.1:1/' };
    expect(await target.session.burst(request, bounds)).toMatchObject({ ok: false });
  });
});
