import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as after, setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { statusesIn } from '../testing/raw-client.ts';
import { useListening } from '../testing/use-listening.ts';

const { serve, client } = useListening();

const get = (path: string, header = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${header}\r\n`;

describe('Waiting requests of many connections (D-132)', () => {
  it('start a few in each turn of the event loop, because Node accepts one connection a turn (D-403)', async () => {
    const connections = 64;
    const first: ServerResponse[] = [];
    const all = Promise.withResolvers<void>();
    const startedInTurn: number[] = [0];
    const url = await serve((request, response) => {
      if (request.url !== '/first') {
        startedInTurn.push((startedInTurn.pop() ?? 0) + 1);
        response.end('fine');
      } else if (first.push(response) === connections) all.resolve();
    });
    let isOver = false;
    const countTurns = async () => {
      for (; !isOver; startedInTurn.push(0)) await nextTurn();
    };
    const senders = await Promise.all(Array.from({ length: connections }, () => client(url)));
    for (const { write } of senders) write(get('/first') + get('/behind').repeat(3) + get('/last'));
    await all.promise;
    const counting = countTurns();
    for (const response of first) response.end('fine');
    const received = await Promise.all(senders.map(({ readUntil }) => readUntil('fine')));
    await expect.poll(() => startedInTurn.reduce((sum, started) => sum + started, 0)).toBe(4 * connections);
    isOver = true;
    await counting;
    expect(received).toHaveLength(connections);
    // 16 of a turn, and a turn that is counted with the next.
    expect(Math.max(...startedInTurn)).toBeLessThanOrEqual(32);
  });
});

it('Requests of 600 connections that are ready at once start at most 128 in a turn, and all get a response (D-429)', async () => {
  const connections = 600;
  const startedInTurn: number[] = [0];
  const url = await serve(
    (request, response) => {
      startedInTurn.push((startedInTurn.pop() ?? 0) + 1);
      response.end(request.url === '/two' ? 'both' : 'fine');
    },
    { addressConnectionsMax: null },
  );
  const senders = await Promise.all(Array.from({ length: connections }, () => client(url)));
  // The gateway has accepted all connections after that.
  await Promise.all(
    senders.map(({ write, readUntil }) => {
      write(get('/zero'));
      return readUntil('fine');
    }),
  );
  startedInTurn.splice(0, Infinity, 0);
  let isOver = false;
  const countTurns = async () => {
    for (; !isOver; startedInTurn.push(0)) await nextTurn();
  };
  const counting = countTurns();
  for (const { write } of senders) write(get('/one') + get('/two'));
  // The system gets all requests before the event loop goes on.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  const received = await Promise.all(senders.map(({ readUntil }) => readUntil('both')));
  isOver = true;
  await counting;
  expect(received.every((text) => statusesIn(text).join() === '200,200,200')).toBe(true);
  // 128 at once, the waiting ones of a turn, and a turn that is counted with the next.
  expect(Math.max(...startedInTurn)).toBeLessThanOrEqual(160);
});

it('Requests of a site start behind those of the site that wait, so turns stay short (D-433)', async () => {
  const [connections, rounds] = [400, 3];
  const startedInTurn: number[] = [0];
  const url = await serve(
    ({ url: path }, response) => {
      startedInTurn.push((startedInTurn.pop() ?? 0) + 1);
      // While requests take time, the clients of earlier ones have sent their next ones.
      for (const beganMs = performance.now(); performance.now() - beganMs < 0.5; );
      response.end(`end of ${path}.`);
    },
    { addressConnectionsMax: null },
  );
  const senders = await Promise.all(Array.from({ length: connections }, () => client(url)));
  // The gateway has accepted all connections after that.
  await Promise.all(
    senders.map(({ write, readUntil }) => {
      write(get('/first'));
      return readUntil('end of /first.');
    }),
  );
  startedInTurn.splice(0, Infinity, 0);
  let isOver = false;
  const countTurns = async () => {
    for (; !isOver; startedInTurn.push(0)) await nextTurn();
  };
  const counting = countTurns();
  const all = senders.map(async ({ write, readUntil }) => {
    for (let round = 0; round < rounds; round += 1) {
      write(get(`/${round}`));
      await readUntil(`end of /${round}.`);
    }
  });
  // The system gets the first requests before the event loop goes on.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  await Promise.all(all);
  isOver = true;
  await counting;
  expect(startedInTurn.reduce((sum, started) => sum + started, 0)).toBe(connections * rounds);
  // The first burst may start at once. Later, a turn has 16, and a turn that is counted with the next.
  // 128 may start at once. While others of the site wait, a turn has at most 16, and one that is counted with the next.
  const inLongTurns = startedInTurn
    .filter((started) => started > 32)
    .reduce((sum, started) => sum + started, 0);
  expect(inLongTurns).toBeLessThanOrEqual(160);
});

describe('The bytes of a connection (D-132)', () => {
  const chunked = 'POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
  const letters = Array.from({ length: 60_000 }, (_, at) => String(at % 10)).join('');

  it('reach the parser a few KiB a turn and in order, in any number of chunks', async () => {
    const connections = 8;
    const chunksInTurn: number[] = [0];
    const bodies: string[] = [];
    const url = await serve((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => {
        chunksInTurn.push((chunksInTurn.pop() ?? 0) + 1);
        body += chunk;
      });
      request.on('end', () => {
        bodies.push(body);
        response.end('fine');
      });
    });
    let isOver = false;
    const countTurns = async () => {
      for (; !isOver; chunksInTurn.push(0)) await nextTurn();
    };
    const senders = await Promise.all(Array.from({ length: connections }, () => client(url)));
    const chunks = [...letters].map((letter) => `1\r\n${letter}\r\n`).join('');
    const counting = countTurns();
    for (const { write } of senders) write(`${chunked}${chunks}0\r\n\r\n`);
    await Promise.all(senders.map(({ readUntil }) => readUntil('fine')));
    isOver = true;
    await counting;
    expect(bodies).toEqual(Array(connections).fill(letters));
    // 8 slices of 1 KiB, the first slice of each connection, and a turn that is counted with the next.
    expect(Math.max(...chunksInTurn)).toBeLessThan(6_000);
  });

  it('are read to the end when the client has ended its side', async () => {
    const url = await serve((request, response) => {
      let bytes = 0;
      request.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      request.on('end', () => response.end(`read ${bytes}`));
    });
    const { socket, readUntil } = await client(url);
    socket.end(`${chunked}ea60\r\n${letters}\r\n0\r\n\r\n`);
    expect(await readUntil('read 60000')).toContain('read 60000');
  });
});

describe('A waiting request (D-132)', () => {
  it('does not time out while the gateway is not reading the connection', async () => {
    const slow: RequestListener = async (request, response) => {
      if (request.url === '/slow') await after(800);
      response.end('fine');
    };
    const { write, readUntil } = await client(await serve(slow, { headersTimeoutMs: 100 }));
    const header = `X-Filler: ${'x'.repeat(500)}\r\n`;
    write(get('/slow') + get('/behind', header).repeat(40) + get('/last', 'Connection: close\r\n'));
    const received = await readUntil('never');
    expect(statusesIn(received)).toEqual(Array(42).fill(200));
  });

  it('times out when its headers are still incomplete after that', async () => {
    const slow: RequestListener = async (_request, response) => {
      await after(800);
      response.end('fine');
    };
    const { write, readAll } = await client(await serve(slow, { headersTimeoutMs: 100 }));
    write(`${get('/slow')}GET /incomplete HTTP/1.1\r\nX: `);
    const trickle = setInterval(write, 20, 'x');
    const received = await readAll();
    clearInterval(trickle);
    expect(statusesIn(received)).toEqual([200, 400]);
  });

  it('stops the reading when the waiting requests reach the limit of bytes', async () => {
    const sockets = new Set<Socket>();
    const see = (message: unknown) => void sockets.add((message as { socket: Socket }).socket);
    const channel = 'http.server.request.start';
    subscribe(channel, see);
    const held: ServerResponse[] = [];
    const under = Promise.withResolvers<void>();
    const url = await serve((request, response) => {
      if (request.url === '/hangs') under.resolve(void held.push(response));
      else request.resume().on('end', () => response.end('fine'));
    });
    const { write, readUntil } = await client(url);
    const body = 'x'.repeat(60_000);
    const post = (more = '') =>
      `POST / HTTP/1.1\r\nHost: x\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;
    const chunked = `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${`ea60\r\n${body}\r\n`}0\r\n\r\n`;
    write(get('/hangs') + post().repeat(10) + chunked.repeat(4) + post('Connection: close\r\n'));
    await under.promise;
    const other = await client(url);
    other.write('no HTTP\r\n\r\n');
    await other.readAll();
    unsubscribe(channel, see);
    const [socket] = sockets;
    // The limit of 64 KiB, and the bytes of one read.
    expect(socket?.bytesRead).toBeLessThan(4 * 65_536);
    held[0]?.end('fine');
    expect(statusesIn(await readUntil('never'))).toEqual(Array(16).fill(200));
  });
});
