import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type FakeServer, fakePort, fakeSocket } from '../../testing/attestation/fake-server.ts';
import { callLocal, type LocalServer, responseBytesMax } from './local-http.ts';

const opened: Array<Pick<FakeServer, 'close'>> = [];
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close();
});

function open<T extends Pick<FakeServer, 'close'>>(server: T): T {
  opened.push(server);
  return server;
}

function ask(server: LocalServer, timeoutMs = 5_000) {
  return callLocal({
    server,
    method: 'POST',
    path: '/ask?a=1',
    body: { b: 2 },
    deadline: AbortSignal.timeout(timeoutMs),
  });
}

describe('A helper on this machine', () => {
  it('is called through a Unix socket, with JSON when the body is an object', async () => {
    const server = open(await fakeSocket(() => ({ text: 'response' })));
    expect(await ask({ socket: server.socket })).toEqual({
      ok: true,
      value: { status: 200, text: 'response' },
    });
    expect(server.calls).toMatchObject([
      { method: 'POST', url: '/ask?a=1', contentType: 'application/json', body: '{"b":2}' },
    ]);
  });

  it('is called on a port, below the path of its URL', async () => {
    const server = open(await fakePort(() => ({ status: 404, text: 'no' })));
    expect(await ask({ url: `${server.url}/below/` })).toEqual({
      ok: true,
      value: { status: 404, text: 'no' },
    });
    expect(server.calls[0]?.url).toBe('/below/ask?a=1');
  });

  it('is called over TLS with a self-signed certificate, as a sidecar has', async () => {
    const server = open(await fakePort(() => ({ text: 'response' }), 'https'));
    expect(await ask({ url: server.url })).toEqual({ ok: true, value: { status: 200, text: 'response' } });
  });

  it('is called without keep-alive', async () => {
    const server = open(await fakePort(() => ({ text: '' })));
    await ask({ url: server.url });
    expect(server.calls[0]?.connection).toBe('close');
  });
});

describe('A failed call is one sentence', () => {
  it('with isAbsent when nothing listens', async () => {
    const server = await fakeSocket(() => null);
    await server.close();
    const message = `nothing listens at ${server.socket} (ENOENT)`;
    expect(await ask({ socket: server.socket })).toEqual({ ok: false, fault: { isAbsent: true, message } });
    const port = await fakePort(() => null);
    await port.close();
    expect(await ask({ url: port.url })).toMatchObject({ ok: false, fault: { isAbsent: true } });
  });

  it('when no response arrives in time', async () => {
    const server = open(await fakeSocket(() => null));
    const message = `no response from ${server.socket} in time`;
    expect(await ask({ socket: server.socket }, 30)).toEqual({
      ok: false,
      fault: { isAbsent: false, message },
    });
  });

  it('when the response stops half-way', async () => {
    const socket = open(await rawServer('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc', false)).socket;
    const message = `no response from ${socket} in time`;
    expect(await ask({ socket }, 30)).toEqual({ ok: false, fault: { isAbsent: false, message } });
  });

  it('when the connection closes half-way through the response', async () => {
    const socket = open(await rawServer('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc', true)).socket;
    const message = `no response from ${socket} (UND_ERR_SOCKET)`;
    expect(await ask({ socket })).toEqual({ ok: false, fault: { isAbsent: false, message } });
  });

  it('when the response is not HTTP', async () => {
    const socket = open(await rawServer('hello\r\n\r\n', true)).socket;
    const message = `no response from ${socket} (HTTPParserError)`;
    expect(await ask({ socket })).toEqual({ ok: false, fault: { isAbsent: false, message } });
  });

  it('when the response is larger than the limit, but not at the limit', async () => {
    const fine = open(await fakeSocket(() => ({ text: 'x'.repeat(responseBytesMax) })));
    expect(await ask({ socket: fine.socket })).toMatchObject({ ok: true });
    const large = open(await fakeSocket(() => ({ text: 'x'.repeat(responseBytesMax + 1) })));
    const message = `the response of ${large.socket} is larger than ${responseBytesMax} bytes`;
    expect(await ask({ socket: large.socket })).toEqual({ ok: false, fault: { isAbsent: false, message } });
  });
});

/** A server that sends the same bytes to every client. */
async function rawServer(
  said: string,
  hangsUp: boolean,
): Promise<{ socket: string; close(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'paid-inference-raw-'));
  const socket = join(folder, 'raw.sock');
  const server: Server = createServer((connection) => {
    connection.on('error', () => undefined);
    connection.once('data', () => {
      connection.write(said);
      if (hangsUp) connection.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return {
    socket,
    async close() {
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true });
    },
  };
}
