import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import type { EndedRequest } from '../observe/observers.ts';
import { parseSamples, sumOf } from '../testing/metrics.ts';
import { chatPath } from '../testing/payer.ts';
import { createInstruments } from './instruments.ts';
import { observeRequests } from './observe-requests.ts';

const sale = { model: 'alder/alder-mini', price: '1000', payer: '0x1234…abcd' } as const;
const transaction = `0x${'ab'.repeat(32)}`;
const pending = { ...sale, status: 503, code: 'settlement_pending' } as const;
const paid = { ...sale, status: 200, transaction } as const;

async function count(requests: readonly object[], route: string | null = chatPath) {
  const registry = new Registry();
  const { observer, flush } = observeRequests(createInstruments(registry));
  for (const request of requests) {
    observer.began();
    const line = { requestId: 'r', method: 'POST', path: '/x', status: 402, ms: 2, ...request };
    observer.ended(line as EndedRequest, route);
  }
  flush();
  flush();
  return parseSamples(await registry.metrics());
}

const outcomes = 'paid_inference_requests_total';
const income = 'paid_inference_income_total';

describe('The outcome of a request for a completion', () => {
  it.each([
    ['offer', { model: sale.model, reason: 'X-PAYMENT header is required' }],
    ['insufficient_funds', { ...sale, code: 'insufficient_funds' }],
    ['invalid_exact_evm_nonce_already_used', { ...sale, reason: 'invalid_exact_evm_nonce_already_used' }],
    ['sold', paid],
    ['replayed', { ...paid, replayed: true }],
    ['settlement_pending', pending],
  ])('is %s', async (outcome, request) => {
    const samples = await count([request, request]);
    const labels = [`model="${sale.model}"`, `outcome="${outcome}"`];
    expect(sumOf(samples, outcomes, ...labels)).toBe(2);
    expect(sumOf(samples, outcomes)).toBe(2);
  });

  it('is `other` for a reason of a facilitator, which may have any text (D-301)', async () => {
    const samples = await count([
      { ...sale, reason: 'payer 0x1234 is blocked' },
      { ...sale, reason: 'again' },
    ]);
    expect(sumOf(samples, outcomes, 'outcome="other"')).toBe(2);
    expect(JSON.stringify(samples)).not.toContain('0x1234');
  });

  it('is only counted for requests for a completion', async () => {
    expect(sumOf(await count([{ status: 200 }], '/v1/models'), outcomes)).toBe(0);
    expect(sumOf(await count([{ status: 400, code: 'invalid_request' }]), outcomes, 'model=""')).toBe(1);
  });
});

describe('D-303: income', () => {
  it('is the price of each sale', async () => {
    expect(sumOf(await count([paid, paid]), income)).toBe(2_000);
  });

  it('counts a purchase whose settlement came late, once', async () => {
    const late = { ...paid, replayed: true };
    expect(sumOf(await count([pending, pending, late, late]), income)).toBe(1_000);
  });

  it.each([
    ['a replay', { ...paid, replayed: true }],
    ['a purchase that is pending', pending],
    ['a refused payment', { ...sale, code: 'insufficient_funds' }],
  ])('is not %s', async (_, request) => {
    expect(sumOf(await count([request]), income)).toBe(0);
  });
});

it('Durations are cumulative in the buckets, with sum and count', async () => {
  const samples = await count([{ ms: 1 }, { ms: 3 }, { ms: 70_000 }]);
  const bucket = (le: string) =>
    sumOf(samples, 'http_server_request_duration_seconds_bucket', `le="${le}"`, 'http_request_method="POST"');
  expect([bucket('0.001'), bucket('0.005'), bucket('60'), bucket('+Inf')]).toEqual([1, 2, 2, 3]);
  expect(sumOf(samples, 'http_server_request_duration_seconds_sum')).toBeCloseTo(70.004);
  expect(sumOf(samples, 'http_server_request_duration_seconds_count')).toBe(3);
});
