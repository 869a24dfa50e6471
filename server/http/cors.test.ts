import { headerNames } from '@paid-inference/contract/constants';
import { describe, expect, it } from 'vitest';
import { corsHeaders } from './cors.ts';

const origin = 'https://shop.example';
const post = { method: 'POST', origin };
const preflight = { method: 'OPTIONS', origin };

function listOf(text: string | undefined): string[] {
  return (text ?? '').split(', ').map((name) => name.toLowerCase());
}

describe('To a browser', () => {
  it('every header that a client has to read is exposed, on every answer', () => {
    const exposed = listOf(corsHeaders({ allowOrigin: '*' }, post)['Access-Control-Expose-Headers']);
    for (const name of [
      headerNames.paymentRequired,
      headerNames.paymentResponse,
      headerNames.paymentRequiredV2,
      headerNames.paymentResponseV2,
      headerNames.retryAfterSeconds,
      headerNames.requestId,
    ]) {
      expect(exposed).toContain(name.toLowerCase());
    }
    expect(exposed).not.toContain(headerNames.payment.toLowerCase());
  });

  it('a preflight allows every header that x402 clients send, the misplaced ones too', () => {
    const allowed = listOf(corsHeaders({ allowOrigin: '*' }, preflight)['Access-Control-Allow-Headers']);
    for (const name of [
      'content-type',
      'authorization',
      headerNames.payment,
      headerNames.paymentSignature,
      headerNames.settlementType,
      'access-control-expose-headers',
      'payment-retry',
    ]) {
      expect(allowed).toContain(name.toLowerCase());
    }
  });

  it('credentials are never allowed, for nothing here depends on cookies', () => {
    const names = Object.keys({
      ...corsHeaders({ allowOrigin: '*' }, preflight),
      ...corsHeaders({ allowOrigin: origin }, preflight),
    });
    expect(names.map((name) => name.toLowerCase())).not.toContain('access-control-allow-credentials');
  });
});

describe('The allowed origin', () => {
  it('is named where it is one, and then the answer varies by it', () => {
    expect(corsHeaders({ allowOrigin: origin }, post)).toMatchObject({
      'Access-Control-Allow-Origin': origin,
      Vary: 'Origin',
    });
    const anybody = corsHeaders({ allowOrigin: '*' }, post);
    expect(anybody).toMatchObject({ 'Access-Control-Allow-Origin': '*' });
    expect(anybody).not.toHaveProperty('Vary');
  });

  it('is never that of whoever asks', () => {
    const headers = corsHeaders({ allowOrigin: origin }, { method: 'POST', origin: 'https://evil.example' });
    expect(headers['Access-Control-Allow-Origin']).toBe(origin);
  });

  it('null allows no browser at all', () => {
    expect(corsHeaders({ allowOrigin: null }, preflight)).toEqual({});
  });
});
