import { describe, expect, it } from 'vitest';
import { readSettled, readSupported, readVerified } from './response.ts';

const txHash = `0x${'ab'.repeat(32)}`;

function responseWith(body: unknown, status = 200) {
  return { status, text: typeof body === 'string' ? body : JSON.stringify(body) };
}
const refusedBy = (fault: unknown) => ({ ok: false, fault });

describe('readVerified', () => {
  it.each([
    ['valid', { isValid: true, payer: '0x' }, 200, { isValid: true }],
    [
      'not valid',
      { isValid: false, invalidReason: 'invalid_exact_evm_payload_signature' },
      200,
      { isValid: false, reason: 'invalid_exact_evm_payload_signature' },
    ],
    [
      'not valid, with a 4xx',
      { isValid: false, invalidReason: 'payment_expired' },
      400,
      { isValid: false, reason: 'payment_expired' },
    ],
    ['not valid, without a reason', { isValid: false }, 200, { isValid: false, reason: 'invalid_payment' }],
    [
      'insufficient funds, as version 2 reports it',
      { isValid: false, invalidReason: 'invalid_exact_evm_insufficient_balance' },
      200,
      { isValid: false, reason: 'insufficient_funds' },
    ],
    [
      'the default for a reason that is a sentence, which is not repeated',
      { isValid: false, invalidReason: 'call to https://key@node failed' },
      200,
      { isValid: false, reason: 'invalid_payment' },
    ],
  ])('returns %s', (_name, body, status, value) => {
    expect(readVerified(responseWith(body, status))).toEqual({ ok: true, value });
  });

  it.each([
    [
      'a fault of the facilitator, whatever the body says',
      { isValid: false, invalidReason: 'insufficient_funds' },
      500,
    ],
    ['a full queue', { isValid: false, invalidReason: 'insufficient_funds' }, 429],
    ['an unknown token', { isValid: false, invalidReason: 'insufficient_funds' }, 401],
    ['valid, with a 4xx', { isValid: true }, 400],
    ['a redirection', '', 308],
    ['neither valid nor invalid', { isValid: 'true' }, 200],
    ['a list', [], 200],
    ['no JSON', '<html>', 200],
    ['a failed verification', { isValid: false, invalidReason: 'unexpected_verify_error' }, 200],
    ['an unsupported version', { isValid: false, invalidReason: 'invalid_x402_version' }, 400],
    ['an unknown network', { isValid: false, invalidReason: 'invalid_network' }, 200],
  ])('returns no verdict on the payment for %s', (_name, body, status) => {
    expect(readVerified(responseWith(body, status))).toEqual(refusedBy(expect.any(String)));
  });

  it('names FACILITATOR_TOKEN when the token is missing', () => {
    expect(readVerified(responseWith({ error: 'unauthorized' }, 401))).toEqual(
      refusedBy(expect.stringContaining('FACILITATOR_TOKEN')),
    );
  });
});

describe('readSettled', () => {
  it.each([
    [
      'done',
      { success: true, transaction: txHash.toUpperCase().replace('X', 'x') },
      200,
      { kind: 'done', txHash },
    ],
    [
      'pending, for a success with a 502',
      { success: true, transaction: txHash },
      502,
      { kind: 'pending', reason: 'HTTP 502', txHash },
    ],
    [
      'refused',
      { success: false, errorReason: 'invalid_payload', transaction: '' },
      200,
      { kind: 'refused', reason: 'invalid_payload', txHash: null },
    ],
    [
      'refused with a 4xx, and null for a transaction',
      { success: false, errorReason: 'invalid_payload', transaction: null },
      400,
      { kind: 'refused', reason: 'invalid_payload', txHash: null },
    ],
    [
      'refused after a transaction',
      { success: false, errorReason: 'invalid_transaction_state', transaction: txHash },
      200,
      { kind: 'refused', reason: 'invalid_transaction_state', txHash },
    ],
    [
      'pending, for a 500',
      { success: false, errorReason: 'settlement_pending', transaction: txHash },
      500,
      { kind: 'pending', reason: 'settlement_pending', txHash },
    ],
    [
      'pending, for a refusal with a 500',
      { success: false, errorReason: 'invalid_payload' },
      500,
      { kind: 'pending', reason: 'invalid_payload', txHash: null },
    ],
    [
      'pending, for a nonce that the facilitator itself may have used',
      { success: false, errorReason: 'invalid_exact_evm_nonce_already_used' },
      200,
      { kind: 'pending', reason: 'invalid_exact_evm_nonce_already_used', txHash: null },
    ],
    [
      'the default for a reason that is a sentence, which is not repeated',
      { success: false, errorReason: 'replacement fee too low at https://key@node' },
      200,
      { kind: 'refused', reason: 'unexpected_settle_error', txHash: null },
    ],
  ])('returns %s', (_name, body, status, value) => {
    expect(readSettled(responseWith(body, status))).toEqual({ ok: true, value });
  });

  it.each([
    ['success without a transaction', { success: true, transaction: '' }, 200],
    ['success with half a hash', { success: true, transaction: '0x1234' }, 200],
    ['a job to poll', { paymentJob: 7 }, 202],
    ['neither success nor failure', {}, 200],
    ['no JSON', 'OK', 200],
    ['an outage', '', 503],
  ])('returns no result for %s', (_name, body, status) => {
    expect(readSettled(responseWith(body, status))).toEqual(refusedBy(expect.any(String)));
  });
});

describe('readSupported', () => {
  const kind = { x402Version: 2, scheme: 'exact', network: 'eip155:84532' };

  it('returns the valid kinds', () => {
    const body = { kinds: [kind, { ...kind, x402Version: '2' }, null, { scheme: 'exact' }], extensions: [] };
    expect(readSupported(responseWith(body))).toEqual({ ok: true, value: { kinds: [kind], signers: [] } });
  });

  it('returns the valid addresses of our network, and of all networks of that kind (D-138)', () => {
    const [one, two] = [`0x${'1a'.repeat(20)}`, `0x${'2B'.repeat(20)}`];
    const signers = {
      'eip155:*': [one, 7, '0x12'],
      'eip155:84532': [two],
      'eip155:1': [`0x${'3c'.repeat(20)}`],
    };
    const supported = readSupported(responseWith({ kinds: [], signers }));
    expect(supported).toEqual({ ok: true, value: { kinds: [], signers: [two.toLowerCase(), one] } });
    for (const other of [null, [one], { 'eip155:*': one }])
      expect(readSupported(responseWith({ kinds: [], signers: other }))).toMatchObject({
        value: { signers: [] },
      });
  });

  it.each([
    ['an outage', { kinds: [kind] }, 500],
    ['no list', { kinds: {} }, 200],
    ['no JSON', 'ok', 200],
  ])('returns no result for %s', (_name, body, status) => {
    expect(readSupported(responseWith(body, status))).toEqual(refusedBy(expect.any(String)));
  });
});
