import { describe, expect, it } from 'vitest';
import { responseLength } from './response-length.ts';

const head = 'HTTP/1.1 200 OK\r\nX: 1\r\n';
const next = 'HTTP/1.1 402';

describe.each([
  ['a length', `${head}Content-Length: 5\r\n\r\nhello`],
  ['chunks', `${head}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n10\r\n0123456789abcdef\r\n0\r\n\r\n`],
])('a response with %s', (_, response) => {
  it('ends where the next response begins', () => {
    expect(responseLength(Buffer.from(response + next))).toBe(response.length);
  });

  it('is not complete while bytes are missing', () => {
    for (let cut = 0; cut < response.length; cut++) {
      const length = responseLength(Buffer.from(response.slice(0, cut)));
      expect(length === null || length > cut, `after ${cut} bytes`).toBe(true);
    }
  });
});

it('a response without length and chunks is an error', () => {
  expect(() => responseLength(Buffer.from(`${head}\r\nhello`))).toThrow(/neither a length nor chunks/);
});
