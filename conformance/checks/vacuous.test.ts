import { describe, expect, it } from 'vitest';
import { worst } from '../sources/judgements.ts';
import type { SuiteOptions } from '../suite/judge.ts';
import { type Change, startFakeTarget } from '../testing/fake-target.ts';
import { judged, listIds } from '../testing/judged.ts';

/** Gateways for which some requirement cannot fail, so it must not pass. */
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

/** Each refusal of a payment in PAYMENT-SIGNATURE is right, whatever its reason (D-354). */
const refused = ['payment.malformed'];

describe('a refusal without a known reason', () => {
  it('is inconclusive for signatures if a correct one also gets 401', async () => {
    const report = await reportOn(() => ({ isSigned: () => false }), { profiles: ['signed'] });
    expect(listIds(report, 'inconclusive')).toEqual(
      expect.arrayContaining([...ofSignatures, 'payment.malformed']),
    );
    expect(listIds(report, 'fail')).toEqual(['funds.insufficient.402', 'funds.insufficient.completions']);
    expect(listIds(report, 'pass').filter((id) => /^(funds|payment|signature)\./.test(id))).toEqual(refused);
  });

  it('is inconclusive for payments if every payment gets a bare 402', async () => {
    const blind: Change = () => ({ isSigned: () => true, termsFault: () => 'not read' });
    const report = await reportOn(blind, { profiles: ['signed'] });
    const open = [
      'funds.insufficient.402',
      'funds.insufficient.completions',
      'payment.malformed',
      'signature.missing',
    ];
    expect(listIds(report, 'inconclusive')).toEqual(expect.arrayContaining(open));
    expect(listIds(report, 'pass').filter((id) => /^(funds|payment|signature)\./.test(id))).toEqual(refused);
    expect(listIds(report, 'fail')).toEqual(
      expect.arrayContaining(['signature.tampered', 'signature.completions']),
    );
  });
});

it('finds no fault if nothing was answered and no other check ran', async () => {
  const busy: Change = () => ({
    finish: (reply, endpoint) => (endpoint ? { status: 429, headers: {}, body: {} } : reply),
  });
  const report = await reportOn(busy, { profiles: ['free'], filter: 'error.none-5xx' });
  expect(listIds(report, 'inconclusive')).toEqual(['error.none-5xx']);
});

it('does not pass offers without a token as offers in one token', async () => {
  const nameless: Change = ({ offer }) => ({
    offer: (endpoint, url) => ({
      ...offer(endpoint, url),
      ...(endpoint === 'completions' && { asset: 'gold' }),
    }),
  });
  const report = await reportOn(nameless, { profiles: ['free'], filter: 'offer.same-token' });
  expect(listIds(report, 'inconclusive')).toEqual(['offer.same-token']);
});

it('returns unknown for an empty list of verdicts', () => {
  expect(worst([])).toEqual({ kind: 'unknown', reason: 'there was nothing to judge' });
});
