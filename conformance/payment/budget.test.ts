import { describe, expect, it } from 'vitest';
import { encodeBase64Json } from '../wire/base64-json.ts';
import { createSecrets } from '../wire/secrets.ts';
import { type Caps, createBudget, paymentsMax } from './budget.ts';
import type { Offer } from './offer.ts';
import type { Terms } from './terms.ts';

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

function budgetOf(caps: Partial<Caps> = {}) {
  const secrets = createSecrets();
  const budget = createBudget(
    privateKey,
    { perRequestUnits: 10_000n, totalUnits: 1_000_000n, ...caps },
    targetUrl,
    secrets,
  );
  const sign = (terms: Terms = 'exact', change: Partial<Offer> = {}) =>
    budget.authorize({ ...offer, ...change }, terms, nowSeconds);
  return { budget, secrets, sign };
}

describe('a budget', () => {
  it('signs exactly at the cap per request, and not a unit above', async () => {
    const { sign } = budgetOf({ perRequestUnits: 1_000n });
    expect((await sign()).ok).toBe(true);
    expect(await sign('one-over')).toMatchObject({
      verdict: { reason: expect.stringContaining('1001 of the smallest unit') },
    });
  });

  it('signs exactly up to the total cap, and not a unit above', async () => {
    const { budget, sign } = budgetOf({ totalUnits: 2_000n });
    expect((await sign()).ok && (await sign()).ok).toBe(true);
    expect((await sign('exact', { maxAmountRequired: 1n })).ok).toBe(false);
    expect(budget.spent()).toEqual({ signedUnits: 2_000n, settledUnits: 0n, payments: 2 });
  });

  it('counts what is signed, not what is settled', async () => {
    const { budget, sign } = budgetOf();
    const payment = await sign();
    await sign('expired');
    if (payment.ok) budget.settled(payment.value);
    expect(budget.spent()).toEqual({ signedUnits: 2_000n, settledUnits: 1_000n, payments: 2 });
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

  it('ends after a number of payments, however small', async () => {
    const { budget, sign } = budgetOf();
    for (let signed = 0; signed < paymentsMax; signed += 1) {
      expect((await sign('exact', { maxAmountRequired: 1n })).ok).toBe(true);
    }
    expect((await sign('exact', { maxAmountRequired: 1n })).ok).toBe(false);
    expect(budget.spent().payments).toBe(paymentsMax);
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
