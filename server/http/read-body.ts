import type { IncomingMessage } from 'node:http';
import { fail, ok, type Result } from '../vocabulary/result.ts';
import { countMembers, repeatedName } from './repeated-name.ts';

export type BodyFault =
  | { readonly kind: 'too-large'; readonly bodyBytesMax: number }
  | { readonly kind: 'too-slow'; readonly bodyTimeoutMs: number }
  | { readonly kind: 'client-left' }
  | { readonly kind: 'invalid'; readonly message: string; readonly param?: string | null };

export type BodyLimits = {
  readonly bodyBytesMax: number;
  readonly bodyTimeoutMs: number;
  readonly jsonDepthMax: number;
};

/** Reads a JSON body: UTF-8, at most so many bytes, so deep, and within its time; nobody may read another in it (D-118). */
export async function readJson(
  request: IncomingMessage,
  limits: BodyLimits,
): Promise<Result<unknown, BodyFault>> {
  const bytes = await readBytes(request, limits);
  if (!bytes.ok) return bytes;
  if (bytes.value.length === 0)
    return fail({ kind: 'invalid', message: 'The body is empty; send a JSON object.' });
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.value);
  } catch {
    return fail({ kind: 'invalid', message: 'The body is not UTF-8.' });
  }
  if (text.startsWith('\ufeff'))
    return fail({ kind: 'invalid', message: 'The body begins with a byte order mark; send it without one.' });
  const { depth, colons } = shapeOf(text);
  if (depth > limits.jsonDepthMax) {
    return fail({
      kind: 'invalid',
      message: `The body is nested deeper than ${limits.jsonDepthMax} levels.`,
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
    // The parser's own message quotes the body, and a body is nobody else's business.
    return fail({ kind: 'invalid', message: 'The body is not valid JSON.' });
  }
}

/** Half a pair can only come as an escape, for the bytes are UTF-8; and written again it is still an escape. */
function hasLoneSurrogate(text: string, value: unknown): boolean {
  return /\\u[dD][89a-fA-F]/.test(text) && /\\ud[89a-f]/.test(JSON.stringify(value).replaceAll('\\\\', ''));
}

function readBytes(request: IncomingMessage, limits: BodyLimits): Promise<Result<Buffer, BodyFault>> {
  const tooLarge = fail({ kind: 'too-large', bodyBytesMax: limits.bodyBytesMax } as const);
  if (Number(request.headers['content-length'] ?? 0) > limits.bodyBytesMax) return Promise.resolve(tooLarge);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const timer = setTimeout(
      () => finish(fail({ kind: 'too-slow', bodyTimeoutMs: limits.bodyTimeoutMs })),
      limits.bodyTimeoutMs,
    );
    const take = (chunk: Buffer) => {
      size += chunk.length;
      if (size > limits.bodyBytesMax) finish(tooLarge);
      else chunks.push(chunk);
    };
    const end = () => finish(ok(Buffer.concat(chunks, size)));
    const left = () => finish(fail({ kind: 'client-left' }));
    request.on('data', take).on('end', end).on('error', left).on('close', left);

    function finish(result: Result<Buffer, BodyFault>): void {
      clearTimeout(timer);
      request.off('data', take).off('end', end).off('close', left);
      resolve(result);
    }
  });
}

/**
 * Deepest nesting of the text and how many colons it has, strings left out. Told before parsing: recursion over the value
 * could not survive it.
 */
function shapeOf(text: string): { readonly depth: number; readonly colons: number } {
  let depth = 0;
  let deepest = 0;
  let colons = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) at = endOfString(text, at);
    else if (unit === 0x5b || unit === 0x7b) deepest = Math.max(deepest, ++depth);
    else if (unit === 0x5d || unit === 0x7d) depth--;
    else if (unit === 0x3a) colons++;
  }
  return { depth: deepest, colons };
}

/** The quote that ends it, behind an even number of backslashes: looked for as a whole, which is many times faster. */
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
