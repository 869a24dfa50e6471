import { decodeX402V2Payment } from '@paid-inference/contract/headers';
import type { AcceptedOption } from '@paid-inference/contract/types';
import type { Authorization } from '../types/authorization.ts';
import { fail, ok, type Result } from '../types/result.ts';
import { parseAddress, parseAtomicAmount, parseBytes32 } from '../types/units.ts';

/** What arrived in the payment headers, read but not yet believed. */
export type SubmittedPayment = {
  readonly authorization: Authorization;
  /** As sent: whether it is hex at all is the signature check's business (D-04). */
  readonly signature: string;
  /** What an x402 client says beside the authorization; absent in the contract's own dialect. */
  readonly said: { readonly scheme?: string; readonly network?: string } & AcceptedOption;
};

/** Why a header is no payment; answered with 402 and a fresh offer (D-03). */
export type DecodeFault = { readonly reason: 'invalid_payload'; readonly message: string };

export type PaymentHeaders = {
  readonly payment: string | undefined;
  readonly paymentSignature: string | undefined;
};

const dialectMax = 2;

/**
 * Reads the contract's payment object and those of x402 v1 and v2, told apart by content and not by header
 * (contract 2.10, D-20). Node joins repeated headers with a comma, which is not base64, so two payments are none.
 */
export function decodePayment(
  headers: PaymentHeaders,
  headerBytesMax: number,
): Result<SubmittedPayment, DecodeFault> {
  const { payment, paymentSignature } = headers;
  if (payment !== undefined && paymentSignature !== undefined && payment !== paymentSignature) {
    return invalid('Two different payments were sent; send one of X-PAYMENT and PAYMENT-SIGNATURE.');
  }
  const text = payment ?? paymentSignature ?? '';
  if (text.length > headerBytesMax)
    return invalid(`The payment header is longer than ${headerBytesMax} bytes.`);
  if (text.includes(',')) return invalid('The payment header was sent more than once.');
  // The tolerant shape covers the contract's own, so one reading serves every dialect.
  const decoded = decodeX402V2Payment(text);
  if (!decoded.ok)
    return invalid(
      `The payment header ${decoded.path === '' ? '' : `at ${decoded.path} `}${decoded.message}.`,
    );
  const { payload, accepted, x402Version, scheme, network } = decoded.value;
  if (x402Version !== undefined && (x402Version < 1 || x402Version > dialectMax)) {
    return invalid('x402Version must be 1 or 2, or left out.');
  }
  const { from, to, value, validAfter, validBefore, nonce } = payload.authorization;
  const parsed = {
    from: parseAddress(from),
    to: parseAddress(to),
    value: parseAtomicAmount(value),
    // JSON numbers reach past uint256 too; the digest is only defined below it.
    validAfter: parseAtomicAmount(BigInt(validAfter).toString()),
    validBefore: parseAtomicAmount(BigInt(validBefore).toString()),
    nonce: parseBytes32(nonce),
  };
  const { value: amount, validAfter: after, validBefore: before } = parsed;
  if (!parsed.from || !parsed.to || !parsed.nonce || amount === null || after === null || before === null) {
    return invalid('The authorization has a field outside its range.');
  }
  return ok({
    signature: payload.signature,
    authorization: {
      from: parsed.from,
      to: parsed.to,
      value: amount,
      validAfter: after,
      validBefore: before,
      nonce: parsed.nonce,
    },
    said: { ...(scheme !== undefined && { scheme }), ...(network !== undefined && { network }), ...accepted },
  });
}

function invalid(message: string): Result<never, DecodeFault> {
  return fail({ reason: 'invalid_payload', message });
}
