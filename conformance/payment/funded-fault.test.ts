import { describe, expect, it } from 'vitest';
import { judge } from '../suite/judge.ts';
import { startFakeTarget } from '../testing/fake-target.ts';
import { memoryJournal } from '../testing/memory-journal.ts';
import type { Funded } from './budget.ts';
import { fundedFault } from './funded-fault.ts';

const privateKey = `0x${'33'.repeat(32)}`;
const sound = {
  privateKey,
  caps: { perRequestUnits: 2_000n, totalUnits: 100_000n },
  journal: memoryJournal(),
};
const capsOf = (caps: object) => ({ ...sound, caps });

const faulty: readonly (readonly [string, unknown, string])[] = [
  ['no object', 'funded', 'funded is an object'],
  ['caps that are not there', { privateKey, journal: sound.journal }, 'funded.caps is an object'],
  [
    'caps of other names',
    capsOf({ perRequest: 2_000n, total: 100_000n }),
    'it knows perRequestUnits, totalUnits',
  ],
  ['a cap too many', capsOf({ ...sound.caps, maxPayments: 1 }), 'it knows perRequestUnits, totalUnits'],
  ['no cap per request', capsOf({ totalUnits: 1n }), 'funded.caps.perRequestUnits is a bigint'],
  ['no cap in all', capsOf({ perRequestUnits: 1n }), 'funded.caps.totalUnits is a bigint'],
  ['a number for a cap', capsOf({ ...sound.caps, totalUnits: 100_000 }), 'such as 100000n'],
  ['NaN for a cap', capsOf({ ...sound.caps, totalUnits: Number.NaN }), 'funded.caps.totalUnits'],
  ['a string for a cap', capsOf({ ...sound.caps, perRequestUnits: '1' }), 'funded.caps.perRequestUnits'],
  ['a cap below zero', capsOf({ ...sound.caps, totalUnits: -1n }), 'of at least 0'],
  ...[Number.NaN, -1, 1.5, Number.POSITIVE_INFINITY, 1n, '1', null].map(
    (payments) =>
      [
        `${typeof payments} ${payments} for payments`,
        capsOf({ ...sound.caps, payments }),
        'caps.payments',
      ] as const,
  ),
  ['half a key', { ...sound, privateKey: privateKey.slice(0, 40) }, 'funded.privateKey is'],
  ['bytes for a key', { ...sound, privateKey: new Uint8Array(32) }, 'funded.privateKey is'],
  ['a key of zeros', { ...sound, privateKey: `0x${'00'.repeat(32)}` }, 'funded.privateKey is'],
  ['what readKeyFile gave', { ...sound, privateKey: { ok: true, privateKey } }, 'readKeyFile gives one'],
  [
    'what openJournal gave',
    { ...sound, journal: { ok: true, journal: sound.journal } },
    'openJournal gives one',
  ],
  ['a path for a journal', { ...sound, journal: 'spend.jsonl' }, 'funded.journal has'],
  ['a name that is none', { ...sound, pin: {} }, 'it knows privateKey, caps, journal, pins'],
  ['pins of other names', { ...sound, pins: { payto: `0x${'01'.repeat(20)}` } }, 'it knows payTo, asset'],
  ['a pin that is no address', { ...sound, pins: { asset: 'USDC' } }, 'are addresses'],
];

describe('a funded key is not used with', () => {
  it.each(faulty)('%s', (_, funded, words) => {
    const fault = fundedFault(funded);
    expect(fault).toContain(words);
    expect(fault).not.toContain('3333');
  });
});

it.each<[string, Funded]>([
  ['two caps', sound],
  [
    'caps of zero, no payments, and pins',
    {
      ...sound,
      caps: { perRequestUnits: 0n, totalUnits: 0n, payments: 0 },
      pins: { payTo: `0x${'01'.repeat(20)}` },
    },
  ],
  ['a key without 0x', { ...sound, privateKey: privateKey.slice(2) }],
])('takes %s', (_, funded) => {
  expect(fundedFault(funded)).toBeUndefined();
});

it.each(faulty)('a run with %s ends before anything is sent or signed', async (_, funded) => {
  let replies = 0;
  await using target = await startFakeTarget(() => ({
    finish: (reply) => {
      replies += 1;
      return reply;
    },
  }));
  const options = { targetUrl: target.url, profiles: ['paid'], filter: undefined } as const;
  // As from a caller without a compiler.
  const judged = await judge({ ...options, funded: funded as Funded });
  expect(judged).toEqual({ ok: false, usage: fundedFault(funded) });
  expect([replies, sound.journal.rows]).toEqual([0, []]);
});
