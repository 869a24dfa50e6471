import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as after, setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { waitingRequests } from '../http/waiting-requests.ts';
import { statusesIn } from '../testing/raw-client.ts';
import { useListening } from '../testing/use-listening.ts';

const { serve, client } = useListening();

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const many = 1_700;
const fine: RequestListener = (_request, response) => response.end('fine');

describe('A connection has one request in progress (D-132)', () => {
  it('responds to pipelined requests in order, each once', async () => {
    let underWay = 0;
    let most = 0;
    const url = await serve(async (request, response) => {
      most = Math.max(most, ++underWay);
      if (request.url?.endsWith('77')) await after(1);
      response.on('close', () => underWay--).end(`<${request.url}>`);
    });
    const { write, readUntil } = await client(url);
    const paths = Array.from({ length: many }, (_, at) => `/${at}`);
    write(paths.map(get).join(''));
    const received = await readUntil(`</${many - 1}>`);
    expect([...received.matchAll(/<(.*?)>/g)].map(([, path]) => path)).toEqual(paths);
    expect(statusesIn(received)).toHaveLength(many);
    expect(most).toBe(1);
  });

  it('reads little more than its queue holds', async () => {
    let parsed = 0;
    const count = () => void parsed++;
    const channel = 'http.server.request.start';
    subscribe(channel, count);
    const underWay = Promise.withResolvers<() => void>();
    const url = await serve((_request, response) => underWay.resolve(() => response.destroy()));
    const { write, socket } = await client(url);
    write(get('/').repeat(many));
    const leave = await underWay.promise;
    // The gateway has read everything once it serves a connection that was opened later.
    const other = await client(url);
    other.write('no HTTP\r\n\r\n');
    await other.readAll();
    unsubscribe(channel, count);
    leave();
    await once(socket.resume(), 'close');
    // The queue of 16, and the rest of the slice of 1 KiB in which the queue became full.
    expect(parsed).toBeGreaterThan(16);
    expect(parsed).toBeLessThan(64);
  });

  it('holds one response for a client that reads nothing, and disconnects it after the timeout', async () => {
    let started = 0;
    const cut = Promise.withResolvers<void>();
    const big = Buffer.alloc(1_048_576, 'x');
    const url = await serve(
      (_request, response) => {
        started++;
        response.on('close', () => response.writableFinished || cut.resolve()).end(big);
      },
      { responseTimeoutMs: 300 },
    );
    const { write } = await client(url);
    write(get('/').repeat(many));
    await cut.promise;
    const startedThen = started;
    for (let turn = 0; turn < 5; turn++) await nextTurn();
    // The buffers of the system take some responses, and one more is waiting.
    expect(startedThen).toBeLessThan(30);
    expect(started).toBe(startedThen);
  });

  it('sends many large responses completely to a slow client', async () => {
    const large = 'x'.repeat(500_000);
    const url = await serve((request, response) => response.end(`${large}<${request.url}>`));
    const { write, readUntil } = await client(url);
    const paths = Array.from({ length: 40 }, (_, at) => `/${at}`);
    write(paths.map(get).join(''));
    const received = await readUntil('</39>');
    expect([...received.matchAll(/<(.*?)>/g)].map(([, path]) => path)).toEqual(paths);
  });

  it('does not run the requests of a client that left, or whose connection is closing', async () => {
    const run: string[] = [];
    const left = Promise.withResolvers<void>();
    const url = await serve((request, response) => {
      run.push(request.url ?? '');
      if (request.url === '/closes') response.setHeader('Connection', 'close').end('bye');
      response.on('close', () => left.resolve());
    });
    const leaving = await client(url);
    leaving.write(get('/hangs') + get('/behind-1'));
    await expect.poll(() => run).toEqual(['/hangs']);
    leaving.socket.destroy();
    await left.promise;
    const closing = await client(url);
    closing.write(get('/closes') + get('/behind-2'));
    expect(statusesIn(await closing.readAll())).toEqual([200]);
    for (let turn = 0; turn < 5; turn++) await nextTurn();
    expect(run).toEqual(['/hangs', '/closes']);
  });
});

