import { type ErrorCode, type ErrorType, errorTable } from '@paid-inference/contract/errors';

/** A response that is ready to be sent. */
export type FinishedReply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number | undefined>>;
  /** Null for a response without a body, and for a stream. */
  readonly body: unknown;
  /** The texts of a streamed response. One string has all of them. */
  readonly events?: AsyncIterable<string> | string;
  /** A body that is no JSON, such as a file of the web page. */
  readonly file?: { readonly type: string; readonly bytes: Buffer };
};

/** A body as Node sends it. A string goes out with the head in one write, a buffer in a second one. */
type Content = { readonly bytes: Buffer | string; readonly length: number };
/** Longer bodies are buffers. Each write of a string encodes it, and while it waits Node keeps the string and its copy. */
const stringLengthMax = 4_096;

const shared = new WeakMap<object, Content | null>();

/** Marks a body that never changes. It is serialized once, and every response sends the same bytes (D-132). */
export function shareBody<Body extends object>(body: Body): Body {
  shared.set(body, null);
  return body;
}

/** Serializes a body. */
export function serializeBody(body: unknown): Content {
  const known = shared.get(body as object);
  if (known) return known;
  const text = JSON.stringify(body);
  const bytes = text.length > stringLengthMax ? Buffer.from(text) : text;
  const content = { bytes, length: Buffer.byteLength(bytes) };
  if (known === null) shared.set(body as object, content);
  return content;
}

/** The error envelope of §7 with `param` (D-08). */
export type ErrorBody<Code extends ErrorCode> = {
  readonly error: {
    readonly message: string;
    readonly type: (typeof errorTable)[Code]['type'];
    readonly code: Code;
    readonly param: string | null;
  };
};

/** Adds the type of the error table to a code. */
export function errorBody<Code extends ErrorCode>(
  code: Code,
  message: string,
  param: string | null = null,
): ErrorBody<Code> {
  const type: ErrorType = errorTable[code].type;
  return { error: { message, type: type as (typeof errorTable)[Code]['type'], code, param } };
}

/** An error response with the status of the error table. */
export function errorReply(
  code: ErrorCode,
  message: string,
  options: { readonly param?: string | null; readonly retryAfterSeconds?: number } = {},
): FinishedReply {
  const wait = options.retryAfterSeconds;
  return {
    status: errorTable[code].status,
    headers: { ...(wait !== undefined && { 'Retry-After': wait }) },
    body: errorBody(code, message, options.param ?? null),
  };
}

/** The response to a path that the contract does not have. The client may mean `meant`, which the contract has. */
export function unknownPath(meant: string | null = null): FinishedReply {
  const hint = meant === null ? '' : ` The API has ${meant}, so check the base URL.`;
  return errorReply('not_found', `Unknown path; /openapi.json lists all paths.${hint}`);
}
