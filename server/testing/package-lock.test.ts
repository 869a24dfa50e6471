import { expect, test } from 'vitest';
import { isInstalled } from './package-lock.ts';

const root = { version: '0.0.0' };
const hono = { version: '1.0.0', integrity: 'sha512-a' };
const wanted = { packages: { '': root, 'node_modules/hono': hono } };

test.each([
  ['the same packages', { 'node_modules/hono': hono }, true],
  ['an older version', { 'node_modules/hono': { ...hono, version: '0.9.0' } }, false],
  ['other bytes', { 'node_modules/hono': { ...hono, integrity: 'sha512-b' } }, false],
  ['a missing package', {}, false],
])('%s', (_, packages, expected) => {
  expect(isInstalled(wanted, { packages })).toBe(expected);
});

test('a package for another platform may be missing', () => {
  const packages = { ...wanted.packages, 'node_modules/native': { ...hono, optional: true } };
  expect(isInstalled({ packages }, wanted)).toBe(true);
});
