import { network, scheme } from '@paid-inference/contract/constants';
import type { PaymentRequirements } from '@paid-inference/contract/types';
import { fail, ok, type Result } from '../types/result.ts';
import type { UnixSeconds } from '../types/units.ts';
import type { AcceptablePayment, VerifiedPayment } from './signature.ts';

/** The x402 reason strings for broken terms (D-03). */
type TermsReason =
  | 'unsupported_scheme'
  | 'invalid_network'
  | 'invalid_payment_requirements'
  | 'invalid_exact_evm_payload_recipient_mismatch'
  | 'invalid_exact_evm_payload_authorization_value'
  | 'invalid_exact_evm_payload_authorization_valid_after'
  | 'invalid_exact_evm_payload_authorization_valid_before';

export type TermsFault = { readonly reason: TermsReason; readonly message: string };

/** Some tokens read a larger number as a block number (D-20). */
const timeMax = 1n << 47n;

/**
 * Checks that a payment matches this request. Pure: price and recipient come from the offer that is computed
 * from the paid body, so a cheap offer never buys an expensive request (D-17, D-20).
 */
export function checkTerms(
  payment: VerifiedPayment,
  requirements: PaymentRequirements,
  now: UnixSeconds,
  runwaySeconds: number,
): Result<AcceptablePayment, TermsFault> {
  const { said, authorization } = payment;
  if (said.scheme !== undefined && said.scheme !== scheme) {
    return broken('unsupported_scheme', `scheme must be ${scheme}.`);
  }
  if (said.network !== undefined && said.network !== network && said.network !== 'base-sepolia') {
    return broken('invalid_network', `network must be ${network}.`);
  }
  const { asset, payTo, maxAmountRequired } = requirements;
  if (differs(said.asset, asset) || differs(said.payTo, payTo) || differs(said.amount, maxAmountRequired)) {
    return broken('invalid_payment_requirements', 'The accepted option is not in the offer.');
  }
  if (authorization.to !== payTo.toLowerCase()) {
    return broken('invalid_exact_evm_payload_recipient_mismatch', 'to must be the payTo of the offer.');
  }
  if (authorization.value.toString() !== maxAmountRequired) {
    const message = `value must be ${maxAmountRequired}, the price of this request.`;
    return broken('invalid_exact_evm_payload_authorization_value', message);
  }
  const { validAfter, validBefore } = authorization;
  // No clock skew is allowed: the token compares with the block's clock, and allows none either (D-20).
  if (validAfter > BigInt(now) || validAfter >= timeMax) {
    return broken('invalid_exact_evm_payload_authorization_valid_after', 'validAfter is in the future.');
  }
  if (validBefore < BigInt(now + runwaySeconds) || validBefore >= timeMax) {
    const message = `validBefore must be at least ${runwaySeconds} seconds from now and below 2^47.`;
    return broken('invalid_exact_evm_payload_authorization_valid_before', message);
  }
  return ok(payment as AcceptablePayment);
}

function differs(said: string | undefined, offered: string): boolean {
  return said !== undefined && said.toLowerCase() !== offered.toLowerCase();
}

function broken(reason: TermsReason, message: string): Result<never, TermsFault> {
  return fail({ reason, message });
}
