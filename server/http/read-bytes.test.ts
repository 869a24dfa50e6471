import { once } from 'node:events';
import { createServer, IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectRaw, type RawClient } from '../testing/raw-client.ts';
import type { Result } from '../types/result.ts';
import { type BytesFault, type BytesLimits, createBytesReader } from './read-bytes.ts';
import { waitingRequests } from './waiting-requests.ts';

const ample: BytesLimits = { bodyBytesMax: 100_000, bodyTimeoutMs: 60_000, arrivingBytesMax: 1_048_576 };
let server: Server;
const clients: RawClient[] = [];
/** The results of the bodies, by path. */
let outcomes: Map<string, Promise<Result<Buffer, BytesFault>>>;

beforeEach(() => {
  outcomes = new Map();
});
afterEach(() => {
  for (const { socket } of clients.splice(0)) socket.destroy();
  server.closeAllConnections();
  server.close();
});

async function serve(limits: BytesLimits): Promise<string> {
  const readBytes = createBytesReader(limits);
  server = createServer(async (request, response) => {
    const reading = readBytes(request, request.headers['x-network']?.toString() ?? '');
    outcomes.set(request.url ?? '', reading);
    await reading;
    response.end('read');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function send(url: string, path: string, length: number, part: string, site = ''): Promise<RawClient> {
  const client = await connectRaw(url);
  clients.push(client);
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nX-Network: ${site}\r\nContent-Length: ${length}`;
  client.write(`${head}\r\n\r\n${part}`);
  await expect.poll(() => outcomes.has(path)).toBe(true);
  return client;
}

it('A complete body waits for its turn until it is read (D-419)', async () => {
  const readBytes = createBytesReader(ample);
  const states: boolean[] = [];
  server = createServer(async (request, response) => {
    const reading = readBytes(request, '');
    states.push(waitingRequests.has(request));
    request.once('end', () => states.push(waitingRequests.has(request)));
    await reading;
    states.push(waitingRequests.has(request));
    response.end('read');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = await connectRaw(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  clients.push(client);
  client.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 20000\r\n\r\n${'x'.repeat(20_000)}`);
  await client.readUntil('read');
  expect(states).toEqual([false, true, false]);
});

describe('Arriving bodies (D-132)', () => {
  it('take one buffer and are read whole when each byte has a chunk of its own', async () => {
    const url = await serve(ample);
    const client = await connectRaw(url);
    clients.push(client);
    const text = Array.from({ length: 20_000 }, (_, at) => String(at % 10)).join('');
    const chunks = [...text].map((letter) => `1\r\n${letter}\r\n`).join('');
    client.write(`POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`);
    await client.readUntil('read');
    const outcome = await outcomes.get('/x');
    if (!outcome?.ok) throw new Error('the body was not read');
    expect(outcome.value.toString()).toBe(text);
    expect(outcome.value.buffer.byteLength).toBeLessThan(2 * text.length);
  });

  it('are read at once when they are small and came with their heads', async () => {
    const readBytes = createBytesReader({ ...ample, bodyBytesMax: 8 });
    const listeners: number[] = [];
    server = createServer(async (request, response) => {
      await nextTurn();
      const reading = readBytes(request, '');
      listeners.push(request.listenerCount('data'));
      const read = await reading;
      response.end(read.ok ? `read ${read.value}.` : `refused as ${read.fault.kind}`);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = await connectRaw(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    clients.push(client);
    const head = 'POST / HTTP/1.1\r\nHost: x\r\n';
    for (const [body, result] of [
      ['Content-Length: 8\r\n\r\n12345678', 'read 12345678.'],
      ['Transfer-Encoding: chunked\r\n\r\n2\r\n12\r\n2\r\n34\r\n0\r\n\r\n', 'read 1234.'],
      ['Content-Length: 0\r\n\r\n', 'read .'],
      ['Transfer-Encoding: chunked\r\n\r\n9\r\n123456789\r\n0\r\n\r\n', 'refused as too-large'],
    ] as const) {
      client.write(head + body);
      expect(await client.readUntil(result)).toContain(result);
    }
    expect(listeners).toEqual([0, 0, 0, 1]);
  });

  it('share one limit: beyond it the oldest is given up, and the others are read', async () => {
    const url = await serve({ ...ample, arrivingBytesMax: 25_000 });
    await send(url, '/oldest', 20_000, 'x'.repeat(10_000));
    const second = await send(url, '/second', 20_000, 'x'.repeat(10_000));
    const third = await send(url, '/third', 10_000, 'x'.repeat(10_000));
    expect(await outcomes.get('/oldest')).toEqual({ ok: false, fault: { kind: 'crowded-out' } });
    expect(await third.readUntil('read')).toContain('read');
    second.write('x'.repeat(10_000));
    expect(await second.readUntil('read')).toContain('read');
    expect(await outcomes.get('/second')).toMatchObject({ ok: true });
  });

  it('that are given up while they wait for their turn free it, with their bytes', async () => {
    const readBytes = createBytesReader({ ...ample, arrivingBytesMax: 45_000 });
    const readings: ReturnType<typeof readBytes>[] = [];
    for (let count = 0; count < 50; count++) {
      const request = Object.assign(new IncomingMessage(new Socket()), { complete: true });
      request.push(Buffer.alloc(20_000, 'x'));
      request.push(null);
      readings.push(readBytes(request, ''));
      // Each body ends before the next one comes, within one turn of the event loop.
      for (let tick = 0; tick < 10; tick++) await new Promise((next) => process.nextTick(next));
    }
    let turns = 0;
    let isOver = false;
    const all = Promise.all(readings).finally(() => {
      isOver = true;
    });
    for (; !isOver; turns++) await nextTurn();
    const results = (await all).map((read) => (read.ok ? 'read' : read.fault.kind));
    expect(results.sort()).toEqual([...Array(48).fill('crowded-out'), 'read', 'read']);
    // Eight turns stay free between the two bodies.
    expect(turns).toBeLessThan(20);
  });

  it('beyond the limit lose the oldest of the site with the most bytes, and no older body of another site', async () => {
    const url = await serve({ ...ample, arrivingBytesMax: 25_000 });
    const honest = await send(url, '/honest', 9_000, 'x'.repeat(8_999), 'one');
    await send(url, '/first', 20_000, 'x'.repeat(7_000), 'other');
    const second = await send(url, '/second', 10_000, 'x'.repeat(10_000), 'other');
    expect(await outcomes.get('/first')).toEqual({ ok: false, fault: { kind: 'crowded-out' } });
    expect(await second.readUntil('read')).toContain('read');
    honest.write('x');
    expect(await honest.readUntil('read')).toContain('read');
    expect(await outcomes.get('/honest')).toMatchObject({ ok: true });
  });

  it('count with their buffers, which have up to twice the bytes that arrived', async () => {
    const url = await serve({ ...ample, arrivingBytesMax: 25_000 });
    const first = await send(url, '/first', 20_000, 'x'.repeat(9_000));
    first.write('x');
    const second = await send(url, '/second', 9_000, 'x'.repeat(9_000));
    expect(await outcomes.get('/first')).toEqual({ ok: false, fault: { kind: 'crowded-out' } });
    expect(await second.readUntil('read')).toContain('read');
  });

  it.each([20_000, 5_000])(
    'are handed out one in a turn of the event loop when 12 of %i bytes end together (D-173)',
    async (size) => {
      const url = await serve({ ...ample, arrivingBytesMax: 1_048_576 });
      const clients = await Promise.all(
        Array.from({ length: 12 }, (_, at) => send(url, `/${at}`, size, 'x'.repeat(size - 1))),
      );
      let isOver = false;
      let handedOut = 0;
      let mostInTurn = 0;
      for (const reading of outcomes.values()) void reading.then(() => handedOut++);
      const countTurns = async () => {
        for (let before = 0; !isOver; before = handedOut) {
          await nextTurn();
          mostInTurn = Math.max(mostInTurn, handedOut - before);
        }
      };
      const counting = countTurns();
      for (const { socket } of clients) socket.write('x');
      await Promise.all(outcomes.values());
      isOver = true;
      await counting;
      expect([handedOut, mostInTurn]).toEqual([12, 1]);
    },
  );

  it('do not count after they were read or given up', async () => {
    const url = await serve({ ...ample, arrivingBytesMax: 15_000 });
    for (const path of ['/1', '/2', '/3']) {
      const { readUntil } = await send(url, path, 10_000, 'x'.repeat(10_000));
      await readUntil('read');
      expect(await outcomes.get(path)).toMatchObject({ ok: true });
    }
    const left = await send(url, '/left', 14_000, 'x'.repeat(10_000));
    left.socket.destroy();
    expect(await outcomes.get('/left')).toEqual({ ok: false, fault: { kind: 'client-left' } });
    const { readUntil } = await send(url, '/4', 10_000, 'x'.repeat(10_000));
    expect(await readUntil('read')).toContain('read');
  });
});
