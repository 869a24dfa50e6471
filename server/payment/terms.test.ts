import type { PaymentRequirements } from '@paid-inference/contract/types';
import { describe, expect, it } from 'vitest';
import type { Authorization } from '../types/authorization.ts';
import { type Address, atomicAmount, type Bytes32, type Hex, unixSeconds } from '../types/units.ts';
import type { SubmittedPayment } from './decode.ts';
import type { VerifiedPayment } from './signature.ts';
import { checkTerms } from './terms.ts';

const now = unixSeconds(1_700_000_000);
const runwaySeconds = 90;
const asset = `0x${'aA'.repeat(20)}`;
const payTo = `0x${'bB'.repeat(20)}`;
const requirements: PaymentRequirements = {
  scheme: 'exact',
  network: 'eip155:84532',
  maxAmountRequired: '10000',
  resource: 'https://gateway.example/v1/chat/completions',
  description: 'Chat completion',
  mimeType: 'application/json',
  payTo,
  maxTimeoutSeconds: 300,
  asset,
  extra: { name: 'T', version: '1' },
};

type Said = SubmittedPayment['said'];

/** A payment that passed the signature check. */
function verified(change: Partial<Authorization> = {}, said: Said = {}): VerifiedPayment {
  const authorization: Authorization = {
    from: `0x${'44'.repeat(20)}` as Address,
    to: payTo.toLowerCase() as Address,
    value: atomicAmount(10_000n),
    validAfter: 0n,
    validBefore: BigInt(now + runwaySeconds),
    nonce: `0x${'66'.repeat(32)}` as Bytes32,
    ...change,
  };
  return { authorization, said, signature: `0x${'55'.repeat(65)}` as Hex } as VerifiedPayment;
}

function check(payment: VerifiedPayment) {
  return checkTerms(payment, requirements, now, runwaySeconds);
}

function findReason(payment: VerifiedPayment): string | null {
  const checked = check(payment);
  return checked.ok ? null : checked.fault.reason;
}

describe('D-17, D-20: a payment that matches the request', () => {
  it('is returned unchanged', () => {
    const payment = verified();
    expect(check(payment)).toEqual({ ok: true, value: payment });
  });

  it('may declare the accepted option in x402 v1 or v2, in any letter case', () => {
    expect(findReason(verified({}, { scheme: 'exact', network: 'base-sepolia' }))).toBeNull();
    const accepted = { scheme: 'exact', network: 'eip155:84532', amount: '10000' };
    expect(
      findReason(verified({}, { ...accepted, asset: asset.toLowerCase(), payTo: payTo.toUpperCase() })),
    ).toBeNull();
  });
});

describe('D-03: each broken term has its x402 reason', () => {
  it.each<[string, string, Partial<Authorization>, Said]>([
    ['another scheme', 'unsupported_scheme', {}, { scheme: 'upto' }],
    ['another network', 'invalid_network', {}, { network: 'eip155:8453' }],
    ['the mainnet by its v1 name', 'invalid_network', {}, { network: 'base' }],
    ['another asset', 'invalid_payment_requirements', {}, { asset: payTo }],
    ['another payTo', 'invalid_payment_requirements', {}, { payTo: asset }],
    ['another amount', 'invalid_payment_requirements', {}, { amount: '9999' }],
    [
      'another recipient',
      'invalid_exact_evm_payload_recipient_mismatch',
      { to: `0x${'cc'.repeat(20)}` as Address },
      {},
    ],
    ['one unit less', 'invalid_exact_evm_payload_authorization_value', { value: atomicAmount(9_999n) }, {}],
    ['one unit more', 'invalid_exact_evm_payload_authorization_value', { value: atomicAmount(10_001n) }, {}],
    [
      'a window that opens in a second',
      'invalid_exact_evm_payload_authorization_valid_after',
      { validAfter: BigInt(now + 1) },
      {},
    ],
    [
      'a window that closes a second too early',
      'invalid_exact_evm_payload_authorization_valid_before',
      { validBefore: BigInt(now + runwaySeconds - 1) },
      {},
    ],
    [
      'a window that is over',
      'invalid_exact_evm_payload_authorization_valid_before',
      { validBefore: BigInt(now) },
      {},
    ],
    [
      'an end that a token may read as a block number',
      'invalid_exact_evm_payload_authorization_valid_before',
      { validBefore: 1n << 47n },
      {},
    ],
    [
      'times at the end of uint256',
      'invalid_exact_evm_payload_authorization_valid_after',
      { validAfter: (1n << 256n) - 1n, validBefore: (1n << 256n) - 1n },
      {},
    ],
  ])('%s: %s', (_name, reason, change, said) => {
    expect(findReason(verified(change, said))).toBe(reason);
  });

  it('has a message beside the reason, with the price if the price is wrong', () => {
    expect(check(verified({ value: atomicAmount(1n) }))).toMatchObject({
      fault: { message: expect.stringContaining('10000') },
    });
  });
});

describe('At the limits of the window', () => {
  it('accepts a window that opens now and closes exactly after inference and settlement', () => {
    expect(findReason(verified({ validAfter: BigInt(now) }))).toBeNull();
    expect(findReason(verified({ validBefore: BigInt(now + runwaySeconds) }))).toBeNull();
  });

  it('accepts a window up to 2^47, whatever maxTimeoutSeconds is', () => {
    expect(findReason(verified({ validBefore: (1n << 47n) - 1n }))).toBeNull();
    expect(findReason(verified({ validBefore: BigInt(now + 3_600) }))).toBeNull();
  });
});

it('Of several broken terms the reason is always the same one: the declared option before the signed fields', () => {
  const worst = { to: asset.toLowerCase() as Address, value: atomicAmount(1n), validBefore: 0n };
  expect(findReason(verified(worst, { scheme: 'upto', network: 'base' }))).toBe('unsupported_scheme');
  expect(findReason(verified(worst, { network: 'base', asset: payTo }))).toBe('invalid_network');
  expect(findReason(verified(worst))).toBe('invalid_exact_evm_payload_recipient_mismatch');
});
