import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { jsonBody } from '../sources/judgements.ts';
import { nowMs, sessionWith } from '../testing/session-target.ts';
import type { WireRequest } from './wire.ts';

describe('a session', () => {
  it('requests no compression', async () => {
    let asked: string | undefined;
    await using target = await sessionWith((request, response) => {
      asked = request.headers['accept-encoding'];
      response.end();
    });
    await target.send();
    expect(asked).toBe('identity');
  });

  it('keeps Accept-Encoding of the request, and lower case if all its names have it', async () => {
    let names: readonly string[] = [];
    await using target = await sessionWith((request, response) => {
      names = request.rawHeaders.filter((_, index) => index % 2 === 0);
      response.end();
    });
    await target.send({ headers: { accept: 'application/json', 'accept-encoding': 'gzip' }, body: '{}' });
    expect(names).toContain('content-length');
    expect(names.filter((name) => name !== name.toLowerCase())).toEqual(['Connection']);
    expect(names.filter((name) => name.toLowerCase() === 'accept-encoding')).toEqual(['accept-encoding']);
  });

  it.each([
    ['is not UTF-8', Buffer.from('{"content":"n\u00F6"}', 'latin1'), {}],
    ['begins with a byte order mark', Buffer.from('\uFEFF{}'), {}],
    ['is not compressed although its header says so', Buffer.from('{}'), { 'Content-Encoding': 'gzip' }],
  ])('does not read JSON from a body that %s', async (_, bytes, headers) => {
    await using target = await sessionWith((_request, response) => {
      response.writeHead(200, headers).end(bytes);
    });
    const answered = await target.send();
    expect(answered).toMatchObject({ ok: true, value: { outcome: { status: 200 } } });
    expect(answered.ok && jsonBody(answered.value).ok).toBe(false);
  });

  it('sends no payment on the kept connection once the target has closed one (D-355)', async () => {
    const used = new WeakSet<object>();
    await using target = await sessionWith((request, response) => {
      if (used.has(request.socket)) request.socket.destroy();
      else response.end();
      used.add(request.socket);
    });
    const kept = { isOnKeptConnection: true } as const;
    await target.send(kept);
    await target.send(kept);
    expect(await target.send({ ...kept, headers: { 'X-PAYMENT': 'e30=' } })).toMatchObject({ ok: true });
  });

  it('does not follow a redirect', async () => {
    await using target = await sessionWith((_, response) => {
      response.writeHead(307, { Location: 'http://127.0.0.1:1/' }).end();
    });
    expect(await target.send()).toMatchObject({ ok: true, value: { outcome: { status: 307 } } });
  });

  it('sends three concurrent calls one at a time', async () => {
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
    // A later connection would be served before the second request arrives.
    await fetch(`${target.url}bystander`);
    expect(arrived).toBe(1);
    release.resolve();
    await sent;
    expect(arrived).toBe(3);
  });

  it('sends requests together: all are open before any is complete', async () => {
    let [arrived, complete] = [0, 0];
    const arrivedAtFirstEnd: number[] = [];
    await using target = await sessionWith(async (request, response) => {
      arrived += 1;
      for await (const _ of request);
      if (complete === 0) arrivedAtFirstEnd.push(arrived);
      complete += 1;
      response.end(request.url);
    });
    const post = (path: string): WireRequest => ({
      method: 'POST',
      url: `${target.url}${path}`,
      headers: {},
      body: '{"a":1}',
    });
    const responses = await target.session.sendTogether(['a', 'b', 'c'].map(post));
    expect(arrivedAtFirstEnd).toEqual([3]);
    expect(responses.map((each) => each.ok && each.value.outcome.body)).toEqual(['/a', '/b', '/c']);
    expect(target.session.exchanges.map(({ number, request }) => [number, request.url.slice(-1)])).toEqual([
      [1, 'a'],
      [2, 'b'],
      [3, 'c'],
    ]);
  });

  it('sends none of several requests if they exceed its limit together', async () => {
    let requests = 0;
    const listener: RequestListener = (_, response) => {
      requests += 1;
      response.end();
    };
    await using target = await sessionWith(listener, { requestsMax: 2 });
    const get: WireRequest = { method: 'GET', url: target.url, headers: {}, body: undefined };
    const responses = await target.session.sendTogether([get, get, get]);
    expect(responses.map(({ ok }) => ok)).toEqual([false, false, false]);
    expect(requests).toBe(0);
  });

  it('reuses a connection only on request', async () => {
    const ports: (number | undefined)[] = [];
    await using target = await sessionWith((request, response) => {
      ports.push(request.socket.remotePort);
      response.end();
    });
    for (const kept of [true, true, false, true]) await target.send(kept ? { isOnKeptConnection: true } : {});
    expect(ports[1]).toBe(ports[0]);
    expect(ports[3]).toBe(ports[0]);
    expect(ports[2]).not.toBe(ports[0]);
  });

  it('treats a response that breaks off as no response', async () => {
    await using target = await sessionWith((_, response) => {
      response.writeHead(402, { 'Content-Length': '10' });
      response.write('{"a"', () => response.destroy());
    });
    expect(await target.send()).toMatchObject({
      verdict: { reason: expect.stringContaining('no response') },
    });
  });

  it('ends at its request limit', async () => {
    await using target = await sessionWith((_, response) => void response.end(), { requestsMax: 2 });
    expect([(await target.send()).ok, (await target.send()).ok, (await target.send()).ok]).toEqual([
      true,
      true,
      false,
    ]);
    expect(target.session.exchanges).toHaveLength(2);
  });

  it('stops after three consecutive faults, not after two', async () => {
    const statuses = [500, 500, 200, 500, 500, 500, 200];
    await using target = await sessionWith((_, response) => {
      response.writeHead(statuses.shift() ?? 200).end();
    });
    for (let sent = 0; sent < 6; sent += 1) expect((await target.send()).ok).toBe(true);
    expect(await target.send()).toMatchObject({
      verdict: { reason: expect.stringContaining('stopped sending') },
    });
    expect(statuses).toEqual([200]);
  });

  it('continues after three consecutive faults if a plain request gets its earlier status', async () => {
    const statuses = [402, 500, 500, 500, 402, 400];
    await using target = await sessionWith((_, response) => {
      response.writeHead(statuses.shift() ?? 200).end();
    });
    for (let sent = 0; sent < 5; sent += 1) expect((await target.send()).ok).toBe(true);
    expect(target.session.exchanges.map(({ outcome }) => outcome)).toMatchObject(
      [402, 500, 500, 500, 402, 400].map((status) => ({ status })),
    );
  });

  it('waits for Retry-After and sends the same request again', async () => {
    const waits = ['7', new Date(nowMs + 3_000).toUTCString()];
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
    ['with one beyond the bound', { 'Retry-After': '61' }],
  ])('does not wait on a 429 %s', async (_, headers) => {
    await using target = await sessionWith((_request, response) => {
      response.writeHead(429, headers).end();
    });
    expect(await target.send()).toMatchObject({ value: { outcome: { status: 429 } } });
    expect(target.slept).toEqual([]);
  });

  it('stops retrying a target that keeps sending Retry-After', async () => {
    await using target = await sessionWith((_, response) => {
      response.writeHead(429, { 'Retry-After': '0' }).end();
    });
    expect(await target.send()).toMatchObject({ value: { outcome: { status: 429 } } });
    expect(target.session.exchanges).toHaveLength(4);
  });

  it('has a timeout', async () => {
    await using target = await sessionWith(() => undefined, { timeoutMs: 50 });
    expect(await target.send()).toMatchObject({
      verdict: { reason: expect.stringContaining('timed out after 50 ms') },
    });
  });

  it('does not read an endless response', async () => {
    await using target = await sessionWith((_, response) => void response.end('x'.repeat(1_001)));
    expect(await target.send()).toMatchObject({ verdict: { reason: expect.stringContaining('1000 bytes') } });
  });

  it('has a timeout for an endless slow response', async () => {
    await using target = await sessionWith(
      (_, response) => {
        response.writeHead(200);
        const trickle = setInterval(() => response.write('x'), 10);
        response.on('close', () => clearInterval(trickle));
      },
      { timeoutMs: 100 },
    );
    expect(await target.send()).toMatchObject({
      verdict: { reason: expect.stringContaining('timed out after 100 ms') },
    });
  });

  it('treats endless headers as no response', async () => {
    await using target = await sessionWith((_, response) => {
      response.writeHead(402, { 'X-PAYMENT-REQUIRED': 'x'.repeat(100_000) }).end();
    });
    expect(await target.send()).toMatchObject({
      verdict: { reason: expect.stringContaining('no response') },
    });
  });

  it('treats a change of protocol as no response', async () => {
    await using target = await sessionWith((_, response) => {
      response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n');
    });
    expect(await target.send()).toMatchObject({
      verdict: { reason: expect.stringContaining('no response') },
    });
  });

  it('reads a response that ends with its connection', async () => {
    await using target = await sessionWith((_, response) => {
      response.socket?.end('HTTP/1.0 402 Payment Required\r\n\r\n{"a":1}');
    });
    expect(await target.send()).toMatchObject({ value: { outcome: { status: 402, body: '{"a":1}' } } });
  });

  describe('with a payment', () => {
    const paid = { headers: { 'X-PAYMENT': 'e30=' } };
    const patient: RequestListener = (_, response) => {
      response.writeHead(503, { 'Retry-After': '7' }).end();
    };

    it('sends nothing twice, but waits before the next request', async () => {
      await using target = await sessionWith(patient, { requestsMax: 2 });
      expect(await target.send(paid)).toMatchObject({ value: { outcome: { status: 503 } } });
      expect(target.session.exchanges).toHaveLength(1);
      expect(target.slept).toEqual([]);
      await target.send({ headers: { 'x-payment': 'e30=' } });
      expect(target.session.exchanges).toHaveLength(2);
      expect(target.slept).toEqual([7]);
    });

    it('retries a payment that costs nothing', async () => {
      await using target = await sessionWith(patient, { requestsMax: 2 });
      await target.send({ ...paid, isRepeatable: true });
      expect(target.session.exchanges).toHaveLength(2);
    });

    it('does not retry after a timeout', async () => {
      await using target = await sessionWith(() => undefined, { timeoutMs: 50 });
      await target.send(paid);
      expect(target.session.exchanges).toHaveLength(1);
    });
  });

  it('aborts open requests on an interruption and sends nothing more', async () => {
    const interruption = new AbortController();
    await using target = await sessionWith(() => interruption.abort(), {}, { signal: interruption.signal });
    for (let sent = 0; sent < 2; sent += 1) {
      expect(await target.send()).toMatchObject({
        verdict: { reason: expect.stringContaining('the run was interrupted') },
      });
    }
    expect(target.session.exchanges).toHaveLength(1);
  });
});
