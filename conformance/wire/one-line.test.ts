import { expect, it } from 'vitest';
import { asOneLine } from './one-line.ts';

it('removes line breaks and cursor controls', () => {
  expect(asOneLine(' <html>\r\n\t<body>\u001b[2Jfoo\u0007 ')).toBe('<html> <body> [2Jfoo');
});

it('shortens a long text', () => {
  expect(asOneLine('word '.repeat(100))).toHaveLength(161);
  expect(asOneLine('a'.repeat(160))).toBe('a'.repeat(160));
});
