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
const withCaps = (caps: object) => ({ ...sound, caps });

const faulty: readonly (readonly [string, unknown, string])[] = [
  ['no object', 'funded', 'funded must be an object'],
  ['missing caps', { privateKey, journal: sound.journal }, 'funded.caps must be an object'],
  [
    'caps with other names',
    withCaps({ perRequest: 2_000n, total: 100_000n }),
    'Known members: perRequestUnits, totalUnits',
  ],
  [
    'an unknown cap',
    withCaps({ ...sound.caps, maxPayments: 1 }),
    'Known members: perRequestUnits, totalUnits',
  ],
  ['no cap per request', withCaps({ totalUnits: 1n }), 'funded.caps.perRequestUnits must be a bigint'],
  ['no total cap', withCaps({ perRequestUnits: 1n }), 'funded.caps.totalUnits must be a bigint'],
  ['a number as cap', withCaps({ ...sound.caps, totalUnits: 100_000 }), 'such as 100000n'],
  ['NaN as cap', withCaps({ ...sound.caps, totalUnits: Number.NaN }), 'funded.caps.totalUnits'],
  ['a string as cap', withCaps({ ...sound.caps, perRequestUnits: '1' }), 'funded.caps.perRequestUnits'],
  ['a negative cap', withCaps({ ...sound.caps, totalUnits: -1n }), 'of at least 0'],
  ...[Number.NaN, -1, 1.5, Number.POSITIVE_INFINITY, 1n, '1', null].map(
    (payments) =>
      [
        `${typeof payments} ${payments} as payments`,
        withCaps({ ...sound.caps, payments }),
        'caps.payments',
      ] as const,
  ),
  ['half a key', { ...sound, privateKey: privateKey.slice(0, 40) }, 'funded.privateKey must'],
  ['bytes as key', { ...sound, privateKey: new Uint8Array(32) }, 'funded.privateKey must'],
  ['a key of zeros', { ...sound, privateKey: `0x${'00'.repeat(32)}` }, 'funded.privateKey must'],
  [
    'the result of readKeyFile as key',
    { ...sound, privateKey: { ok: true, privateKey } },
    'readKeyFile returns one',
  ],
  [
    'the result of openJournal as journal',
    { ...sound, journal: { ok: true, journal: sound.journal } },
    'openJournal returns one',
  ],
  ['a path as journal', { ...sound, journal: 'spend.jsonl' }, 'funded.journal must'],
  ['an unknown member', { ...sound, pin: {} }, 'Known members: privateKey, caps, journal, pins'],
  [
    'pins with other names',
    { ...sound, pins: { payto: `0x${'01'.repeat(20)}` } },
    'Known members: payTo, asset',
  ],
  ['an invalid address as pin', { ...sound, pins: { asset: 'USDC' } }, 'must be addresses'],
  ['no recipient as pin', { ...sound, pins: { payTo: [] } }, 'must be addresses'],
  [
    'a recipient with a wrong checksum',
    { ...sound, pins: { payTo: `0x${'aB'.repeat(20)}` } },
    'with a right checksum',
  ],
  ['an invalid recipient', { ...sound, pins: { payTo: ['USDC'] } }, 'must be addresses'],
];

describe('a funded payer is rejected with', () => {
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
  ['two recipients', { ...sound, pins: { payTo: [`0x${'01'.repeat(20)}`, `0x${'02'.repeat(20)}`] } }],
  ['a key without 0x', { ...sound, privateKey: privateKey.slice(2) }],
])('takes %s', (_, funded) => {
  expect(fundedFault(funded)).toBeUndefined();
});

it.each(faulty)('ends a run with %s before anything is sent or signed', async (_, funded) => {
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
