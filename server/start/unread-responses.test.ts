import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { configSchema } from '../config/schema.ts';
import { createLog } from '../observe/log.ts';
import { connectRaw, type RawClient, statusesIn } from '../testing/raw-client.ts';
import { type Listening, listen } from './listen.ts';

const opened: Listening[] = [];
const clients: RawClient[] = [];
afterEach(async () => {
  for (const { socket } of clients.splice(0)) socket.destroy();
  for (const listening of opened.splice(0))
    await listening.drain(async () => undefined, 0, createLog('silent'));
});

/** A gateway for three connections. It keeps the responses in `responses`, by their paths. */
async function serve(sendLarge: (response: ServerResponse) => void) {
  const responses = new Map<string, ServerResponse>();
  const respond: RequestListener = ({ url = '' }, response) => {
    responses.set(url, response);
    if (url === '/large') sendLarge(response);
    else if (url !== '/held') response.end('fine');
  };
  const listening = await listen(configSchema.parse({ port: 0, connectionsMax: 3 }));
  listening.attach(respond);
  opened.push(listening);
  return { responses, client: (from: string) => client(listening.url, from) };
}

async function client(url: string, from: string): Promise<RawClient> {
  const connected = await connectRaw(url, from);
  clients.push(connected);
  return connected;
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
/** More than the buffers of the system take. */
const large = Buffer.alloc(16 * 1_048_576, 'x');

it.each<[string, (response: ServerResponse) => void]>([
  ['response', (response) => response.end(large)],
  ['stream', (response) => response.write(large)],
])(
  'D-400: a full gateway gives the place of an idle connection, then of an unread %s',
  async (_name, send) => {
    const { responses, client } = await serve(send);
    const unread = await client('127.0.0.1');
    const idle = await client('127.0.0.1');
    const held = await client('127.0.0.1');
    unread.write(get('/large'));
    held.write(get('/held'));
    await expect.poll(() => responses.size).toBe(2);

    await expectServed(await client('127.0.0.2'));
    await once(idle.socket.resume(), 'close');
    expect(responses.get('/large')?.closed).toBe(false);

    await expectServed(await client('127.0.0.3'));
    expect(responses.get('/large')?.closed).toBe(true);

    // The request in progress stays.
    expect(statusesIn(await (await client('127.0.0.4')).readAll())).toEqual([503]);
    responses.get('/held')?.end('fine');
    expect(statusesIn(await held.readUntil('fine'))).toEqual([200]);
  },
);

async function expectServed({ write, readUntil }: RawClient): Promise<void> {
  write(get('/'));
  expect(statusesIn(await readUntil('fine'))).toEqual([200]);
}
