import { decodeX402V2Payment } from '@paid-inference/contract/headers';
import type { AcceptedOption } from '@paid-inference/contract/types';
import type { Authorization } from '../types/authorization.ts';
import { fail, ok, type Result } from '../types/result.ts';
import { parseAddress, parseAtomicAmount, parseBytes32 } from '../types/units.ts';

/** The parsed content of the payment headers, not yet verified. */
export type SubmittedPayment = {
  readonly authorization: Authorization;
  /** As sent. The signature check tests whether it is hex (D-04). */
  readonly signature: string;
  /** The option that an x402 client declares beside the authorization; empty in the contract's own format. */
  readonly said: { readonly scheme?: string; readonly network?: string } & AcceptedOption;
  /** The id of x402's `payment-identifier`. */
  readonly paymentId?: string;
};

/**
 * Why a header is no payment; the gateway returns 402 with a fresh offer (D-03). For a payment with an invalid
 * `payment-identifier` it returns 400 (D-260).
 */
export type DecodeFault = {
  readonly reason: 'invalid_payload' | 'invalid_payment_identifier';
  readonly message: string;
};

export type PaymentHeaders = {
  readonly payment: string | undefined;
  readonly paymentSignature: string | undefined;
};

/** The header that faults of a payment name (D-266). */
export function namePaymentHeader({ payment, paymentSignature }: PaymentHeaders) {
  return payment === undefined && paymentSignature !== undefined ? 'PAYMENT-SIGNATURE' : 'X-PAYMENT';
}

const dialectMax = 2;

/**
 * Reads the contract's payment object and those of x402 v1 and v2. The content decides the format, not the
 * header (contract §2.10, D-20). Node joins repeated headers with a comma, which is not base64, so two payments
 * are rejected.
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
  const header = namePaymentHeader(headers);
  if (text.length > headerBytesMax) return invalid(`${header} is longer than ${headerBytesMax} bytes.`);
  if (text.includes(',')) return invalid(`${header} was sent more than once.`);
  // The schema of x402 v2 accepts the contract's format too, so one decoder serves all formats.
  const decoded = decodeX402V2Payment(text);
  if (!decoded.ok)
    return invalid(`${header} ${decoded.path === '' ? '' : `at ${decoded.path} `}${decoded.message}.`);
  const { payload, accepted, x402Version, scheme, network, extensions } = decoded.value;
  if (x402Version !== undefined && (x402Version < 1 || x402Version > dialectMax)) {
    return invalid('x402Version must be 1 or 2, or left out.');
  }
  const { from, to, value, validAfter, validBefore, nonce } = payload.authorization;
  const parsed = {
    from: parseAddress(from),
    to: parseAddress(to),
    value: parseAtomicAmount(value),
    // JSON numbers reach beyond uint256, and the digest is defined only up to it.
    validAfter: parseAtomicAmount(BigInt(validAfter).toString()),
    validBefore: parseAtomicAmount(BigInt(validBefore).toString()),
    nonce: parseBytes32(nonce),
  };
  const { value: amount, validAfter: after, validBefore: before } = parsed;
  if (!parsed.from || !parsed.to || !parsed.nonce || amount === null || after === null || before === null) {
    return invalid('The authorization has a field outside its range.');
  }
  const paymentId = readPaymentId(extensions);
  if (paymentId === undefined) {
    const message = 'The id of payment-identifier must be 16 to 128 letters, digits, hyphens or underscores.';
    return fail({ reason: 'invalid_payment_identifier', message });
  }
  return ok({
    ...(paymentId !== null && { paymentId }),
    signature: payload.signature,
    authorization: {
      from: parsed.from,
      to: parsed.to,
      value: amount,
      validAfter: after,
      validBefore: before,
      nonce: parsed.nonce,
    },
    said: readTerms({ scheme, network, ...accepted }),
  });
}

/** Copies the known fields only: the payment stays in memory during its inference, and a header may have any others. */
function readTerms(terms: Readonly<Record<string, unknown>>): SubmittedPayment['said'] {
  return Object.fromEntries(
    termNames.filter((name) => terms[name] !== undefined).map((name) => [name, terms[name]]),
  );
}

const termNames = [
  'scheme',
  'network',
  'amount',
  'asset',
  'payTo',
] as const satisfies (keyof SubmittedPayment['said'])[];

/** Reads `payment-identifier` of x402 v2. Returns null without an id, and undefined for an invalid id. */
function readPaymentId(extensions: unknown): string | null | undefined {
  const { 'payment-identifier': identifier } = (extensions ?? {}) as Readonly<Record<string, unknown>>;
  const { info } = (identifier ?? {}) as { readonly info?: unknown };
  const { id } = (info ?? {}) as { readonly id?: unknown };
  if (id === undefined || id === null) return null;
  return typeof id === 'string' && /^[\w-]{16,128}$/.test(id) ? id : undefined;
}

function invalid(message: string): Result<never, DecodeFault> {
  return fail({ reason: 'invalid_payload', message });
}
