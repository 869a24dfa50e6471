import { describe, expect, test } from 'vitest';
import type { ThoughtFormat } from './chat-format.ts';
import { createThoughtFilter } from './thought.ts';

const format = { prefix: '<think>', suffix: '</think>', isFirst: false };

function show(text: string, change: Partial<ThoughtFormat> = {}, length = 1): string {
  const filter = createThoughtFilter({ ...format, ...change });
  const parts = Array.from({ length: Math.ceil(text.length / length) }, (_, at) =>
    filter.push(text.slice(at * length, (at + 1) * length)),
  );
  return parts.join('') + filter.end();
}

describe('a text without thoughts', () => {
  test.each([1, 3, 100])('leaves out a thought and the space behind it, in parts of %i', (length) => {
    expect(show('<think>Rome?</think>\n\nRome.', {}, length)).toBe('Rome.');
    expect(show('So <think>a</think> b<think>c</think>!', {}, length)).toBe('So b!');
  });

  test('leaves out a thought that the template has begun', () => {
    for (const prefix of ['<think>', null]) {
      expect(show('Rome?</think>Rome.', { prefix, isFirst: true })).toBe('Rome.');
      expect(show('Rome?', { prefix, isFirst: true })).toBe('');
    }
  });

  test('shows a text that only looks like a mark, and everything if the model has none', () => {
    expect(show('1 <thin> 2 <')).toBe('1 <thin> 2 <');
    expect(createThoughtFilter(null).push('<think>Rome')).toBe('<think>Rome');
  });

  test('shows each part as soon as it is no mark', () => {
    const filter = createThoughtFilter(format);
    expect(filter.push('a <th')).toBe('a ');
    expect(filter.push('at')).toBe('<that');
  });
});
