import { createServer, type RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createSession, type SessionLimits } from './session.ts';

const ample: SessionLimits = { timeoutMs: 5_000, answerBytesMax: 1_000, requestsMax: 100 };
const nowSeconds = 1_700_000_000;

async function sessionWith(listener: RequestListener, limits: Partial<SessionLimits> = {}) {
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
    { nowSeconds: () => nowSeconds, sleep: async (seconds) => void slept.push(seconds) },
  );
  return {
    session,
    slept,
    url,
    send: () => session.send({ method: 'GET', url, headers: {}, body: undefined }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

describe('a session', () => {
  it('does not follow a redirect', async () => {
    await using target = await sessionWith((_, response) => {
      response.writeHead(307, { Location: 'http://127.0.0.1:1/' }).end();
    });
    expect(await target.send()).toMatchObject({ ok: true, value: { outcome: { status: 307 } } });
  });

  it('sends one request at a time, though it is asked for three', async () => {
    const [first, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let arrived = 0;
    await using target = await sessionWith(async (request, response) => {
      if (request.url !== '/bystander') {
        arrived += 1;
        first.resolve();
        await release.promise;
      }
      response.end();
    });
    const sent = Promise.all([target.send(), target.send(), target.send()]);
    await first.promise;
    // Whoever connects later is served before the second request arrives.
    await fetch(`${target.url}bystander`);
    expect(arrived).toBe(1);
    release.resolve();
    await sent;
    expect(arrived).toBe(3);
  });

  it('takes an answer that breaks off for no answer', async () => {
    await using target = await sessionWith((_, response) => {
      response.writeHead(402, { 'Content-Length': '10' });
      response.write('{"a"', () => response.destroy());
    });
    expect(await target.send()).toMatchObject({ verdict: { reason: expect.stringContaining('no answer') } });
  });

  it('ends at its ceiling', async () => {
    await using target = await sessionWith((_, response) => void response.end(), { requestsMax: 2 });
    expect([(await target.send()).ok, (await target.send()).ok, (await target.send()).ok]).toEqual([
      true,
      true,
      false,
    ]);
    expect(target.session.exchanges).toHaveLength(2);
  });

  it('leaves a target alone after three faults in a row, and not after two', async () => {
    const statuses = [500, 500, 200, 500, 500, 500, 200];
    await using target = await sessionWith((_, response) => {
      response.writeHead(statuses.shift() ?? 200).end();
    });
    for (let sent = 0; sent < 6; sent += 1) expect((await target.send()).ok).toBe(true);
    expect(await target.send()).toMatchObject({ verdict: { reason: expect.stringContaining('left alone') } });
    expect(statuses).toEqual([200]);
  });

  it('waits as long as Retry-After says, and sends the same again', async () => {
    const waits = ['7', new Date((nowSeconds + 3) * 1000).toUTCString()];
    await using target = await sessionWith((_, response) => {
      const wait = waits.shift();
      if (wait === undefined) return void response.end();
      response.writeHead(429, { 'Retry-After': wait }).end();
    });
    expect(await target.send()).toMatchObject({ value: { outcome: { status: 200 } } });
    expect(target.slept).toEqual([7, 3]);
  });

  it.each([
    ['without Retry-After', {}],
    ['with one beyond the bound', { 'Retry-After': '31' }],
  ])('does not wait on a 429 %s', async (_, headers) => {
    await using target = await sessionWith((_request, response) => {
      response.writeHead(429, headers).end();
    });
    expect(await target.send()).toMatchObject({ value: { outcome: { status: 429 } } });
    expect(target.slept).toEqual([]);
  });

  it('gives up a target that keeps asking for patience', async () => {
    await using target = await sessionWith((_, response) => {
      response.writeHead(429, { 'Retry-After': '0' }).end();
    });
    expect(await target.send()).toMatchObject({ value: { outcome: { status: 429 } } });
    expect(target.session.exchanges).toHaveLength(4);
  });

  it('has a deadline', async () => {
    await using target = await sessionWith(() => undefined, { timeoutMs: 50 });
    expect(await target.send()).toMatchObject({
      verdict: { reason: expect.stringContaining('timed out after 50 ms') },
    });
  });

  it('does not read an answer without end', async () => {
    await using target = await sessionWith((_, response) => void response.end('x'.repeat(1_001)));
    expect(await target.send()).toMatchObject({ verdict: { reason: expect.stringContaining('1000 bytes') } });
  });
});
