import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { clientAddress } from './client-address.ts';

const peer = '10.0.0.1';

function requestFrom(forwardedFor?: string): IncomingMessage {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: peer });
  const request = new IncomingMessage(socket);
  if (forwardedFor !== undefined) request.headers['x-forwarded-for'] = forwardedFor;
  return request;
}

it('D-62: without a proxy in front the header is anybody’s to write, and ignored', () => {
  for (const header of [undefined, '203.0.113.7', '203.0.113.7, 198.51.100.9']) {
    expect(clientAddress(requestFrom(header), 0)).toBe(peer);
  }
});

it.each([
  ['one proxy', 1, '203.0.113.7', '203.0.113.7'],
  ['one proxy, and a client that wrote a header of its own', 1, '1.1.1.1, 203.0.113.7', '203.0.113.7'],
  ['two proxies, and the same client', 2, '1.1.1.1,203.0.113.7, 10.0.0.2', '203.0.113.7'],
  ['two proxies, of which one was passed by', 2, '203.0.113.7', '203.0.113.7'],
  ['a proxy that appends the port', 1, '203.0.113.7:49152', '203.0.113.7'],
  ['IPv6', 1, '2001:db8::7', '2001:db8::7'],
  ['IPv6 with a port', 1, '[2001:db8::7]:49152', '2001:db8::7'],
])('behind %s the client is whom the outermost of ours was called from', (_name, proxies, header, client) => {
  expect(clientAddress(requestFrom(header), proxies)).toBe(client);
});

it.each([undefined, '', 'unknown', '203.0.113.7, ', 'a'.repeat(5_000), '999.1.1.1'])(
  'behind a proxy that names no address (%j) it is the proxy: nobody goes uncounted',
  (header) => {
    expect(clientAddress(requestFrom(header), 1)).toBe(peer);
  },
);
