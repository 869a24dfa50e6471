import { headerNames } from '@paid-inference/contract/constants';
import { describe, expect, it } from 'vitest';
import { corsHeaders } from './cors.ts';

const origin = 'https://shop.example';
const post = { method: 'POST', headers: { origin } };
const preflight = { method: 'OPTIONS', headers: { origin } };

function preflightFor(names: string) {
  return { method: 'OPTIONS', headers: { origin, 'access-control-request-headers': names } };
}

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
      headerNames.ignoredFields,
    ]) {
      expect(exposed).toContain(name.toLowerCase());
    }
    for (const name of [headerNames.payment, headerNames.idempotencyKey])
      expect(exposed).not.toContain(name.toLowerCase());
  });

  it('allow in a preflight every header that x402 clients send, misplaced ones too', () => {
    const allowed = parseList(corsHeaders({ allowOrigin: '*' }, preflight)['Access-Control-Allow-Headers']);
    for (const name of [
      'content-type',
      'authorization',
      headerNames.payment,
      headerNames.paymentSignature,
      headerNames.settlementType,
      headerNames.idempotencyKey,
      'access-control-expose-headers',
      'payment-retry',
    ]) {
      expect(allowed).toContain(name.toLowerCase());
    }
  });

  it("allow the headers that OpenAI's SDK sends from a browser (D-266)", () => {
    const sent = [
      'accept',
      'authorization',
      'content-type',
      'idempotency-key',
      'openai-organization',
      'openai-project',
      'user-agent',
      'x-stainless-arch',
      'x-stainless-lang',
      'x-stainless-os',
      'x-stainless-package-version',
      'x-stainless-retry-count',
      'x-stainless-runtime',
      'x-stainless-runtime-version',
      'x-stainless-timeout',
    ];
    const headers = corsHeaders({ allowOrigin: '*' }, preflightFor(sent.join(',')));
    // Browsers always allow `Accept`.
    for (const name of sent.slice(1)) {
      expect(parseList(headers['Access-Control-Allow-Headers'])).toContain(name);
    }
  });

  it('allow no other header that a preflight names', () => {
    const requestHeaders = 'x-admin, x-stainless-, x-stainless-a_b, x-stainless-ok\u00e9, x-stainless-os';
    const headers = corsHeaders({ allowOrigin: '*' }, preflightFor(requestHeaders));
    const added = parseList(headers['Access-Control-Allow-Headers']).filter((name) =>
      /^x-(admin|stain)/.test(name),
    );
    expect(added).toEqual(['x-stainless-os']);
    const many = Array.from({ length: 100 }, () => 'x-stainless-os').join();
    const flooded = corsHeaders({ allowOrigin: '*' }, preflightFor(many));
    expect(flooded['Access-Control-Allow-Headers']?.length).toBeLessThan(1_000);
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
    const headers = corsHeaders(
      { allowOrigin: origin },
      { method: 'POST', headers: { origin: 'https://evil.example' } },
    );
    expect(headers['Access-Control-Allow-Origin']).toBe(origin);
  });

  it('is missing for null, so that no browser may call', () => {
    expect(corsHeaders({ allowOrigin: null }, preflight)).toEqual({});
  });
});
