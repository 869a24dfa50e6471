// Generated from spec/ by `npm run generate`. Edit spec/, not this file.

import type { AcceptedPayment, InferenceProof, PaymentObject, PaymentReceipt, PaymentRequirements, X402V2Offer, X402V2Refusal } from './types.ts';
import * as valid from './validators.js';

/** The decoded value of a header, or the reason why it is invalid. */
export type Decoded<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      /** The failed stage: the base64, the JSON, or the schema. */
      readonly stage: 'base64' | 'json' | 'schema';
      readonly message: string;
      /** JSON pointer into the decoded object; '' is the whole object. */
      readonly path: string;
    };

/**
 * Encodes compact JSON as standard base64 with padding. ASCII only, because some clients read headers as
 * Latin-1.
 */
function encodeJson(value: unknown): string {
  const ascii = JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return btoa(ascii);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Decodes standard and URL-safe base64, with or without padding, because x402 clients send all of these. */
function decodeJson<T>(text: string, validate: valid.Validate<T>): Decoded<T> {
  const standard = text.replaceAll('-', '+').replaceAll('_', '/').replace(/={1,2}$/, '');
  if (!/^[A-Za-z0-9+/]+$/.test(standard) || standard.length % 4 === 1) {
    return { ok: false, stage: 'base64', message: 'is not base64', path: '' };
  }
  let value: unknown;
  try {
    const binary = atob(standard);
    const bytes = new Uint8Array(binary.length);
    for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at);
    value = JSON.parse(utf8.decode(bytes));
  } catch {
    return { ok: false, stage: 'json', message: 'is not base64 of JSON', path: '' };
  }
  if (validate(value)) return { ok: true, value };
  const first = validate.errors?.[0];
  return {
    ok: false,
    stage: 'schema',
    message: first?.message ?? 'does not match its schema',
    path: first?.instancePath ?? '',
  };
}

/** Base64 of the JSON of `PaymentObject` (section 2.10). */
export function encodePaymentObject(value: PaymentObject): string {
  return encodeJson(value);
}

/** Decodes `EncodedPaymentObject`: base64, then JSON, then the schema of `PaymentObject`. */
export function decodePaymentObject(text: string): Decoded<PaymentObject> {
  return decodeJson(text, valid.PaymentObject);
}

/** Base64 of the JSON of an x402 v2 payment (`AcceptedPayment`). */
export function encodeX402V2Payment(value: AcceptedPayment): string {
  return encodeJson(value);
}

/** Decodes `EncodedX402V2Payment`: base64, then JSON, then the schema of `AcceptedPayment`. */
export function decodeX402V2Payment(text: string): Decoded<AcceptedPayment> {
  return decodeJson(text, valid.AcceptedPayment);
}

/** Base64 of the JSON of `PaymentReceipt` (section 2.11). */
export function encodePaymentReceipt(value: PaymentReceipt): string {
  return encodeJson(value);
}

/** Decodes `EncodedPaymentReceipt`: base64, then JSON, then the schema of `PaymentReceipt`. */
export function decodePaymentReceipt(text: string): Decoded<PaymentReceipt> {
  return decodeJson(text, valid.PaymentReceipt);
}

/** Base64 of the JSON of `InferenceProof`. */
export function encodeInferenceProof(value: InferenceProof): string {
  return encodeJson(value);
}

/** Decodes `EncodedInferenceProof`: base64, then JSON, then the schema of `InferenceProof`. */
export function decodeInferenceProof(text: string): Decoded<InferenceProof> {
  return decodeJson(text, valid.InferenceProof);
}

/** Base64 of the JSON of `X402V2Refusal`. */
export function encodeX402V2Refusal(value: X402V2Refusal): string {
  return encodeJson(value);
}

/** Decodes `EncodedX402V2Refusal`: base64, then JSON, then the schema of `X402V2Refusal`. */
export function decodeX402V2Refusal(text: string): Decoded<X402V2Refusal> {
  return decodeJson(text, valid.X402V2Refusal);
}

/** Base64 of the JSON of `PaymentRequirements` (section 2.8). */
export function encodePaymentRequirements(value: PaymentRequirements): string {
  return encodeJson(value);
}

/** Decodes `EncodedPaymentRequirements`: base64, then JSON, then the schema of `PaymentRequirements`. */
export function decodePaymentRequirements(text: string): Decoded<PaymentRequirements> {
  return decodeJson(text, valid.PaymentRequirements);
}

/** Base64 of the JSON of `X402V2Offer`. */
export function encodeX402V2Offer(value: X402V2Offer): string {
  return encodeJson(value);
}

/** Decodes `EncodedX402V2Offer`: base64, then JSON, then the schema of `X402V2Offer`. */
export function decodeX402V2Offer(text: string): Decoded<X402V2Offer> {
  return decodeJson(text, valid.X402V2Offer);
}
