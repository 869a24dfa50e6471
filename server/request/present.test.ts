import { type ErrorCode, errorTable } from '@paid-inference/contract/errors';
import {
  decodePaymentReceipt,
  decodePaymentRequirements,
  decodeX402V2Offer,
  decodeX402V2Refusal,
} from '@paid-inference/contract/headers';
import document from '@paid-inference/contract/openapi.json' with { type: 'json' };
import type { PaymentReceipt } from '@paid-inference/contract/types';
import { X402V1Offer } from '@paid-inference/contract/validators';
import { describe, expect, it } from 'vitest';
import type { InferenceFault } from '../inference/engine.ts';
import { type Address, atomicAmount } from '../types/units.ts';
import { uncharged } from './outcome.ts';
import { type PaidOutcome, type Presented, paidHeaders, presentFailure } from './present.ts';
import { paymentMissing, quote } from './quote.ts';

type Failed = Parameters<typeof presentFailure>[0];

const request: Presented = { ignoredFields: [], paymentHeader: 'X-PAYMENT' };
const offered = quote(
  { kind: 'text', model: 'm', prompt: 'hi', maxTokens: 16, temperature: 1, stop: [], fields: {} },
  { inputPerMillion: atomicAmount(1n), outputPerMillion: atomicAmount(1n), minimum: atomicAmount(10n) },
  {
    publicBaseUrl: 'https://pay.example',
    asset: `0x${'aa'.repeat(20)}` as Address,
    payTo: `0x${'bb'.repeat(20)}` as Address,
    tokenName: 'T',
    offerValiditySeconds: 300,
  },
);
const offer: Failed = { kind: 'offer', quote: offered, reason: 'invalid_payload', message: 'Sign it.' };
const poor: Failed = { kind: 'insufficient-funds', quote: offered, message: 'Too little.' };
const secret = 'upstream said: key sk-1234';
const failed = (kind: InferenceFault['kind']): Failed => ({
  kind: 'inference-failed',
  fault: { kind, detail: secret },
});

const failures: [ErrorCode, Failed][] = [
  ['insufficient_funds', poor],
  ['invalid_signature', { kind: 'invalid-signature', message: 'Not of from.' }],
  ['rate_limited', { kind: 'rate-limited', retryAfterSeconds: 7 }],
  ['rate_limited', { kind: 'too-many-refusals', retryAfterSeconds: 7 }],
  ['overloaded', { kind: 'overloaded', full: 'gateway', retryAfterSeconds: 7 }],
  ['unavailable', { kind: 'unavailable', message: 'The chain is down.', retryAfterSeconds: 7 }],
  ['settlement_pending', { kind: 'settlement-pending', retryAfterSeconds: 7 }],
  ['upstream_timeout', failed('timeout')],
  ['upstream_error', failed('failed')],
  ['upstream_error', failed('cancelled')],
  ['overloaded', failed('overloaded')],
];

type Response = {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly body: Record<string, unknown>;
};
function present(outcome: Failed, change: Partial<Presented> = {}): Response {
  return presentFailure(outcome, { ...request, ...change }) as unknown as Response;
}

describe('§7: every failure', () => {
  it.each(failures)('%s has the status and type of its row', (code, outcome) => {
    const { status, body } = present(outcome);
    const { status: expected, type } = errorTable[code];
    expect(status).toBe(expected);
    expect(body).toMatchObject({ error: { code, type, message: expect.stringMatching(/.{10}/) } });
  });

  it.each([['the offer', offer] as const, ...failures])(
    '%s has declared headers only, is never cached, and has the headers that its status requires',
    (_name, outcome) => {
      const { status, headers } = present(outcome);
      const responses: Record<string, { headers?: Record<string, { required?: boolean }> }> =
        document.paths['/v1/chat/completions'].post.responses;
      const declared = responses[String(status)]?.headers ?? {};
      expect(Object.keys(declared)).toEqual(expect.arrayContaining(Object.keys(headers)));
      for (const [name, { required }] of Object.entries(declared))
        if (required) expect(headers).toHaveProperty(name);
      expect(headers['Cache-Control']).toBe('no-store');
    },
  );

  it.each(failures)('%s does not repeat the message of an engine', (_code, outcome) => {
    expect(JSON.stringify(present(outcome))).not.toContain('sk-1234');
  });
});

