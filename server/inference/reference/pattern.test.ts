import { describe, expect, test } from 'vitest';
import { cpuMs } from '../../testing/cpu-time.ts';
import { seededBelow, testSeed } from '../../testing/inference/values.ts';
import { readPattern } from './pattern.ts';
import { type Pattern, stepsMax } from './search.ts';

const seed = testSeed();
console.info(`pattern.test.ts: TEST_SEED=${seed}`);

const understood = [
  '',
  '^$',
  'a',
  'abc|d',
  '^[A-Z]{3}$',
  '^\\d{4}-\\d{2}$',
  '^(foo|bar)-[a-z]+$',
  'colou?r',
  '^\\+?[1-9]\\d{1,14}$',
  '^#[0-9a-fA-F]{6}$',
  '^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$',
  '^(?:a|b){2,4}$',
  '.*',
  '^[\\w.-]+$',
  '^(?<year>\\d+)$',
  '^\\u0041\\x42$',
  '[\\]a-]',
  '^a*?b+?$',
  '\\.\\/\\|',
  '^(a|b|)c$',
  '(a*)*b',
  '^\\D\\W\\S$',
  '[^]',
  '^.{3}$',
  '(^a|b$)',
  '^\\n\\t$',
  '漢+',
  '^[一-龥]{2}$',
  '^(?:(?:ab)+c?){2}$',
  '(?=a)',
  '(?<!a)b',
  '^(?=.*[A-Z])(?=.*\\d)(?!.*x).{8,}$',
  '\\bfoo',
  'a\\B.',
  '\\p{L}',
  '^\\P{Lu}+$',
];

test.each([...understood, '(?<=a)b', '(?<=^.*b)a'])('matches the same texts as RegExp: %s', (source) => {
  const pattern = readPattern(source, { steps: Infinity });
  const below = seededBelow(seed);
  const characters = [...'abcABC019-_.@ \n\t#+/漢x', '😀'];
  for (let round = 0; round < 300; round++) {
    const text = Array.from({ length: below(9) }, () => characters[below(characters.length)] ?? '').join('');
    expect(pattern?.matches(text), JSON.stringify(text)).toBe(new RegExp(source, 'u').test(text));
  }
});

test.each(understood)('makes strings that match %s', (source) => {
  const pattern = readPattern(source, { steps: stepsMax });
  const expression = new RegExp(source, 'u');
  expect(make(pattern, 0, 100, 0)).toEqual(expect.stringMatching(expression));
  for (const [lengthMin, lengthMax] of [
    [0, 3],
    [5, 9],
    [8, 8],
  ] as const) {
    const made = make(pattern, lengthMin, lengthMax, 1);
    if (made === undefined) continue;
    expect(made).toEqual(expect.stringMatching(expression));
    expect([...made].length).toBeGreaterThanOrEqual(lengthMin);
    expect([...made].length).toBeLessThanOrEqual(lengthMax);
  }
});

test.each<[string, number, number, string | undefined]>([
  ['^[a-z]+$', 7, 7, 'aaaaaaa'],
  ['^\\d{4}-\\d{2,9}$', 10, 12, '0000-00000'],
  ['^[A-Z]{3}$', 4, 9, undefined],
])('makes a string of %s with %i to %i characters, if there is one', (source, lengthMin, lengthMax, text) => {
  expect(make(readPattern(source, { steps: stepsMax }), lengthMin, lengthMax, 0)).toBe(text);
});

test('matches needless escapes, which the flag u forbids', () => {
  const pattern = readPattern('^\\d{3}\\-[\\@\\-a]+\\_$', { steps: stepsMax });
  expect(pattern?.matches('123-@-a_')).toBe(true);
  expect(pattern?.matches('123\\-a_')).toBe(false);
});

test.each([
  '(a)\\1',
  '(?<name>a)\\k<name>',
  '(?i:a)',
  '[a',
  '(a',
  'a)',
  'a{2',
  '*a',
  'a**',
  '[z-a]',
  '\\',
  'a{3,2}',
  'x'.repeat(1_001),
])('does not support %s', (source) => {
  expect(readPattern(source, { steps: stepsMax })).toBeNull();
});

describe('takes little time for patterns that take RegExp exponential time', () => {
  test.each([
    '^(a+)+$',
    '^(a|a)*$',
    '^(a*)*b$',
    '^((a+)*)*$',
    '^(.*)*(.*)*(.*)*q$',
    '((((a{999}){999}){999}){999}){999}',
  ])('%s', (source) => {
    const started = cpuMs();
    const pattern = readPattern(source, { steps: stepsMax });
    expect(pattern?.matches(`${'a'.repeat(2_000)}!`)).toBe(false);
    make(pattern, 0, 10_000, 0);
    // Measured: below 0.05 s.
    expect(cpuMs() - started).toBeLessThan(2_000);
  });
});

/** Returns the first made string that matches and has a length within the limits. */
function make(pattern: Pattern | null, lengthMin: number, lengthMax: number, index: number) {
  return [...(pattern?.make(lengthMin, index) ?? [])].find((text) => {
    const { length } = [...text];
    return length >= lengthMin && length <= lengthMax && pattern?.matches(text);
  });
}
