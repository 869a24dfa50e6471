import { describe, expect, it } from 'vitest';
import { type Change, startFakeTarget } from '../testing/fake-target.ts';
import { judged, listIds } from '../testing/judged.ts';

/**
 * A gateway that checks the balance first, so only a forged payment of a funded payer shows how it judges
 * signatures.
 */
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

describe('a gateway that checks the balance before the signature (§3)', () => {
  it('fails for an invalid signature of a payer with funds', async () => {
    const report = await reportOn(() => ({}), ['free', 'signed', 'paid']);
    expect(listIds(report, 'fail', 'warn')).toEqual([]);
    expect(listIds(report, 'pass')).toEqual(expect.arrayContaining(shown));
    for (const id of shown) expect(listIds(report, 'inconclusive')).not.toContain(id);
  });

  it('leaves signatures inconclusive without a funded payer', async () => {
    const report = await reportOn(() => ({}), ['free', 'signed']);
    expect(listIds(report, 'inconclusive')).toEqual(expect.arrayContaining(shown));
  });

  it('is judged by the error for such a signature', async () => {
    const change: Change = ({ error }) => ({
      error: (status, type, code) => error(status, type, status === 401 ? 'bad_signature' : code),
    });
    expect(listIds(await reportOn(change, ['free', 'signed', 'paid']), 'fail')).toEqual(['error.401.code']);
  });
});