describe('D-132: invalid input waits for the responses before it', () => {
  const slow: RequestListener = async (_request, response) => {
    await after(20);
    response.end('fine');
  };

  it.each([
    ['bytes that are not HTTP', 'no HTTP at all\r\n\r\n', 400, 'invalid_request'],
    ['headers over their limit', `GET / HTTP/1.1\r\nX: ${'x'.repeat(40_000)}`, 413, 'request_too_large'],
    ['CONNECT', 'CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n', 405, 'method_not_allowed'],
  ])('%s', async (_name, bytes, status, code) => {
    const { write, readAll } = await client(await serve(slow));
    write(get('/1') + get('/2') + bytes);
    const received = await readAll();
    expect(statusesIn(received)).toEqual([200, 200, status]);
    expect(received).toContain(`"code":"${code}"`);
  });

  it('disconnects a client that never closes its side', async () => {
    const url = await serve(fine, { connectionsMax: 1 });
    const { write, socket } = await client(url);
    socket.allowHalfOpen = true;
    write('no HTTP\r\n\r\n');
    await once(socket.resume(), 'end');
    await expect.poll(async () => (await fetch(url).catch(() => null))?.status).toBe(200);
  });
});

describe('D-195: a connection that Node hands over for CONNECT', () => {
  const proxied = 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n';

  /** The server's side of the next connection. */
  function nextAccepted(): Promise<Socket> {
    const channel = 'net.server.socket';
    return new Promise((resolve) => {
      const take = (message: unknown) => {
        unsubscribe(channel, take);
        resolve((message as { socket: Socket }).socket);
      };
      subscribe(channel, take);
    });
  }

  it.each([
    ['alone', ''],
    ['behind a request in progress', get('/')],
  ])('%s: a reset by the client ends only this connection', async (_name, before) => {
    let response: ServerResponse | undefined;
    const url = await serve(
      (request, given) => {
        if (request.url === '/') response = given;
        else given.end('fine');
      },
      { connectionsMax: 1 },
    );
    const accepted = nextAccepted();
    const { write, socket } = await client(url);
    const ours = await accepted;
    const left = new Promise((resolve) => ours.once('close', resolve));
    write(before + proxied);
    // Node removes all its own listeners at once.
    await expect.poll(() => ours.listenerCount('timeout')).toBe(0);
    expect(ours.listenerCount('error')).toBeGreaterThan(0);
    socket.resetAndDestroy();
    await left;
    expect(response?.destroyed ?? true).toBe(true);
    await expect.poll(async () => (await fetch(`${url}/next`).catch(() => null))?.status).toBe(200);
  });

  it('answers a request to upgrade like any other', async () => {
    const { write, readUntil } = await client(await serve(fine));
    write('GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    expect(statusesIn(await readUntil('fine'))).toEqual([200]);
  });

  it('still sends a large response to an earlier request', async () => {
    const large = 'x'.repeat(8_000_000);
    const url = await serve((_request, response) => response.end(large));
    const { write, readAll } = await client(url);
    write(get('/') + proxied);
    expect(statusesIn(await readAll())).toEqual([200, 405]);
  });
});

describe('D-132: connections', () => {
  it('above the limit of the gateway get 503 until another one ends', async () => {
    const url = await serve(fine, { connectionsMax: 2 });
    const [first] = [await client(url), await client(url)];
    const received = await (await client(url)).readAll();
    expect(statusesIn(received)).toEqual([503]);
    expect(received).toContain('"code":"overloaded"');
    first?.socket.destroy();
    await expect.poll(async () => (await fetch(url).catch(() => null))?.status).toBe(200);
  });

  it('D-224: at the limit, a client gets the place of an idle connection of the client with the most', async () => {
    const url = await serve(fine, { connectionsMax: 4 });
    const many = [await client(url), await client(url), await client(url), await client(url)];
    const [oldest, second, ...others] = many;
    const one = await client(url, '127.0.0.2');
    one.write(get('/'));
    expect(statusesIn(await one.readUntil('fine'))).toEqual([200]);
    await once(oldest?.socket.resume() as Socket, 'close');
    // The client with the most connections gets no more of them.
    expect(statusesIn(await (await client(url)).readAll())).toEqual([503]);
    const two = await client(url, '127.0.0.2');
    await once(second?.socket.resume() as Socket, 'close');
    // Both have two connections now.
    expect(statusesIn(await (await client(url, '127.0.0.2')).readAll())).toEqual([503]);
    for (const { write } of [...others, two]) write(get('/'));
    for (const { readUntil } of [...others, two]) expect(statusesIn(await readUntil('fine'))).toEqual([200]);
  });

  it('D-419: at the limit, a client gets the place of a request that waits for its turn, and not of one in progress', async () => {
    const held = new Map<string | undefined, ServerResponse>();
    const url = await serve(
      (request, response) => {
        if (request.url === '/') return void response.end('fine');
        if (request.url === '/waiting') waitingRequests.add(request);
        held.set(request.url, response);
      },
      { connectionsMax: 2 },
    );
    const [working, waiting] = [await client(url), await client(url)];
    working.write(get('/working'));
    waiting.write(get('/waiting'));
    await expect.poll(() => held.size).toBe(2);
    const other = await client(url, '127.0.0.2');
    other.write(get('/'));
    expect(statusesIn(await other.readUntil('fine'))).toEqual([200]);
    expect(statusesIn(await waiting.readAll())).toEqual([]);
    held.get('/working')?.end('fine');
    expect(statusesIn(await working.readUntil('fine'))).toEqual([200]);
  });

  it('D-224: at the limit, a connection with a request in progress stays', async () => {
    const held: ServerResponse[] = [];
    const url = await serve((_request, response) => void held.push(response), { connectionsMax: 3 });
    const many = [await client(url), await client(url), await client(url)];
    for (const { write } of many) write(get('/'));
    await expect.poll(() => held.length).toBe(3);
    expect(statusesIn(await (await client(url, '127.0.0.2')).readAll())).toEqual([503]);
    for (const response of held) response.end('fine');
    for (const { readUntil } of many) expect(statusesIn(await readUntil('fine'))).toEqual([200]);
  });

  it('D-458: of a few sites with requests in progress leave places to others', async () => {
    const held: ServerResponse[] = [];
    const url = await serve(
      (request, response) => void (request.url === '/' ? response.end('fine') : held.push(response)),
      { connectionsMax: 64 },
    );
    for (const [at, count] of [32, 16, 8].entries()) {
      const [site, taken] = [`127.0.0.${at + 2}`, held.length];
      for (let each = 0; each < count; each += 1) (await client(url, site)).write(get('/held'));
      await expect.poll(() => held.length).toBe(taken + count);
      expect(statusesIn(await (await client(url, site)).readAll())).toEqual([503]);
    }
    const other = await client(url);
    other.write(get('/'));
    expect(statusesIn(await other.readUntil('fine'))).toEqual([200]);
  });

  it('above the limit of one client get 429, and another client is served', async () => {
    const url = await serve(fine, { addressConnectionsMax: 1 });
    await client(url);
    const received = await (await client(url)).readAll();
    expect(statusesIn(received)).toEqual([429]);
    expect(received).toContain('"code":"rate_limited"');
    const other = await client(url, '127.0.0.2');
    other.write(get('/'));
    expect(statusesIn(await other.readUntil('fine'))).toEqual([200]);
  });

  it('from a trusted proxy do not count as one client', async () => {
    const url = await serve(fine, { addressConnectionsMax: 1, trustedProxies: 1 });
    await client(url);
    const { write, readUntil } = await client(url);
    write(get('/'));
    expect(statusesIn(await readUntil('fine'))).toEqual([200]);
  });

  it('that stay idle are closed, before a request and between two', async () => {
    const url = await serve(fine, { keepAliveTimeoutMs: 50, headersTimeoutMs: 200 });
    expect(statusesIn(await (await client(url)).readAll())).toEqual([400]);
    const { write, readAll } = await client(url);
    write(get('/'));
    expect(statusesIn(await readAll())).toEqual([200]);
  });
});
