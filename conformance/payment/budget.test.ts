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

function budgetOf(caps: Partial<Caps> = {}, { pins, journal }: { pins?: Pins; journal?: Journal } = {}) {
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
  it('signs exactly at the cap per request, and not a unit above', async () => {
    const { sign } = budgetOf({ perRequestUnits: 1_000n });
    expect((await sign()).ok).toBe(true);
    expect(await sign('one-over')).toMatchObject({
      verdict: { reason: expect.stringContaining('1001 of the smallest unit') },
    });
  });

  it('signs for more than the maximum above all offers for the request, within what an offer may grow', async () => {
    const { budget, sign } = budgetOf();
    const signedFor = async (...asked: Parameters<typeof sign>) => {
      const payment = await sign(...asked);
      return payment.ok ? payment.value.authorization.value : payment.verdict.reason;
    };
    budget.see({ ...offer, maxAmountRequired: 1_200n }, 'POST /v1/completions');
    expect(await signedFor('one-over')).toBe('1201');
    expect(await signedFor('exact')).toBe('1000');
    expect(await signedFor('one-over', {}, 'POST /v1/chat/completions')).toBe('1001');
    budget.see({ ...offer, maxAmountRequired: 1_501n }, 'POST /v1/completions');
    expect(await signedFor('one-over')).toContain('grew from 1200 to 1501');
  });

  it.each(['perRequestUnits', 'totalUnits', 'payments'])(
    'signs nothing where %s is no number',
    async (name) => {
      // As from a caller without a compiler: no comparison with NaN holds, whichever way it is asked.
      const { sign, rows } = budgetOf({ [name]: Number.NaN });
      expect([(await sign()).ok, rows]).toEqual([false, []]);
    },
  );

  it('signs for no more than a uint256 holds, whatever the caps', async () => {
    const all = 2n ** 300n;
    const { sign } = budgetOf({ perRequestUnits: all, totalUnits: all });
    const most = 2n ** 256n - 1n;
    expect((await sign('exact', { maxAmountRequired: most })).ok).toBe(true);
    expect(await sign('one-over', { maxAmountRequired: most })).toMatchObject({
      verdict: { reason: expect.stringContaining('more than a uint256 holds') },
    });
  });

  it('signs exactly up to the total cap, and not a unit above', async () => {
    const { budget, sign } = budgetOf({ totalUnits: 2_000n });
    expect((await sign()).ok && (await sign()).ok).toBe(true);
    expect((await sign('exact', { maxAmountRequired: 1n })).ok).toBe(false);
    expect(budget.spent()).toMatchObject({ signedUnits: 2_000n, settledUnits: 0n, payments: 2 });
  });

  it('counts what is signed, not what is settled', async () => {
    const { budget, sign } = budgetOf();
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
    'counts a signature of terms %s at the value that it names',
    async (terms) => {
      const { budget, sign } = budgetOf();
      const payment = await sign(terms);
      if (!payment.ok) throw new Error('no payment');
      expect(budget.spent()).toMatchObject({
        signedUnits: BigInt(payment.value.authorization.value),
        payments: 1,
        unresolved: [payment.value.authorization.nonce],
      });
    },
  );

  it('leaves what was never answered counted, and names it', async () => {
    const { budget, sign } = budgetOf();
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
    ['a resource that is no URL', { resource: '/v1/completions' }],
    ['an offer grown past the cap', { maxAmountRequired: 10_001n }],
  ])('refuses %s', async (_, change) => {
    const { budget, sign } = budgetOf();
    expect((await sign('exact', change)).ok).toBe(false);
    expect(budget.spent().payments).toBe(0);
  });

  it.each([
    ['recipient', { payTo: `0x${'01'.repeat(20)}` }],
    ['token', { asset: `0x${'01'.repeat(20)}` }],
  ])('refuses another %s than the first', async (_, change) => {
    const { sign } = budgetOf();
    expect((await sign()).ok).toBe(true);
    expect((await sign('exact', change)).ok).toBe(false);
    expect((await sign('exact', { payTo: offer.payTo.toLowerCase() })).ok).toBe(true);
  });

  it('refuses what is not pinned, though it is the first offer', async () => {
    const pins = { payTo: `0x${'01'.repeat(20)}` };
    expect((await budgetOf({}, { pins }).sign()).ok).toBe(false);
    expect((await budgetOf({}, { pins }).sign('exact', { payTo: pins.payTo })).ok).toBe(true);
    expect((await budgetOf({}, { pins: { asset: pins.payTo } }).sign()).ok).toBe(false);
    expect(
      (await budgetOf({}, { pins: { asset: offer.asset.toUpperCase().replace('X', 'x') } }).sign()).ok,
    ).toBe(true);
  });

  it('holds later offers against the first that it saw, though nothing was signed for that', async () => {
    const { budget, sign } = budgetOf();
    budget.see({ ...offer, payTo: `0x${'01'.repeat(20)}` }, 'first');
    expect(await sign()).toMatchObject({ verdict: { reason: expect.stringContaining('payTo changed') } });
  });

  it('lets the price of a request move by a quarter, and no further', async () => {
    const { sign } = budgetOf();
    expect((await sign()).ok).toBe(true);
    expect((await sign('exact', { maxAmountRequired: 1_250n })).ok).toBe(true);
    expect(await sign('exact', { maxAmountRequired: 1_251n })).toMatchObject({
      verdict: { reason: expect.stringContaining('grew from 1000 to 1251') },
    });
    expect((await sign('exact', { maxAmountRequired: 1n })).ok).toBe(true);
    expect((await sign('exact', { maxAmountRequired: 5_000n }, 'another request')).ok).toBe(true);
  });

  it('ends after a number of payments, however small', async () => {
    const { budget, sign } = budgetOf();
    for (let signed = 0; signed < paymentsMaxDefault; signed += 1) {
      expect((await sign('exact', { maxAmountRequired: 1n })).ok).toBe(true);
    }
    expect((await sign('exact', { maxAmountRequired: 1n })).ok).toBe(false);
    expect(budget.spent().payments).toBe(paymentsMaxDefault);
  });

  it('signs as many payments as it was told, and not one more', async () => {
    const { sign } = budgetOf({ payments: 1 });
    expect([(await sign()).ok, (await sign()).ok]).toEqual([true, false]);
    expect((await budgetOf({ payments: 0 }).sign()).ok).toBe(false);
  });

  it('writes down what it will sign before it signs, and what became of it', async () => {
    const { budget, sign, rows } = budgetOf();
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

  it('signs nothing that it cannot write down', async () => {
    const { budget, sign } = budgetOf({}, { journal: { place: 'full', append: () => 'ENOSPC' } });
    expect(await sign()).toMatchObject({ verdict: { reason: 'the budget refuses to sign: ENOSPC' } });
    expect(budget.spent()).toMatchObject({ signedUnits: 0n, payments: 0 });
  });

  it('is the only way to the signer: the compiler takes nothing that was not counted', async () => {
    const signer = createFundedSigner(privateKey, createSecrets());
    const authorization = authorizationFor('exact', offer, signer.address, nowSeconds);
    // @ts-expect-error an authorization that nobody counted
    const sign = () => signer.sign(offer, authorization);
    expect(sign).toBeTypeOf('function');
    expect(Object.keys(signer).sort()).toEqual(['address', 'sign']);
  });

  it('has no payment below zero', async () => {
    const { sign } = budgetOf();
    expect((await sign('one-under', { maxAmountRequired: 0n })).ok).toBe(false);
  });

  it('leaves neither key nor signature nor header to be written down', async () => {
    const { secrets, sign } = budgetOf();
    const payment = await sign();
    if (!payment.ok) throw new Error('no payment');
    const { signature, header, authorization } = payment.value;
    expect(header).toBe(encodeBase64Json({ payload: { signature, authorization } }));
    const text = secrets.redact([privateKey, privateKey.slice(2), signature, header].join(' '));
    for (const secret of [privateKey.slice(2), signature, header]) expect(text).not.toContain(secret);
  });
});
