import { expect, test } from 'vitest';
import { openCliFixture } from '../testing/cli.ts';
import { hideGivenKeys } from './visible.ts';

const key = `0x${'5e'.repeat(32)}`;
const url = `http://127.0.0.1:1/${key}`;

test.each<[readonly string[], Record<string, string>]>([
  [['verify', key], {}],
  [['verify', key.slice(2), '--json'], {}],
  [['verify', key.slice(0, -1)], {}],
  [['verify', `${key}5e`], {}],
  [['chat', 'Say pong.', '--tool', key], {}],
  [['--url', url, 'models'], {}],
  [['--url', url, 'models', '--json'], {}],
  [['models'], { PAID_INFERENCE_URL: url }],
])('prints no private key in a wrong place: %j %j (D-425)', async (given, environment) => {
  await using cli = await openCliFixture();
  const { stdout, stderr } = await cli.run(given, environment);
  expect(stdout + stderr).toContain('<secret>');
  expect(stdout + stderr).not.toContain(key.slice(2, -1));
});

test('hides the steps of a purchase at a URL with a private key (D-425)', async () => {
  await using cli = await openCliFixture();
  const { stderr } = await cli.run([
    '--url',
    `${cli.gateway.url}/${key}`,
    'chat',
    'Say pong.',
    '--model',
    'm',
  ]);
  expect(stderr).toContain('POST');
  expect(stderr).not.toContain(key.slice(2));
});

test('hides given keys alone, so that transaction hashes stay (D-425)', () => {
  const hash = `0x${'ab'.repeat(32)}`;
  expect(hideGivenKeys(`${hash} ${key}`, [undefined, `x${key}`])).toBe(`${hash} <secret>`);
});
