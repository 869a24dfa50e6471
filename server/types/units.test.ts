import { expect, test } from 'vitest';
import {
  atomicAmount,
  parseAddress,
  parseAtomicAmount,
  parseBytes32,
  parseHex,
  unixSeconds,
} from './units.ts';

const uint256Max = (1n << 256n) - 1n;

test('An amount is a decimal string up to uint256', () => {
  for (const amount of [0n, 1n, 100_000n, uint256Max]) {
    expect(parseAtomicAmount(amount.toString())).toBe(amount);
    expect(atomicAmount(amount)).toBe(amount);
  }
});

test.each([
  '',
  '01',
  '-1',
  '+1',
  '1.0',
  '1e3',
  '0x10',
  ' 1',
  '1 ',
  '1\n',
  '1_000',
  '１',
  'NaN',
  '9'.repeat(78),
])('An amount is not %j', (text) => {
  expect(parseAtomicAmount(text)).toBeNull();
});

test('Throws for a computed amount outside uint256', () => {
  expect(parseAtomicAmount((uint256Max + 1n).toString())).toBeNull();
  expect(() => atomicAmount(uint256Max + 1n)).toThrow();
  expect(() => atomicAmount(-1n)).toThrow();
});

test('An address is 20 bytes in any letter case', () => {
  const mixed = `0x${'aBcDeF0123'.repeat(4)}`;
  expect(parseAddress(mixed)).toBe(mixed.toLowerCase());
  for (const other of ['', '0x', mixed.slice(2), mixed.slice(0, -1), `${mixed}0`, `0X${mixed.slice(2)}`]) {
    expect(parseAddress(other), other).toBeNull();
  }
  expect(parseAddress(`${mixed.slice(0, -1)}g`)).toBeNull();
  expect(parseAddress(`${mixed}\n`)).toBeNull();
});

test('A hash or nonce is 32 bytes in any letter case', () => {
  const mixed = `0x${'Ab'.repeat(32)}`;
  expect(parseBytes32(mixed)).toBe(mixed.toLowerCase());
  expect(parseBytes32(mixed.slice(0, -2))).toBeNull();
  expect(parseBytes32(`${mixed}00`)).toBeNull();
});

test('Hex is 0x and whole bytes, or no bytes', () => {
  expect(parseHex('0x')).toBe('0x');
  expect(parseHex('0xFF00')).toBe('0xff00');
  for (const other of ['', 'ff', '0xf', '0xzz', '0xff ']) expect(parseHex(other), other).toBeNull();
});

test('Unix seconds are whole and not negative', () => {
  expect(unixSeconds(0)).toBe(0);
  for (const other of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
    expect(() => unixSeconds(other), String(other)).toThrow();
  }
});
