import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { expect, it, onTestFinished } from 'vitest';
import { connectRaw, type RawClient } from '../testing/raw-client.ts';
import { openAdminServer } from './admin-server.ts';

/** More than the buffers of a connection hold. */
const page = { contentType: 'text/plain', text: 'metric 1\n'.repeat(1_000_000) };
const request = 'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n';
/** All connections that the server accepts. */
const connections = 64;

async function open(timeoutMs?: number): Promise<string> {
  const server = await openAdminServer({ host: '127.0.0.1', port: 0 }, async () => page, timeoutMs);
  onTestFinished(() => server.close());
  return server.url;
}

async function connect(url: string): Promise<RawClient> {
  const client = await connectRaw(url);
  onTestFinished(() => void client.socket.destroy());
  return client;
}

it('serves a monitor although other clients hold all connections and read no response (D-341)', async () => {
  const url = await open();
  const clients = await Promise.all(Array.from({ length: connections }, () => connect(url)));
  for (const { write } of clients) write(request);
  const monitor = async () => {
    try {
      return (await fetch(`${url}/metrics`)).status;
    } catch {
      return 'no response';
    }
  };
  await expect.poll(monitor).toBe(200);
});

it('parses few requests ahead of a client that does not read (D-341)', async () => {
  let parsed = 0;
  const count = () => {
    parsed++;
  };
  subscribe('http.server.request.start', count);
  onTestFinished(() => void unsubscribe('http.server.request.start', count));
  const url = await open(200);
  const client = await connect(url);
  client.write(request.repeat(2_000));
  expect((await fetch(`${url}/metrics`)).status).toBe(200);
  expect(parsed).toBeLessThan(100);
});
