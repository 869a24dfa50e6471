import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { createSecrets } from './secrets.ts';

it('replaces every secret in any letter case, the longer one first', () => {
  const secrets = createSecrets();
  secrets.conceal('0xabc123', '<key>');
  secrets.conceal('0xabc123ff.+', '<signature>');
  expect(secrets.redact('0xABC123 and 0xabc123FF.+ and 0xabc12')).toBe('<key> and <signature> and 0xabc12');
});

const key = `0x${'a1b2c3d4'.repeat(8)}`;

it.each([
  ['its bytes in base64', Buffer.from(key.slice(2), 'hex').toString('base64')],
  ['its bytes in base64url', Buffer.from(key.slice(2), 'hex').toString('base64url')],
  ['a number', BigInt(key).toString()],
  ['bytes between colons', 'a1:b2:c3:d4:'.repeat(8).slice(0, -1)],
  ['capitals', key.toUpperCase()],
])('recognizes hex as %s', (_, written) => {
  const secrets = createSecrets();
  secrets.conceal(key, '<key>');
  expect(secrets.redact(`"${written}"`)).toBe('"<key>"');
});

it('recognizes short hex only literally', () => {
  const secrets = createSecrets();
  secrets.conceal('0xabcd', '<short>');
  expect(secrets.redact('0xabcd 43981 q80= ab:cd')).toBe('<short> 43981 q80= ab:cd');
});

it('redacts a text again after a new secret', () => {
  const secrets = createSecrets();
  expect(secrets.redact('0xabcd')).toBe('0xabcd');
  secrets.conceal('0xabcd', '<key>');
  expect([secrets.redact('0xabcd'), secrets.redact('0xabcd', 3)]).toEqual([
    '<key>',
    '<ke… (2 more characters)',
  ]);
});

it('leaves a text without secrets unchanged', () => {
  expect(createSecrets().redact('nothing to hide')).toBe('nothing to hide');
});

it.each([
  ['JSON', 'ab\\/cd+ef=='],
  ['JSON in ASCII', 'ab\\u002fcd\\u002bef\\u003d\\u003d'],
  ['a URL', 'ab%2Fcd%2Bef%3D%3D'],
  ['a form', 'ab/cd ef=='],
  ['base64url', 'ab_cd-ef'],
])('recognizes base64 as escaped by %s', (_, written) => {
  const secrets = createSecrets();
  secrets.conceal('ab/cd+ef==', '<payment>');
  expect(secrets.redact(`"${written}"`)).toBe('"<payment>"');
});

it.each(['+/cd', '/+cd', 'a+cd', '+acd', 'a/cd', 'ab=='])(
  'recognizes %s in each form of its first two characters',
  (secret) => {
    const secrets = createSecrets();
    secrets.conceal(secret, '<payment>');
    const writings: Readonly<Record<string, readonly string[]>> = {
      '+': ['+', '-', '%2b', '%2B', '\\u002b', ' '],
      '/': ['/', '\\/', '_', '%2f', '%2F', '\\u002f'],
      '=': ['=', '%3d', '%3D', '\\u003d', ''],
    };
    const listWays = (text: string): readonly string[] => {
      const [first = '', ...rest] = text;
      const ways = rest.length > 0 ? listWays(rest.join('')) : [''];
      return (writings[first] ?? [first]).flatMap((one) => ways.map((way) => one + way));
    };
    for (const way of listWays(secret)) expect(secrets.redact(`"${way}"`)).toBe('"<payment>"');
  },
);

it('cuts the redacted text, replaces a secret across the cut, and counts the rest', () => {
  const secrets = createSecrets();
  secrets.conceal(key, '<key>');
  expect(secrets.redact(`${'.'.repeat(8)}${key}${'.'.repeat(90)}`, 10)).toBe(
    '........<k… (93 more characters)',
  );
  expect(secrets.redact(`${key}${key} and more`, 14)).toBe('<key><key> and… (5 more characters)');
  expect(secrets.redact('0123456789', 10)).toBe('0123456789');
});

// A scan of the whole text for each secret took nine seconds; the timeout of this test would catch that.
it('scans a long text only up to its cut, for any number of secrets', {
  timeout: 60_000,
}, () => {
  const secrets = createSecrets();
  for (let index = 0; index < 400; index += 1) {
    secrets.conceal(createHash('sha512').update(`${index}`).digest('hex'), '<signature>');
  }
  const text = 'ab1'.repeat(600_000);
  for (let times = 0; times < 100; times += 1) {
    expect(secrets.redact(text, 10)).toBe('ab1ab1ab1a… (1799990 more characters)');
  }
});
