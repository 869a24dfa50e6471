import { expect, it } from 'vitest';
import { isLoopback, sameOrigin, sameUrl } from './origin.ts';

it('takes the names of the loopback interface for one host', () => {
  expect(sameOrigin('http://localhost:8402/a', 'http://127.0.0.1:8402/b')).toBe(true);
  expect(isLoopback('http://[::1]:8402')).toBe(true);
  expect(isLoopback('https://gateway.example')).toBe(false);
});

it.each([
  ['another host', 'https://other.example/v1/x'],
  ['another port', 'https://gateway.example:8443/v1/x'],
  ['another scheme', 'http://gateway.example/v1/x'],
  ['another path', 'https://gateway.example/v1/y'],
  ['a path alone', '/v1/x'],
])('tells %s apart', (_, other) => {
  expect(sameUrl('https://gateway.example/v1/x', other)).toBe(false);
});

it('takes a default port for what it is', () => {
  expect(sameUrl('https://gateway.example/v1/x', 'https://GATEWAY.example:443/v1/x')).toBe(true);
});
