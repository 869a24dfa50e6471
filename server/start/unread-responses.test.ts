import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { send } from '../http/send.ts';
import { type RawClient, statusesIn } from '../testing/raw-client.ts';
import { useListening } from '../testing/use-listening.ts';

const { serve, client } = useListening();

/** A gateway for three connections. It keeps the responses in `responses`, by their paths. */
async function serveThree(sendLarge: (response: ServerResponse) => void) {
  const responses = new Map<string, ServerResponse>();
  const url = await serve(
    ({ url: path = '' }, response) => {
      responses.set(path, response);
      if (path === '/large') sendLarge(response);
      else if (path !== '/held') response.end('fine');
    },
    { connectionsMax: 3 },
  );
  return { responses, connect: (from: string) => client(url, from) };
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const streamLimits = { streamHeartbeatMs: 10_000, responseTimeoutMs: 30_000 };
/** More than the buffers of the system take. */
const large = Buffer.alloc(16 * 1_048_576, 'x');

it.each<[string, (response: ServerResponse) => void]>([
  ['response', (response) => response.end(large)],
  ['stream', (response) => response.write(large)],
])(
  'D-400: a full gateway gives the place of an idle connection, then of an unread %s',
  async (_name, send) => {
    const { responses, connect } = await serveThree(send);
    const unread = await connect('127.0.0.1');
    const idle = await connect('127.0.0.1');
    const held = await connect('127.0.0.1');
    unread.write(get('/large'));
    held.write(get('/held'));
    await expect.poll(() => responses.size).toBe(2);

    await expectServed(await connect('127.0.0.2'));
    await once(idle.socket.resume(), 'close');
    expect(responses.get('/large')?.closed).toBe(false);

    await expectServed(await connect('127.0.0.3'));
    expect(responses.get('/large')?.closed).toBe(true);

    // The request in progress stays.
    expect(statusesIn(await (await connect('127.0.0.4')).readAll())).toEqual([503]);
    responses.get('/held')?.end('fine');
    expect(statusesIn(await held.readUntil('fine'))).toEqual([200]);
  },
);

async function expectServed({ write, readUntil }: RawClient): Promise<void> {
  write(get('/'));
  expect(statusesIn(await readUntil('fine'))).toEqual([200]);
}

it.each<[string, (response: ServerResponse) => unknown]>([
  ['connections', (response) => response.end(large)],
  [
    'streams that are whole',
    (response) =>
      send(response, { status: 200, headers: {}, body: null, events: `${large}` }, {}, streamLimits),
  ],
])(
  'ends unread %s of the site with the most unread bytes, the oldest first, above `unsentBytesMax` (D-405)',
  async (_name, sendLarge) => {
    const responses = new Map<string, ServerResponse>();
    const url = await serve(
      ({ url: path = '' }, response) => {
        responses.set(path, response);
        if (path === '/') response.end('fine');
        else void sendLarge(response);
      },
      // Two of the responses are within the limit.
      { unsentBytesMax: 2 * large.length + 1_024 },
    );
    const request = async (from: string, path: string) => {
      const connected = await client(url, from);
      connected.write(get(path));
      await expect.poll(() => responses.get(path)?.writableEnded).toBe(true);
    };
    const open = () =>
      ['/one', '/two', '/other', '/three'].filter((path) => responses.get(path)?.closed === false);
    await request('127.0.0.1', '/one');
    await request('127.0.0.1', '/two');
    expect(open()).toEqual(['/one', '/two']);
    await request('127.0.0.2', '/other');
    await expect.poll(open).toEqual(['/two', '/other']);
    await expectServed(await client(url, '127.0.0.3'));
    // Both sites have one response now. The new one makes its own site the largest.
    await request('127.0.0.2', '/three');
    await expect.poll(open).toEqual(['/two', '/three']);
  },
);
