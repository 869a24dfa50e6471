import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { readUsedHeapBytes } from '../testing/collect-garbage.ts';
import { clientAddress } from './client-address.ts';

const peer = '10.0.0.1';

function requestFrom(forwardedFor?: string): IncomingMessage {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: peer });
  const request = new IncomingMessage(socket);
  if (forwardedFor !== undefined) request.headers['x-forwarded-for'] = forwardedFor;
  return request;
}

it('keeps no header in memory for an address, which is the key of a limit', () => {
  const before = readUsedHeapBytes();
  const kept = Array.from({ length: 4_000 }, (_, at) => {
    const own = `203.0.${100 + (at >> 8)}.${100 + (at & 127)}`;
    return clientAddress(requestFrom(`${'x'.repeat(10_000)}${at}, ${own}`), 1);
  });
  // 4,000 headers have 40 MB.
  expect(readUsedHeapBytes() - before).toBeLessThan(20_000_000);
  expect(kept[0]).toBe('203.0.100.100');
});

it('D-62: ignores the header without a trusted proxy, because any client can write it', () => {
  for (const header of [undefined, '203.0.113.7', '203.0.113.7, 198.51.100.9']) {
    expect(clientAddress(requestFrom(header), 0)).toBe(peer);
  }
});

it.each([
  ['one proxy', 1, '203.0.113.7', '203.0.113.7'],
  ['one proxy, and a client that forged a header', 1, '1.1.1.1, 203.0.113.7', '203.0.113.7'],
  ['two proxies, and a client that forged a header', 2, '1.1.1.1,203.0.113.7, 10.0.0.2', '203.0.113.7'],
  ['two proxies, when the client bypassed one of them', 2, '203.0.113.7', '203.0.113.7'],
  ['a proxy that appends the port', 1, '203.0.113.7:49152', '203.0.113.7'],
  ['IPv6', 1, '2001:db8::7', '2001:db8::7'],
  ['IPv6 with a port', 1, '[2001:db8::7]:49152', '2001:db8::7'],
])('behind %s the client is the caller of the outermost trusted proxy', (_name, proxies, header, client) => {
  expect(clientAddress(requestFrom(header), proxies)).toBe(client);
});

it.each([undefined, '', 'unknown', '203.0.113.7, ', 'a'.repeat(5_000), '999.1.1.1'])(
  'behind a proxy that gives no address (%j) the client is the proxy, so every request counts',
  (header) => {
    expect(clientAddress(requestFrom(header), 1)).toBe(peer);
  },
);
