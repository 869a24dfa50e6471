import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { respondToBrokenRequest } from './broken-request.ts';

let server: Server;
let port: number;

beforeAll(async () => {
  server = createServer({ maxHeaderSize: 2_048, headersTimeout: 1_000, connectionsCheckingInterval: 50 });
  server.on('request', (_request, response) => response.end('fine'));
  server.on('clientError', respondToBrokenRequest);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Sends raw bytes and reads until the server closes the connection. */
async function responseTo(bytes: string): Promise<{ status: number; headers: string; body: string }> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  let text = '';
  socket.on('data', (part: string) => {
    text += part;
  });
  socket.write(bytes);
  await once(socket, 'close');
  const [headers = '', body = ''] = text.split('\r\n\r\n');
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(headers)?.[1]), headers, body };
}

test.each([
  ['bytes that are not HTTP', 'hello there\r\n\r\n', 400, 'invalid_request'],
  [
    'a content length that is no number',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n',
    400,
    'invalid_request',
  ],
  [
    'headers that are too long',
    `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(4_000)}\r\n\r\n`,
    413,
    'request_too_large',
  ],
  ['headers that never end', 'GET / HTTP/1.1\r\nHost: x\r\n', 400, 'invalid_request'],
])('§7: %s get the error envelope, and the connection ends', async (_name, bytes, status, code) => {
  const response = await responseTo(bytes);
  expect(response.status).toBe(status);
  expect(JSON.parse(response.body)).toMatchObject({
    error: { code, type: 'invalid_request_error', param: null },
  });
  expect(response.headers).toContain('Connection: close');
  expect(response.headers).toContain(`Content-Length: ${Buffer.byteLength(response.body)}`);
  expect(response.headers).toContain('Content-Type: application/json');
});

test('A client that resets its connection does not affect other clients', async () => {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
  socket.resetAndDestroy();
  const response = await responseTo('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  expect(response).toMatchObject({ status: 200, body: expect.stringContaining('fine') });
});
