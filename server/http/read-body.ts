import type { IncomingMessage, ServerResponse } from 'node:http';
import { fail, ok, type Result } from '../types/result.ts';
import { createHeldBodies } from './held-bodies.ts';
import { type BytesFault, type BytesLimits, createBytesReader } from './read-bytes.ts';
import { countMembers, repeatedName } from './repeated-name.ts';
import { onRequestEnd } from './request-end.ts';

export type BodyFault =
  | BytesFault
  | { readonly kind: 'invalid'; readonly message: string; readonly param?: string | null };

export type BodyLimits = BytesLimits &
  JsonLimits & {
    /** Bytes of all large bodies whose requests are in progress. */
    readonly heldBytesMax: number;
  };
type JsonLimits = { readonly jsonDepthMax: number; readonly jsonValuesMax: number };

/** `site` is the client's site (D-224). The bytes of a large body count until the request has ended. */
export type ReadJson = (
  request: IncomingMessage,
  response: ServerResponse,
  site: string,
) => Promise<Result<unknown, BodyFault>>;

/**
 * Reads a JSON body in UTF-8 within the limits of bytes, depth and time. Every JSON parser must read it alike
 * (D-118).
 */
export function createJsonReader(limits: BodyLimits): ReadJson {
  const readBytes = createBytesReader(limits);
  const hold = createHeldBodies(limits.heldBytesMax);
  return async (request, response, site) => {
    const bytes = await readBytes(request, site);
    if (!bytes.ok) return bytes;
    const text = decodeText(bytes.value);
    if (!text.ok) return text;
    const shape = measureShape(text.value);
    const release = hold(site, { ...shape, bytes: bytes.value.length });
    if (release === null) return fail({ kind: 'crowded-out' });
    onRequestEnd(response, release);
    return parseJson(text.value, shape, limits);
  };
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decodeText(bytes: Buffer): Result<string, BodyFault> {
  if (bytes.length === 0) return fail({ kind: 'invalid', message: 'The body is empty; send a JSON object.' });
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return fail({ kind: 'invalid', message: 'The body is not UTF-8.' });
  }
  if (text.startsWith('\ufeff'))
    return fail({ kind: 'invalid', message: 'The body begins with a byte order mark; send it without one.' });
  return ok(text);
}

function parseJson(
  text: string,
  { depth, colons, values }: Shape,
  limits: JsonLimits,
): Result<unknown, BodyFault> {
  if (depth > limits.jsonDepthMax) {
    return fail({
      kind: 'invalid',
      message: `The body is nested deeper than ${limits.jsonDepthMax} levels.`,
    });
  }
  if (values > limits.jsonValuesMax) {
    return fail({
      kind: 'invalid',
      message: `The body has ${values} members and items; send at most ${limits.jsonValuesMax}.`,
    });
  }
  try {
    const value = JSON.parse(text) as unknown;
    if (hasLoneSurrogate(text, value))
      return fail({ kind: 'invalid', message: 'The body has a string that is not well-formed Unicode.' });
    if (countMembers(value) === colons) return ok(value);
    const message = 'The body has an object with the same name twice.';
    return fail({ kind: 'invalid', message, param: repeatedName(text) });
  } catch {
    // The parser's own message quotes the body, which may be confidential.
    return fail({ kind: 'invalid', message: 'The body is not valid JSON.' });
  }
}

/**
 * Half a surrogate pair can only come as an escape, because the bytes are UTF-8. `JSON.stringify` escapes it
 * again.
 */
function hasLoneSurrogate(text: string, value: unknown): boolean {
  return /\\u[dD][89a-fA-F]/.test(text) && /\\ud[89a-f]/.test(JSON.stringify(value).replaceAll('\\\\', ''));
}

type Shape = {
  readonly depth: number;
  readonly colons: number;
  readonly values: number;
  /** Names that may be indexes of an array, such as "34". */
  readonly indexNames: number;
};

/**
 * Counts depth, colons, and members and items outside strings. An empty object or array counts as one item
 * more. The count comes before parsing: recursion over the value would overflow at such a depth, and parsing
 * costs the event loop a hundred times as much for each member.
 */
function measureShape(text: string): Shape {
  let depth = 0;
  let deepest = 0;
  let colons = 0;
  let values = 0;
  let indexNames = 0;
  let nameAt = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) {
      nameAt = at + 1;
      at = endOfString(text, at);
    } else if (unit === 0x5b || unit === 0x7b) {
      deepest = Math.max(deepest, ++depth);
      values++;
    } else if (unit === 0x5d || unit === 0x7d) depth--;
    else if (unit === 0x3a) {
      colons++;
      if (mayBeIndex(text.charCodeAt(nameAt))) indexNames++;
    } else if (unit === 0x2c) values++;
  }
  return { depth: deepest, colons, values, indexNames };
}

/** Whether a name begins with a digit, or with an escape, which may be one. */
function mayBeIndex(first: number): boolean {
  return (first >= 0x30 && first <= 0x39) || first === 0x5c;
}

/**
 * Finds the closing quote: it follows an even number of backslashes. `indexOf` is many times faster than a
 * loop.
 */
function endOfString(text: string, start: number): number {
  let at = start;
  let escapes: number;
  do {
    at = text.indexOf('"', at + 1);
    if (at === -1) return text.length;
    escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === 0x5c) escapes++;
  } while (escapes % 2 === 1);
  return at;
}
