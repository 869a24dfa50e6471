import { expect, it } from 'vitest';
import type { Offer } from './offer.ts';
import { authorizationFor, type Terms } from './terms.ts';

const offer: Offer = {
  scheme: 'exact',
  network: 'eip155:84532',
  maxAmountRequired: 1_000n,
  resource: 'https://gateway.example/v1/completions',
  payTo: `0x${'ab'.repeat(20)}`,
  asset: `0x${'cd'.repeat(20)}`,
  maxTimeoutSeconds: 60,
  domainName: 'Token',
  domainVersion: '1',
};
const payer = `0x${'ef'.repeat(20)}`;
const nowSeconds = 1_700_000_000;

function differences(terms: Terms) {
  const exact: Record<string, unknown> = authorizationFor('exact', offer, payer, nowSeconds);
  const other = Object.entries(authorizationFor(terms, offer, payer, nowSeconds));
  return Object.fromEntries(other.filter(([name, value]) => name !== 'nonce' && value !== exact[name]));
}

it('asks for what the offer says, from a while ago until the offer ends', () => {
  expect(authorizationFor('exact', offer, payer, nowSeconds)).toEqual({
    from: payer,
    to: offer.payTo,
    value: '1000',
    validAfter: nowSeconds - 600,
    validBefore: nowSeconds + 60,
    nonce: expect.stringMatching(/^0x[0-9a-f]{64}$/),
  });
});

it.each<[Terms, Record<string, unknown>]>([
  ['one-over', { value: '1001' }],
  ['one-under', { value: '999' }],
  ['to-self', { to: payer }],
  ['expired', { validAfter: nowSeconds - 7_200, validBefore: nowSeconds - 3_600 }],
  ['not-yet-valid', { validAfter: nowSeconds + 315_360_000, validBefore: nowSeconds + 315_360_060 }],
])('%s differs in that alone', (terms, expected) => {
  expect(differences(terms)).toEqual(expected);
});

it('takes a fresh nonce every time', () => {
  const nonces = [1, 2, 3].map(() => authorizationFor('exact', offer, payer, nowSeconds).nonce);
  expect(new Set(nonces).size).toBe(3);
});
