import { expect, it } from 'vitest';
import { readHex } from './read-hex.ts';

const id = `0x${'ab'.repeat(32)}`;

it.each([
  ['as it is', id],
  ['in capitals', id.toUpperCase()],
  ['without 0x', id.slice(2)],
  ['with spaces around it', ` ${id}\n`],
  ['broken over two lines', `${id.slice(0, 30)}\n  ${id.slice(30)}`],
  ['from JSON', `"${id}",`],
  ['with a space of no width', `${id}\u200b`],
])('an id is read %s', (_name, text) => {
  expect(readHex(text, 32)).toBe(id);
});

it.each([
  ['nothing', ''],
  ['an address', `0x${'ab'.repeat(20)}`],
  ['an id with a digit more', `${id}a`],
  ['another letter', id.replace('a', 'g')],
  ['two prefixes', `0x0x${'ab'.repeat(31)}`],
  ['HTML', '<img src=x onerror=alert(1)>'],
])('%s is no id', (_name, text) => {
  expect(readHex(text, 32)).toBeNull();
});
