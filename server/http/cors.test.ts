import { headerNames } from '@paid-inference/contract/constants';
import { describe, expect, it } from 'vitest';
import { corsHeaders } from './cors.ts';

const origin = 'https://shop.example';
const post = { method: 'POST', origin };
const preflight = { method: 'OPTIONS', origin };

function parseList(text: string | undefined): string[] {
  return (text ?? '').split(', ').map((name) => name.toLowerCase());
}

describe('The CORS headers', () => {
  it('expose every header that a client reads, on every response', () => {
    const exposed = parseList(corsHeaders({ allowOrigin: '*' }, post)['Access-Control-Expose-Headers']);
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

  it('allow in a preflight every header that x402 clients send, misplaced ones too', () => {
    const allowed = parseList(corsHeaders({ allowOrigin: '*' }, preflight)['Access-Control-Allow-Headers']);
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

  it('never allow credentials, because the gateway uses no cookies', () => {
    const names = Object.keys({
      ...corsHeaders({ allowOrigin: '*' }, preflight),
      ...corsHeaders({ allowOrigin: origin }, preflight),
    });
    expect(names.map((name) => name.toLowerCase())).not.toContain('access-control-allow-credentials');
  });
});

describe('The allowed origin', () => {
  it('is sent with Vary: Origin when it is a single origin', () => {
    expect(corsHeaders({ allowOrigin: origin }, post)).toMatchObject({
      'Access-Control-Allow-Origin': origin,
      Vary: 'Origin',
    });
    const anybody = corsHeaders({ allowOrigin: '*' }, post);
    expect(anybody).toMatchObject({ 'Access-Control-Allow-Origin': '*' });
    expect(anybody).not.toHaveProperty('Vary');
  });

  it('is never copied from the request', () => {
    const headers = corsHeaders({ allowOrigin: origin }, { method: 'POST', origin: 'https://evil.example' });
    expect(headers['Access-Control-Allow-Origin']).toBe(origin);
  });

  it('is missing for null, so that no browser may call', () => {
    expect(corsHeaders({ allowOrigin: null }, preflight)).toEqual({});
  });
});
