import { expect, test } from 'vitest';
import { interleave } from './measure/rounds.ts';
import { median, percentile, spread } from './measure/statistics.ts';
import { isMet, renderMarkdown } from './render.ts';
import type { Ratio, Report } from './section.ts';

const ratio: Ratio = {
  name: 'gateway / Koa',
  value: spread([0.6, 0.8, 0.7]),
  goal: { sign: '>=', value: 0.7 },
};
const report: Report = {
  id: 'a',
  title: 'Unpaid <requests>',
  method: 'One sentence.',
  rows: [
    { name: 'gateway', cells: { 'responses/s': spread([1_000, 3_000, 2_000]) } },
    { name: 'bare Koa', cells: { 'responses/s': spread([4_000, 4_000.1]), 'p50 ms': spread([0.123456]) } },
  ],
  ratios: [ratio],
  chart: { bars: 'responses/s' },
};

test('a percentile lies between the two nearest figures, in any order', () => {
  expect([median([3, 1, 2]), median([4, 1, 3, 2]), percentile([1, 2, 3, 4, 5], 0.99)]).toEqual([
    2, 2.5, 4.96,
  ]);
  expect(median([])).toBeNaN();
});

test('the table has the median and the range of each figure, and each comparison beside its goal', () => {
  const text = renderMarkdown([report]);
  expect(text).toContain('| | responses/s | p50 ms |');
  expect(text).toContain('| gateway | 2000 (1000–3000) |  |');
  expect(text).toContain('| bare Koa | 4000 | 0.123 |');
  expect(text).toContain('| gateway / Koa | 0.7 | 0.6 to 0.8 | ≥ 0.7 | yes |');
});

test.each([
  ['>=', 0.7, 'yes'],
  ['>=', 0.71, 'no'],
  ['<=', 0.7, 'yes'],
  ['<=', 0.69, 'no'],
] as const)('a goal of %s %d is judged by the median: %s', (sign, value, met) => {
  expect(isMet({ ...ratio, goal: { sign, value } })).toBe(met);
  expect(isMet({ name: ratio.name, value: ratio.value })).toBeUndefined();
});

test('rounds measure every target once, every second one backwards, and drop the first', async () => {
  const order: string[] = [];
  const measured = await interleave(['a', 'b', 'c'], 3, async (target, round) => {
    order.push(target + round);
    return round;
  });
  expect(order.join(' ')).toBe('a0 b0 c0 c1 b1 a1 b2 c2 a2 b3 a3 c3');
  expect([...measured]).toEqual([
    ['a', [1, 2, 3]],
    ['b', [1, 2, 3]],
    ['c', [1, 2, 3]],
  ]);
});
