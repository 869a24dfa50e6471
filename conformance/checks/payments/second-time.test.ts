import { Wallet } from 'ethers';
import { describe, expect, it } from 'vitest';
import { type Change, startFakeTarget } from '../../testing/fake-target.ts';
import { judged, listIds } from '../../testing/judged.ts';
import { memoryJournal } from '../../testing/memory-journal.ts';

async function listFailures(change: Change, filter: string): Promise<readonly string[]> {
  await using target = await startFakeTarget(change);
  return listIds(await judged(target, { filter }), 'fail', 'warn', 'error');
}

it('fails a gateway that trusts an earlier signature or nonce of a payer without funds (D-180)', async () => {
  const known = new Set<string>();
  const remembering =
    (nameOf: (payment: { signature: string; authorization: { nonce: string } }) => string): Change =>
    ({ isSigned }) => ({
      isSigned: (payment, offer) => {
        const isGood = isSigned(payment, offer);
        if (isGood) known.add(nameOf(payment));
        return isGood || known.has(nameOf(payment));
      },
    });
  expect(await listFailures(({ isSigned }) => ({ isSigned }), 'signature.tampered')).toEqual([]);
  expect(
    await listFailures(
      remembering(({ signature }) => signature),
      'signature.authorization-edited',
    ),
  ).toEqual(['signature.authorization-edited']);
  expect(
    await listFailures(
      remembering(({ authorization }) => authorization.nonce),
      'signature.tampered',
    ),
  ).toEqual(['signature.tampered', 'signature.tampered.completions']);
});

describe('a price of 2500 (D-181)', () => {
  const price = '2500';
  const priced: Change = ({ offer }) => ({
    offer: (...of) => ({ ...offer(...of), maxAmountRequired: price }),
  });
  const comparingTexts: Change = (sound) => ({
    ...priced(sound),
    termsFault: (authorization, ...of) =>
      authorization.value < price && BigInt(authorization.value) > BigInt(price)
        ? undefined
        : sound.termsFault(authorization, ...of),
  });

  it.each<[string, Change, readonly string[]]>([
    ['numerically', priced, []],
    ['as strings', comparingTexts, ['payment.over-maximum.refused']],
  ])('is compared %s', async (_, change, expected) => {
    await using target = await startFakeTarget(change);
    const caps = { perRequestUnits: 5_000n, totalUnits: 100_000n };
    const report = await judged(target, {
      filter: 'payment.over-maximum.refused',
      funded: { privateKey: target.payerKey, caps, journal: memoryJournal() },
    });
    expect(listIds(report, 'pass')).toEqual(['payment.over-maximum.refused']);
    expect(listIds(report, 'fail', 'warn', 'error', 'inconclusive')).toEqual(expected);
  });
});

it('passes when the payer is the recipient, and pays another address for to-self (D-183)', async () => {
  let payTo = '';
  await using target = await startFakeTarget(({ offer }) => ({
    offer: (...of) => ({ ...offer(...of), payTo }),
  }));
  payTo = new Wallet(target.payerKey).address;
  const report = await judged(target, { filter: 'payment.other-recipient.refused' });
  expect(listIds(report, 'fail', 'warn', 'error', 'inconclusive')).toEqual([]);
  expect(listIds(report, 'pass')).toEqual(['payment.other-recipient.refused']);
});

it.each<[string, (address: string) => string]>([
  ['first', (address) => address.slice(0, 10)],
  ['last', (address) => address.slice(-8)],
])('fails a gateway that compares only the %s bytes of the recipient (D-250)', async (_, readPart) => {
  const failures = await listFailures(
    ({ termsFault }) => ({
      termsFault: (authorization, offer, ...of) => {
        const payTo = String(offer['payTo']);
        const isNear = readPart(authorization.to.toLowerCase()) === readPart(payTo.toLowerCase());
        return termsFault(isNear ? { ...authorization, to: payTo } : authorization, offer, ...of);
      },
    }),
    'payment.',
  );
  expect(failures).toEqual(['payment.completions.refused', 'payment.other-recipient.refused']);
});