describe('D-26: SDKs that retry by themselves', () => {
  it.each([['the offer', offer] as const, ...failures])('after %s', (code, outcome) => {
    // Another payment changes nothing about a refusal. A retry after the others joins the first payment.
    const isRefused = code === 'the offer' || errorTable[code].status < 429;
    expect(present(outcome).headers['x-should-retry']).toBe(isRefused ? 'false' : undefined);
  });

  it('after a charged payment whose model failed too often (D-272)', () => {
    const due: Failed = { kind: 'refund-due', message: 'Ask the operator for a refund.' };
    expect(present(due)).toMatchObject({ status: 502, headers: { 'x-should-retry': 'false' } });
  });

  it('after a pending settlement that a new payment does not join (D-260)', () => {
    const pending: Failed = { kind: 'settlement-pending', retryAfterSeconds: 1, newPaymentCosts: true };
    expect(present(pending).headers['x-should-retry']).toBe('false');
  });
});

describe('§3, D-01: a 402', () => {
  it('has the offer for every x402 version, with the reason in the field that x402 clients read', () => {
    const { headers, body } = present(offer);
    expect(decodePaymentRequirements(String(headers['X-PAYMENT-REQUIRED']))).toEqual({
      ok: true,
      value: offered.requirements,
    });
    expect(decodeX402V2Offer(String(headers['PAYMENT-REQUIRED']))).toMatchObject({
      ok: true,
      value: { x402Version: 2, error: 'invalid_payload' },
    });
    expect(X402V1Offer(body)).toBe(true);
    expect(body).toMatchObject({ x402Version: 1, error: 'invalid_payload' });
  });

  it('insufficient_funds has a fresh offer beside the envelope (D-02)', () => {
    const { headers, body } = present(poor);
    expect(headers['X-PAYMENT-REQUIRED']).toBe(present(offer).headers['X-PAYMENT-REQUIRED']);
    expect(decodeX402V2Offer(String(headers['PAYMENT-REQUIRED']))).toMatchObject({
      value: { error: 'insufficient_funds' },
    });
    expect(body).not.toHaveProperty('accepts');
  });

  it('is the only response that asks for a payment; settlement_pending never does (D-24)', () => {
    for (const [code, outcome] of failures) {
      const names = Object.keys(present(outcome).headers);
      expect(names.includes('X-PAYMENT-REQUIRED'), code).toBe(code === 'insufficient_funds');
    }
  });

  it('a token name beyond ASCII fits into headers', () => {
    const extra = { name: 'Prüf-Tökén 🙂', version: '1' } as const;
    const named = { ...offered, requirements: { ...offered.requirements, extra } };
    const { headers } = present({ ...offer, quote: named });
    expect(String(headers['X-PAYMENT-REQUIRED'])).toMatch(/^[A-Za-z0-9+/]+=*$/);
    expect(decodePaymentRequirements(String(headers['X-PAYMENT-REQUIRED']))).toMatchObject({
      value: { extra },
    });
  });
});

describe('A refused payment (D-285)', () => {
  const payer = `0x${'cc'.repeat(20)}` as Address;
  const readRefusal = (outcome: Failed) =>
    decodeX402V2Refusal(String(present(outcome).headers['PAYMENT-RESPONSE']));
  const refusal = { success: false, transaction: '', network: 'eip155:84532' };

  it.each<[string, Failed, string]>([
    ['an offer', offer, 'invalid_payload'],
    ['insufficient_funds', poor, 'insufficient_funds'],
    [
      'invalid_signature',
      { kind: 'invalid-signature', message: 'Not of from.' },
      'invalid_exact_evm_payload_signature',
    ],
  ])('gets %s with the reason in PAYMENT-RESPONSE', (_name, outcome, errorReason) => {
    expect(readRefusal(outcome)).toEqual({ ok: true, value: { ...refusal, errorReason } });
  });

  it.each<[string, Failed]>([
    ['an offer', { ...offer, payer } as Failed],
    ['insufficient_funds', { ...poor, payer } as Failed],
  ])('gets %s with its payer once the signature is verified', (_name, outcome) => {
    expect(readRefusal(outcome)).toMatchObject({ value: { payer } });
  });

  it('never gets a receipt', () => {
    for (const [, outcome] of [['the offer', offer] as const, ...failures])
      expect(Object.keys(present(outcome).headers)).not.toContain('X-PAYMENT-RESPONSE');
  });

  it('is not claimed without a payment, or while the payment can still be used', () => {
    const refusing = new Set<string>(['insufficient_funds', 'invalid_signature']);
    const others = failures.filter(([code]) => !refusing.has(code)).map(([, outcome]) => outcome);
    const fault = { message: 'model is required.', param: 'model' };
    for (const outcome of [
      { ...offer, reason: paymentMissing } as Failed,
      { kind: 'invalid', fault } as Failed,
      ...others,
    ])
      expect(Object.keys(present(outcome).headers), outcome.kind).not.toContain('PAYMENT-RESPONSE');
  });
});

