import type { RequestListener } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type Config, configSchema } from './config/schema.ts';
import { type Listening, listen } from './listen.ts';
import { createLog } from './observe/log.ts';
import { connectRaw, type RawClient, statusesIn } from './testing/raw-client.ts';

const opened: Listening[] = [];
const clients: RawClient[] = [];
afterEach(async () => {
  for (const { socket } of clients.splice(0)) socket.destroy();
  for (const listening of opened.splice(0))
    await listening.drain(async () => undefined, 0, createLog('silent'));
});

async function serve(listener: RequestListener, settings: Partial<Record<keyof Config, unknown>> = {}) {
  const listening = await listen(configSchema.parse({ port: 0, ...settings }));
  listening.attach(listener);
  opened.push(listening);
  return listening.url;
}

async function client(url: string): Promise<RawClient> {
  const connected = await connectRaw(url);
  clients.push(connected);
  return connected;
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const many = 1_700;

describe('A connection has one request under way (D-132)', () => {
  it('and what is sent behind it is answered in order, each once', async () => {
    let underWay = 0;
    let most = 0;
    const url = await serve(async (request, response) => {
      most = Math.max(most, ++underWay);
      await after(request.url?.endsWith('7') ? 2 : 0);
      response.on('close', () => underWay--).end(`<${request.url}>`);
    });
    const { write, readUntil } = await client(url);
    const paths = Array.from({ length: many }, (_, at) => `/${at}`);
    write(paths.map(get).join(''));
    const received = await readUntil((text) => text.includes(`</${many - 1}>`));
    expect([...received.matchAll(/<(.*?)>/g)].map(([, path]) => path)).toEqual(paths);
    expect(statusesIn(received)).toHaveLength(many);
    expect(most).toBe(1);
  });
});
