import { expect, it } from 'vitest';
import { isLoopback, sameOrigin, sameUrl } from './origin.ts';

it('treats the names of the loopback interface as one host', () => {
  expect(sameOrigin('http://localhost:8402/a', 'http://127.0.0.1:8402/b')).toBe(true);
  expect(isLoopback('http://[::1]:8402')).toBe(true);
  expect(isLoopback('https://gateway.example')).toBe(false);
});

it.each([
  ['another host', 'https://other.example/v1/x'],
  ['another port', 'https://gateway.example:8443/v1/x'],
  ['another scheme', 'http://gateway.example/v1/x'],
  ['another path', 'https://gateway.example/v1/y'],
  ['a relative path', '/v1/x'],
])('distinguishes %s', (_, other) => {
  expect(sameUrl('https://gateway.example/v1/x', other)).toBe(false);
});

it('treats a default port like no port', () => {
  expect(sameUrl('https://gateway.example/v1/x', 'https://GATEWAY.example:443/v1/x')).toBe(true);
});