describe('The message (D-160)', () => {
  const formatBody = (outcome: Failed) => JSON.stringify(present(outcome).body);

  it.each([
    ['overloaded', { kind: 'overloaded', full: 'gateway', retryAfterSeconds: 7 }],
    ['unavailable', uncharged('The chain is down.', 7) as Failed],
    ['overloaded', failed('overloaded')],
    ['upstream_error', failed('failed')],
    ['upstream_timeout', failed('timeout')],
  ] as [ErrorCode, Failed][])(
    'of %s says that nothing was charged when that is certain',
    (_code, outcome) => {
      expect(formatBody(outcome)).toContain('Nothing was charged');
    },
  );

  it.each([
    ['settlement_pending', { kind: 'settlement-pending', retryAfterSeconds: 7 }],
    ['unavailable', { kind: 'unavailable', message: 'The chain is down.', retryAfterSeconds: 7 }],
  ] as [ErrorCode, Failed][])(
    'of %s does not say that nothing was charged when that is uncertain',
    (_code, outcome) => {
      expect(formatBody(outcome)).not.toMatch(/nothing was/i);
    },
  );

  it.each([
    ['overloaded', { kind: 'overloaded', full: 'gateway', retryAfterSeconds: 7 }],
    ['settlement_pending', { kind: 'settlement-pending', retryAfterSeconds: 7 }],
    ['overloaded', failed('overloaded')],
  ] as [ErrorCode, Failed][])('of %s says that the same payment may be sent again', (_code, outcome) => {
    expect(formatBody(outcome)).toMatch(/the same payment (may be sent )?again/);
  });
});

it('Every response that asks for a retry has the time to wait', () => {
  for (const [, outcome] of failures.filter(([, { kind }]) => kind !== 'inference-failed')) {
    if ('retryAfterSeconds' in outcome) expect(present(outcome).headers['Retry-After']).toBe(7);
  }
  expect(present(failed('overloaded')).headers['Retry-After']).toBe(1);
});

describe('A paid response (§4.1)', () => {
  const receipt: PaymentReceipt = {
    success: true,
    network: 'eip155:84532',
    chainId: 84_532,
    txHash: `0x${'33'.repeat(32)}`,
    payer: `0x${'44'.repeat(20)}`,
    transaction: `0x${'33'.repeat(32)}`,
    amount: '10',
  };
  const sent = { kind: 'paid', paymentId: 1, completion: '{}', proof: 'cHJvb2Y=' } as const;
  const paid: PaidOutcome = { ...sent, receipt, replayed: false };

  it('has the receipt under the names of both x402 versions (D-25)', () => {
    const headers = paidHeaders(paid, request);
    expect(decodePaymentReceipt(headers['X-PAYMENT-RESPONSE'])).toEqual({ ok: true, value: receipt });
    expect(headers['PAYMENT-RESPONSE']).toBe(headers['X-PAYMENT-RESPONSE']);
    expect(headers['Cache-Control']).toBe('no-store');
  });

  it('has the proof as signed; a purchase from before proofs has none (D-68)', () => {
    expect(paidHeaders(paid, request)['X-INFERENCE-PROOF']).toBe('cHJvb2Y=');
    expect(paidHeaders({ ...paid, replayed: true }, request)['X-INFERENCE-PROOF']).toBe('cHJvb2Y=');
    expect(paidHeaders({ ...paid, proof: null }, request)).not.toHaveProperty('X-INFERENCE-PROOF');
  });

  it('has Idempotent-Replayed only for a replay (D-19)', () => {
    expect(paidHeaders({ ...paid, replayed: true }, request)['Idempotent-Replayed']).toBe('true');
    expect(paidHeaders(paid, request)).not.toHaveProperty('Idempotent-Replayed');
  });
});

it('A broken rule returns 400 with its place, and no retry (D-08, D-26)', () => {
  const fault = { message: 'model is required.', param: 'model' };
  expect(present({ kind: 'invalid', fault })).toMatchObject({
    status: 400,
    headers: { 'x-should-retry': 'false' },
    body: { error: { code: 'invalid_request', ...fault } },
  });
});

it('Ignored fields are listed in every response, and the header is left out without them (D-09)', () => {
  const ignoring = { ignoredFields: ['user', 'seed'] };
  for (const [, outcome] of failures) {
    expect(present(outcome, ignoring).headers['X-Ignored-Fields']).toBe('user, seed');
    expect(present(outcome).headers).not.toHaveProperty('X-Ignored-Fields');
  }
});
