import { type Found, found, missing } from '../types/found.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** A decoded T that nobody has checked: its fields have the contract's names and may hold anything. */
export type Unchecked<T> = { readonly [Field in keyof T]?: unknown };

/** Base64 of the UTF-8 of the JSON. */
export function encodeBase64Json(value: unknown): string {
  return Buffer.from(JSON.stringify(value), 'utf8').toString('base64');
}

/**
 * Reads base64 as RFC 4648 §4 has it: the standard alphabet, and padding that is right where it is present. The
 * URL-safe alphabet and line breaks are not base64 to a client that follows the contract by the letter.
 */
export function decodeBase64(text: string): Found<Buffer> {
  if (text === '') return missing('it is empty');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) {
    return missing('it has characters outside the standard base64 alphabet');
  }
  const digits = text.replace(/=+$/, '');
  if (digits.length % 4 === 1) return missing('its length is not one of base64');
  if (digits.length !== text.length && text.length % 4 !== 0) return missing('its padding is wrong');
  return found(Buffer.from(digits, 'base64'));
}

/** Reads JSON in UTF-8, which begins with no byte order mark (RFC 8259). */
export function decodeJson(bytes: Buffer): Found<unknown> {
  try {
    return found(JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)));
  } catch {
    return missing('it is not JSON in UTF-8');
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The member of an object, or undefined where there is no object or no such member. */
export function member(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}
