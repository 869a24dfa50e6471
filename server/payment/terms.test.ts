import type { PaymentRequirements } from '@paid-inference/contract/types';
import { describe, expect, it } from 'vitest';
import type { Authorization } from '../types/authorization.ts';
import { type Address, atomicAmount, type Bytes32, type Hex, unixSeconds } from '../types/units.ts';
import type { SubmittedPayment } from './decode.ts';
import { checkTerms } from './terms.ts';
import type { VerifiedPayment } from './verify.ts';

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

/** A payment as it stands after the signature check, which is another file's matter. */
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

function reasonOf(payment: VerifiedPayment): string | null {
  const checked = check(payment);
  return checked.ok ? null : checked.fault.reason;
}

describe('D-17, D-20: a payment for this very request', () => {
  it('is handed on as it came', () => {
    const payment = verified();
    expect(check(payment)).toEqual({ ok: true, value: payment });
  });

  it('may say what it accepted, in the words of x402 v1 and v2 and in any case', () => {
    expect(reasonOf(verified({}, { scheme: 'exact', network: 'base-sepolia' }))).toBeNull();
    const accepted = { scheme: 'exact', network: 'eip155:84532', amount: '10000' };
    expect(
      reasonOf(verified({}, { ...accepted, asset: asset.toLowerCase(), payTo: payTo.toUpperCase() })),
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
    expect(reasonOf(verified(change, said))).toBe(reason);
  });

  it('a message for people stands beside it, with the price where the price is wrong', () => {
    expect(check(verified({ value: atomicAmount(1n) }))).toMatchObject({
      fault: { message: expect.stringContaining('10000') },
    });
  });
});

describe('At the edge of the window', () => {
  it('it may open now, and close exactly when inference and settlement have had their time', () => {
    expect(reasonOf(verified({ validAfter: BigInt(now) }))).toBeNull();
    expect(reasonOf(verified({ validBefore: BigInt(now + runwaySeconds) }))).toBeNull();
  });

  it('it may be as long as there are seconds below 2^47, whatever maxTimeoutSeconds says', () => {
    expect(reasonOf(verified({ validBefore: (1n << 47n) - 1n }))).toBeNull();
    expect(reasonOf(verified({ validBefore: BigInt(now + 3_600) }))).toBeNull();
  });
});

it('When several terms are broken, the answer is always the same: what was said before what was signed', () => {
  const worst = { to: asset.toLowerCase() as Address, value: atomicAmount(1n), validBefore: 0n };
  expect(reasonOf(verified(worst, { scheme: 'upto', network: 'base' }))).toBe('unsupported_scheme');
  expect(reasonOf(verified(worst, { network: 'base', asset: payTo }))).toBe('invalid_network');
  expect(reasonOf(verified(worst))).toBe('invalid_exact_evm_payload_recipient_mismatch');
});
