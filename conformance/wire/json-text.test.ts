import { expect, it } from 'vitest';
import { jsonText } from './json-text.ts';

it('writes the same as JSON.stringify, at any depth', () => {
  const inner = { a: [1, 'x"\ud800', null, true, { b: {} }, []], left: undefined, 'c"': -0.5 };
  const levels = 100_000;
  const text = JSON.stringify(inner);
  let value: unknown = inner;
  for (let level = 0; level < levels; level += 1) value = [value];
  expect(jsonText(inner)).toBe(text);
  expect(jsonText(value)).toBe('['.repeat(levels) + text + ']'.repeat(levels));
});
