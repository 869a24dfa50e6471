import { describe, expect, it } from 'vitest';
import { memoryJournal } from '../testing/memory-journal.ts';
import { encodeBase64Json } from '../wire/base64-json.ts';
import { createSecrets } from '../wire/secrets.ts';
import { createBudget, type Funded } from './budget.ts';
import { createFundedSigner } from './funded-signer.ts';
import type { Journal } from './journal.ts';
import type { Offer } from './offer.ts';
import type { Pins } from './refusal.ts';
import { type Caps, paymentsMaxDefault } from './spending.ts';
import { authorizationFor, type Terms } from './terms.ts';

const privateKey = `0x${'11'.repeat(32)}`;
const targetUrl = 'https://gateway.example';
const nowSeconds = 1_700_000_000;

const offer: Offer = {
  scheme: 'exact',
  network: 'eip155:84532',
  maxAmountRequired: 1_000n,
  resource: 'https://gateway.example/v1/completions',
  payTo: `0x${'Ab'.repeat(20)}`,
  asset: `0x${'cd'.repeat(20)}`,
  maxTimeoutSeconds: 60,
  domainName: 'Token',
  domainVersion: '1',
};

function openBudget(caps: Partial<Caps> = {}, { pins, journal }: { pins?: Pins; journal?: Journal } = {}) {
  const secrets = createSecrets();
  const rows = memoryJournal();
  const funded: Funded = {
    privateKey,
    caps: { perRequestUnits: 10_000n, totalUnits: 1_000_000n, ...caps },
    journal: journal ?? rows,
    ...(pins && { pins }),
  };
  const budget = createBudget(funded, targetUrl, secrets);
  const sign = (terms: Terms = 'exact', change: Partial<Offer> = {}, request = 'POST /v1/completions') =>
    budget.authorize({ ...offer, ...change }, { terms, requirement: 'chat.200.status', request }, nowSeconds);
  return { budget, secrets, sign, rows: rows.rows };
}

