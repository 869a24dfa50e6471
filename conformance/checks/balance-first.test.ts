import { describe, expect, it } from 'vitest';
import { type Change, startFakeTarget } from '../testing/fake-target.ts';
import { idsOf, judged } from '../testing/judged.ts';

/** What a forged payment in the name of a payer with funds shows, where one without is told of the balance. */
const shown = [
  'error.401.code',
  'error.401.envelope',
  'signature.other-signer',
  'signature.tampered',
  'signature.tampered.completions',
];

async function reportOn(change: Change, profiles: readonly ('free' | 'signed' | 'paid')[]) {
  await using target = await startFakeTarget((sound) => ({ checksBalanceFirst: true, ...change(sound) }));
  return await judged(target, { profiles });
}

describe('contract 3: the balance, looked at before the signature', () => {
  it('hides no bad signature of a payer with funds', async () => {
    const report = await reportOn(() => ({}), ['free', 'signed', 'paid']);
    expect(idsOf(report, 'fail', 'warn')).toEqual([]);
    expect(idsOf(report, 'pass')).toEqual(expect.arrayContaining(shown));
    for (const id of shown) expect(idsOf(report, 'inconclusive')).not.toContain(id);
  });

  it('hides all of them, where nobody has funds', async () => {
    const report = await reportOn(() => ({}), ['free', 'signed']);
    expect(idsOf(report, 'inconclusive')).toEqual(expect.arrayContaining(shown));
  });

  it('lets the error of such a signature be judged', async () => {
    const change: Change = ({ error }) => ({
      error: (status, type, code) => error(status, type, status === 401 ? 'bad_signature' : code),
    });
    expect(idsOf(await reportOn(change, ['free', 'signed', 'paid']), 'fail')).toEqual(['error.401.code']);
  });
});
