import { describe, expect, it } from 'vitest';
import { offer } from '../testing/plain-offer.ts';
import { authorizationFor, type Terms } from './terms.ts';

const payer = `0x${'ef'.repeat(20)}`;
const nowSeconds = 1_700_000_000;

function differences(terms: Terms) {
  const exact: Record<string, unknown> = authorizationFor('exact', offer, payer, nowSeconds);
  const other = Object.entries(authorizationFor(terms, offer, payer, nowSeconds));
  return Object.fromEntries(other.filter(([name, value]) => name !== 'nonce' && value !== exact[name]));
}

it('has the values of the offer, and a window from shortly before now to the end of the offer', () => {
  expect(authorizationFor('exact', offer, payer, nowSeconds)).toEqual({
    from: payer,
    to: offer.payTo,
    value: '1000',
    validAfter: nowSeconds - 6,
    validBefore: nowSeconds + 54,
    nonce: expect.stringMatching(/^0x[0-9a-f]{64}$/),
  });
});

it.each<[Terms, Record<string, unknown>]>([
  ['one-over', { value: '1001' }],
  ['one-under', { value: '999' }],
  ['to-self', { to: payer }],
  ['expired', { validAfter: nowSeconds - 180, validBefore: nowSeconds - 120 }],
  ['from-0', { validAfter: 0 }],
  ['from-1', { validAfter: 1 }],
  ['not-yet-valid', { validAfter: nowSeconds + 54, validBefore: nowSeconds + 60 }],
])('%s differs from `exact` only in its own point', (terms, expected) => {
  expect(differences(terms)).toEqual(expected);
});

it('pays another address if the payer is the recipient', () => {
  const own = { ...offer, payTo: payer.toUpperCase().replace('0X', '0x') };
  expect(authorizationFor('to-self', own, payer, nowSeconds).to).toBe(offer.asset);
});

it('uses a new nonce each time', () => {
  const nonces = [1, 2, 3].map(() => authorizationFor('exact', offer, payer, nowSeconds).nonce);
  expect(new Set(nonces).size).toBe(3);
});

it.each<[number, number, number]>([
  [1, -1, 1],
  [2, -1, 1],
  [5, -1, 4],
  [60, -6, 54],
  [300, -30, 270],
  [600, -60, 540],
  [3_600, -60, 3_540],
  [3_601, -60, 3_540],
  [Number.MAX_SAFE_INTEGER, -60, 3_540],
])(
  'signs an offer of %i s for the window from %i s to %i s (at most a minute ago, at most an hour)',
  (maxTimeoutSeconds, start, end) => {
    const { validAfter, validBefore } = authorizationFor(
      'exact',
      { ...offer, maxTimeoutSeconds },
      payer,
      nowSeconds,
    );
    expect([validAfter - nowSeconds, validBefore - nowSeconds]).toEqual([start, end]);
  },
);

describe('a window outside the present', () => {
  const lengths = [1, 2, 5, 60, 300, 600, 3_600, Number.MAX_SAFE_INTEGER];

  it.each(lengths)(
    'begins at the end of a normal one, and ends with an offer of %i s',
    (maxTimeoutSeconds) => {
      const of = { ...offer, maxTimeoutSeconds };
      const { validBefore } = authorizationFor('exact', of, payer, nowSeconds);
      const early = authorizationFor('not-yet-valid', of, payer, nowSeconds);
      expect(early.validAfter).toBe(validBefore);
      expect(early.validBefore).toBe(nowSeconds + Math.min(maxTimeoutSeconds, 3_600));
    },
  );

  it.each(lengths)('ended two minutes ago, and is no longer than an offer of %i s', (maxTimeoutSeconds) => {
    const late = authorizationFor('expired', { ...offer, maxTimeoutSeconds }, payer, nowSeconds);
    expect(late.validBefore).toBe(nowSeconds - 120);
    expect(late.validAfter).toBe(nowSeconds - 120 - Math.min(maxTimeoutSeconds, 120));
  });
});

it('has no terms that are valid after the end of the offer', () => {
  const wrong: readonly Terms[] = ['one-over', 'one-under', 'to-self', 'not-yet-valid', 'expired'];
  const all: readonly Terms[] = ['exact', 'from-0', 'from-1', ...wrong];
  for (const terms of all) {
    const { validBefore } = authorizationFor(terms, offer, payer, nowSeconds);
    expect(validBefore, terms).toBeLessThanOrEqual(nowSeconds + offer.maxTimeoutSeconds);
  }
});
