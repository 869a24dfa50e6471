import { describe, expect, it } from 'vitest';
import { worst } from '../sources/judgements.ts';
import type { SuiteOptions } from '../suite/judge.ts';
import { type Change, startFakeTarget } from '../testing/fake-target.ts';
import { idsOf, judged } from '../testing/judged.ts';

/** Gateways of which some requirement could not have failed, and so must not pass. */
async function reportOn(change: Change, options: Partial<SuiteOptions>) {
  await using target = await startFakeTarget(change);
  return await judged(target, options);
}

const ofSignatures = [
  'signature.authorization-edited',
  'signature.completions',
  'signature.domain.chainId',
  'signature.domain.name',
  'signature.domain.verifyingContract',
  'signature.domain.version',
  'signature.malformed',
  'signature.missing',
  'signature.other-signer',
  'signature.primary-type',
  'signature.tampered',
  'signature.tampered.completions',
];

describe('what is refused for whatever reason', () => {
  it('shows nothing about signatures, where a good one is answered 401 too', async () => {
    const report = await reportOn(() => ({ isSigned: () => false }), { profiles: ['signed'] });
    expect(idsOf(report, 'inconclusive')).toEqual(
      expect.arrayContaining([...ofSignatures, 'payment.malformed']),
    );
    expect(idsOf(report, 'fail')).toEqual(['funds.insufficient.402', 'funds.insufficient.completions']);
    expect(idsOf(report, 'pass').filter((id) => /^(funds|payment|signature)\./.test(id))).toEqual([]);
  });

  it('shows nothing about balances and payments, where every payment is answered as if none had come', async () => {
    const blind: Change = () => ({ isSigned: () => true, termsFault: () => 'not looked at' });
    const report = await reportOn(blind, { profiles: ['signed'] });
    const open = [
      'funds.insufficient.402',
      'funds.insufficient.completions',
      'payment.malformed',
      'signature.missing',
    ];
    expect(idsOf(report, 'inconclusive')).toEqual(expect.arrayContaining(open));
    expect(idsOf(report, 'pass').filter((id) => /^(funds|payment|signature)\./.test(id))).toEqual([]);
    expect(idsOf(report, 'fail')).toEqual(
      expect.arrayContaining(['signature.tampered', 'signature.completions']),
    );
  });
});

it('a run that looks at nothing else finds no fault where nothing was answered', async () => {
  const busy: Change = () => ({
    finish: (reply, endpoint) => (endpoint ? { status: 429, headers: {}, body: {} } : reply),
  });
  const report = await reportOn(busy, { profiles: ['free'], filter: 'error.none-5xx' });
  expect(idsOf(report, 'inconclusive')).toEqual(['error.none-5xx']);
});

it('offers that name no token are not in one token', async () => {
  const nameless: Change = ({ offer }) => ({
    offer: (endpoint, url) => ({
      ...offer(endpoint, url),
      ...(endpoint === 'completions' && { asset: 'gold' }),
    }),
  });
  const report = await reportOn(nameless, { profiles: ['free'], filter: 'offer.same-token' });
  expect(idsOf(report, 'inconclusive')).toEqual(['offer.same-token']);
});

it('of nothing, nothing is known', () => {
  expect(worst([])).toEqual({ kind: 'unknown', reason: 'there was nothing to judge' });
});
