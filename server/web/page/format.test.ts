import { describe, expect, it } from 'vitest';
import { formatAmount, formatTime, pricePerThousand, shorten } from './format.ts';

describe('An amount', () => {
  it.each([
    [0n, 6, '0'],
    [1n, 6, '0.000001'],
    [1_000n, 6, '0.001'],
    [1_500_000n, 6, '1.5'],
    [20_000_000n, 6, '20'],
    [7n, 0, '7'],
    [10n ** 18n, 18, '1'],
  ])('of %s units with %s decimals is %s tokens', (units, decimals, text) => {
    expect(formatAmount(units, decimals)).toBe(text);
  });

  it('stays in units while the decimals of the token are unknown', () => {
    expect(formatAmount(1_000n, null)).toBe('1000 units');
  });
});

it.each([
  ['1000000', 6, '0.001'],
  ['250000', 6, '0.00025'],
  ['1', 6, '0.000000001'],
  ['1000000', null, '1000 units'],
  ['1', null, '0.001 units'],
])('%s units for a million tokens are %s for a thousand', (perMillion, decimals, text) => {
  expect(pricePerThousand(perMillion, decimals)).toBe(text);
});

it('a time is in UTC', () => {
  expect(formatTime(1_767_225_600)).toBe('2026-01-01 00:00:00 UTC');
  expect(formatTime(1e20)).toBe('100000000000000000000 seconds after 1970');
});

it('a long hash keeps its ends, and a short text stays', () => {
  expect(shorten(`0x${'12'.repeat(30)}abcd`)).toBe('0x12121212…1212abcd');
  expect(shorten('0x1234')).toBe('0x1234');
});
