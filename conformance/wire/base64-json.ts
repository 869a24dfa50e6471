import { isUtf8 } from 'node:buffer';
import { type Found, found, missing } from '../types/found.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** A decoded T before validation: its fields may have any type. */
export type Unchecked<T> = { readonly [Field in keyof T]?: unknown };

/** Base64 of the UTF-8 of the JSON and of blanks behind it, which change the padding. */
export function encodeBase64Json(value: unknown, blanks = 0): string {
  return Buffer.from(JSON.stringify(value) + ' '.repeat(blanks), 'utf8').toString('base64');
}

/**
 * Decodes base64 according to RFC 4648 §4: the standard alphabet, with correct or no padding. It rejects the
 * URL-safe alphabet and line breaks, because a strict client cannot read them.
 */
export function decodeBase64(text: string): Found<Buffer> {
  if (text === '') return missing('the text is empty');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) {
    return missing('the text has characters outside the standard base64 alphabet');
  }
  const digits = text.replace(/=+$/, '');
  if (digits.length % 4 === 1) return missing('base64 never has this length');
  if (digits.length !== text.length && text.length % 4 !== 0) return missing('the base64 padding is wrong');
  return found(Buffer.from(digits, 'base64'));
}

/** Reads JSON in UTF-8 and rejects a byte order mark (RFC 8259). */
export function decodeJson(bytes: Buffer): Found<unknown> {
  const fault = missing('the text is not JSON in UTF-8');
  if (!isUtf8(bytes)) return fault;
  try {
    return found(JSON.parse(bytes.toString('utf8')));
  } catch {
    return fault;
  }
}

/**
 * The same, but a byte order mark is ignored, as RFC 8259 allows. For bodies that the contract does not define:
 * a mark must not hide the models that the suite asks for (D-249).
 */
export function decodeMarkedJson(body: string): Found<unknown> {
  return decodeJson(Buffer.from(body.replace(/^\ufeff/, '')));
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The member of an object; undefined if there is no object or no such member. */
export function member(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}