describe('a budget', () => {
  it('signs up to the cap per request, and not one unit more', async () => {
    const { sign } = openBudget({ perRequestUnits: 1_000n });
    expect((await sign()).ok).toBe(true);
    expect(await sign('one-over')).toMatchObject({
      verdict: { reason: expect.stringContaining('1001 units') },
    });
  });

  it('signs one-over above the highest offer for the request, within the growth limit', async () => {
    const { budget, sign } = openBudget();
    const signedFor = async (...asked: Parameters<typeof sign>) => {
      const payment = await sign(...asked);
      return payment.ok ? payment.value.authorization.value : payment.verdict.reason;
    };
    budget.see({ ...offer, maxAmountRequired: 1_200n }, 'POST /v1/completions');
    expect(await signedFor('one-over')).toBe('1201');
    expect(await signedFor('exact')).toBe('1000');
    expect(await signedFor('one-over', {}, 'POST /v1/chat/completions')).toBe('1001');
    budget.see({ ...offer, maxAmountRequired: 1_501n }, 'POST /v1/completions');
    expect(await signedFor('one-over')).toContain('rose from 1200 to 1501');
  });

  it.each(['perRequestUnits', 'totalUnits', 'payments'])('signs nothing if %s is NaN', async (name) => {
    // As from a caller without a compiler: every comparison with NaN is false.
    const { sign, rows } = openBudget({ [name]: Number.NaN });
    expect([(await sign()).ok, rows]).toEqual([false, []]);
  });

  it('signs at most a uint256, with any caps', async () => {
    const all = 2n ** 300n;
    const { sign } = openBudget({ perRequestUnits: all, totalUnits: all });
    const most = 2n ** 256n - 1n;
    expect((await sign('exact', { maxAmountRequired: most })).ok).toBe(true);
    expect(await sign('one-over', { maxAmountRequired: most })).toMatchObject({
      verdict: { reason: expect.stringContaining('exceeds a uint256') },
    });
  });

  it('signs up to the total cap, and not one unit more', async () => {
    const { budget, sign } = openBudget({ totalUnits: 2_000n });
    expect((await sign()).ok && (await sign()).ok).toBe(true);
    expect((await sign('exact', { maxAmountRequired: 1n })).ok).toBe(false);
    expect(budget.spent()).toMatchObject({ signedUnits: 2_000n, settledUnits: 0n, payments: 2 });
  });

  it('counts signed values, not settled ones', async () => {
    const { budget, sign } = openBudget();
    const [payment, spoiled] = [await sign(), await sign('expired')];
    if (payment.ok) budget.conclude(payment.value, 'settled', nowSeconds);
    if (spoiled.ok) budget.conclude(spoiled.value, 'refused', nowSeconds);
    expect(budget.spent()).toEqual({
      signedUnits: 2_000n,
      settledUnits: 1_000n,
      payments: 2,
      settledPayments: 1,
      unresolved: [],
    });
  });

  it.each<Terms>(['exact', 'one-over', 'one-under', 'to-self', 'not-yet-valid', 'expired'])(
    'counts a signature with terms %s at its value',
    async (terms) => {
      const { budget, sign } = openBudget();
      const payment = await sign(terms);
      if (!payment.ok) throw new Error('no payment');
      expect(budget.spent()).toMatchObject({
        signedUnits: BigInt(payment.value.authorization.value),
        payments: 1,
        unresolved: [payment.value.authorization.nonce],
      });
    },
  );

  it('counts a payment without response as spent, and names its nonce', async () => {
    const { budget, sign } = openBudget();
    const payment = await sign();
    if (!payment.ok) throw new Error('no payment');
    budget.conclude(payment.value, 'unknown', nowSeconds);
    expect(budget.spent()).toEqual({
      signedUnits: 1_000n,
      settledUnits: 0n,
      payments: 1,
      settledPayments: 0,
      unresolved: [payment.value.authorization.nonce],
    });
  });

  it.each([
    ['another network', { network: 'eip155:8453' }],
    ['another scheme', { scheme: 'upto' }],
    ['a resource on another host', { resource: 'https://elsewhere.example/v1/completions' }],
    ['an invalid resource URL', { resource: '/v1/completions' }],
    ['an offer grown past the cap', { maxAmountRequired: 10_001n }],
  ])('refuses %s', async (_, change) => {
    const { budget, sign } = openBudget();
    expect((await sign('exact', change)).ok).toBe(false);
    expect(budget.spent().payments).toBe(0);
  });

  it.each([
    ['recipient', { payTo: `0x${'01'.repeat(20)}` }],
    ['token', { asset: `0x${'01'.repeat(20)}` }],
  ])('refuses another %s than in the first offer', async (_, change) => {
    const { sign } = openBudget();
    expect((await sign()).ok).toBe(true);
    expect((await sign('exact', change)).ok).toBe(false);
    expect((await sign('exact', { payTo: offer.payTo.toLowerCase() })).ok).toBe(true);
  });

  it('refuses an offer that differs from the pins, even the first', async () => {
    const pins = { payTo: `0x${'01'.repeat(20)}` };
    expect((await openBudget({}, { pins }).sign()).ok).toBe(false);
    expect((await openBudget({}, { pins }).sign('exact', { payTo: pins.payTo })).ok).toBe(true);
    expect((await openBudget({}, { pins: { asset: pins.payTo } }).sign()).ok).toBe(false);
    expect(
      (await openBudget({}, { pins: { asset: offer.asset.toUpperCase().replace('X', 'x') } }).sign()).ok,
    ).toBe(true);
  });

  it('signs for each of several pinned recipients', async () => {
    const other = `0x${'01'.repeat(20)}`;
    const { sign } = openBudget({}, { pins: { payTo: [offer.payTo, other] } });
    expect((await sign()).ok).toBe(true);
    expect((await sign('exact', { payTo: other })).ok).toBe(true);
    expect((await sign('exact', { payTo: `0x${'02'.repeat(20)}` })).ok).toBe(false);
  });

  it('compares later offers with the first seen one, even if unsigned', async () => {
    const { budget, sign } = openBudget();
    budget.see({ ...offer, payTo: `0x${'01'.repeat(20)}` }, 'first');
    expect(await sign()).toMatchObject({ verdict: { reason: expect.stringContaining('payTo changed') } });
  });

  it('allows a price growth of 25 %, and no more', async () => {
    const { sign } = openBudget();
    expect((await sign()).ok).toBe(true);
    expect((await sign('exact', { maxAmountRequired: 1_250n })).ok).toBe(true);
    expect(await sign('exact', { maxAmountRequired: 1_251n })).toMatchObject({
      verdict: { reason: expect.stringContaining('rose from 1000 to 1251') },
    });
    expect((await sign('exact', { maxAmountRequired: 1n })).ok).toBe(true);
    expect((await sign('exact', { maxAmountRequired: 5_000n }, 'another request')).ok).toBe(true);
  });

  it('limits the number of payments of any value', async () => {
    const { budget, sign } = openBudget();
    for (let signed = 0; signed < paymentsMaxDefault; signed += 1) {
      expect((await sign('exact', { maxAmountRequired: 1n })).ok).toBe(true);
    }
    expect((await sign('exact', { maxAmountRequired: 1n })).ok).toBe(false);
    expect(budget.spent().payments).toBe(paymentsMaxDefault);
  });

  it('signs as many payments as the cap allows, and not one more', async () => {
    const { sign } = openBudget({ payments: 1 });
    expect([(await sign()).ok, (await sign()).ok]).toEqual([true, false]);
    expect((await openBudget({ payments: 0 }).sign()).ok).toBe(false);
  });

  it('records a payment before it signs, and its state afterwards', async () => {
    const { budget, sign, rows } = openBudget();
    const payment = await sign();
    if (!payment.ok) throw new Error('no payment');
    const row = {
      time: '2023-11-14T22:13:20.000Z',
      state: 'signing',
      requirement: 'chat.200.status',
      value: '1000',
      from: budget.payer,
      payTo: offer.payTo,
      asset: offer.asset,
      resource: offer.resource,
      validBefore: nowSeconds + 54,
      nonce: payment.value.authorization.nonce,
    };
    expect(rows).toEqual([row]);
    budget.conclude(payment.value, 'settled', nowSeconds + 1);
    expect(rows).toEqual([row, { ...row, state: 'settled', time: '2023-11-14T22:13:21.000Z' }]);
    expect(JSON.stringify(rows)).not.toContain(payment.value.signature.slice(2, 40));
  });

  it('signs nothing if the journal cannot be written', async () => {
    const { budget, sign } = openBudget({}, { journal: { place: 'full', append: () => 'ENOSPC' } });
    expect(await sign()).toMatchObject({ verdict: { reason: 'the suite did not sign a payment: ENOSPC' } });
    expect(budget.spent()).toMatchObject({ signedUnits: 0n, payments: 0 });
  });

  it('is the only access to the signer: the compiler rejects uncounted authorizations', async () => {
    const signer = createFundedSigner(privateKey, createSecrets());
    const authorization = authorizationFor('exact', offer, signer.address, nowSeconds);
    // @ts-expect-error an uncounted authorization
    const sign = () => signer.sign(offer, authorization);
    expect(sign).toBeTypeOf('function');
    expect(Object.keys(signer).sort()).toEqual(['address', 'sign']);
  });

  it('refuses a negative payment', async () => {
    const { sign } = openBudget();
    expect((await sign('one-under', { maxAmountRequired: 0n })).ok).toBe(false);
  });

  it('conceals key, signature and header', async () => {
    const { secrets, sign } = openBudget();
    const payment = await sign();
    if (!payment.ok) throw new Error('no payment');
    const { signature, header, authorization } = payment.value;
    expect(header).toBe(encodeBase64Json({ payload: { signature, authorization } }));
    const text = secrets.redact([privateKey, privateKey.slice(2), signature, header].join(' '));
    for (const secret of [privateKey.slice(2), signature, header]) expect(text).not.toContain(secret);
  });
});
