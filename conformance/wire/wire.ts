import { isUtf8 } from 'node:buffer';
import { type Agent, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { type Decoded, decoded } from './content-coding.ts';

export type WireRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** The request has a payment by a key without funds, so the suite may retry it. */
  readonly isRepeatable?: true;
  /** A random request. */
  readonly isRandom?: true;
  /** The contract's schema forbids its body. */
  readonly isProvenInvalid?: true;
  /** The request serves an observation, so the contract requires no response to it. */
  readonly isOnlyObserved?: true;
  /** The request uses the connection that the run keeps open. Other requests have their own connections. */
  readonly isOnKeptConnection?: true;
};

export type WireResponse = {
  readonly kind: 'response';
  readonly status: number;
  /** By name in lower case. Several headers of one name are joined with a comma, as in HTTP. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
};

type WireFailure = {
  readonly kind: 'failure';
  readonly reason: string;
  /** The target closed the reused connection before the response. */
  readonly isStale?: true;
  /** The connection broke before the end of the response, without a timeout or a size limit. */
  readonly hasBrokenOff?: true;
  /** Status and headers, if they arrived. */
  readonly head?: Pick<WireResponse, 'status' | 'headers'>;
};
export type WireOutcome = WireResponse | WireFailure;
export type WireLimits = { readonly timeoutMs: number; readonly responseBytesMax: number };

/** Options to send a request on a given connection, or in two parts. */
export type Sending = {
  readonly agent?: Agent;
  /** The last byte of the body waits for this; the rest is sent at once. */
  readonly beforeLastByte?: () => Promise<void>;
};

/**
 * Performs one HTTP exchange, on a new connection unless an agent is given. The suite requests no compression
 * by itself, and decodes a compressed response. Redirects are not followed. Faults of network and target become
 * failures; an exception is a fault of this code.
 */
export function exchange(
  request: WireRequest,
  limits: WireLimits,
  interruption?: AbortSignal,
  { agent, beforeLastByte }: Sending = {},
): Promise<WireOutcome> {
  const url = new URL(request.url);
  const open = url.protocol === 'https:' ? requestHttps : requestHttp;
  const deadline = AbortSignal.timeout(limits.timeoutMs);
  const signal = interruption ? AbortSignal.any([deadline, interruption]) : deadline;
  const { promise, resolve } = Promise.withResolvers<WireOutcome>();
  let head: WireFailure['head'];
  const fail = (reason: string, more: Partial<WireFailure> = {}) =>
    resolve({ kind: 'failure', reason, ...(head && { head }), ...more });
  const failWith = (error: NodeJS.ErrnoException) => {
    if (interruption?.aborted) return fail(describeEnd(interruption));
    if (deadline.aborted) return fail(`timed out after ${limits.timeoutMs} ms`);
    const isStale = outgoing.reusedSocket && !head;
    fail(describeCause(error), { hasBrokenOff: true, ...(isStale && { isStale }) });
  };
  const bytes = request.body === undefined ? undefined : Buffer.from(request.body);
  const headers = buildHeaders(request, url, bytes?.length);
  const outgoing = open(url, { method: request.method, headers, signal, agent: agent ?? false });
  outgoing.on('error', failWith);
  outgoing.on('close', () => {
    // For a close without an error, as after 101 Switching Protocols. With a response, `close` may precede the
    // end of the body.
    if (!head) fail('the connection was closed without a response', { hasBrokenOff: true });
  });
  outgoing.on('response', (incoming) => {
    head = { status: incoming.statusCode ?? 0, headers: joinHeaders(incoming.rawHeaders) };
    const { status, headers } = head;
    const chunks: Buffer[] = [];
    let length = 0;
    incoming.on('error', failWith);
    incoming.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length <= limits.responseBytesMax) return;
      fail(`the response is longer than ${limits.responseBytesMax} bytes`);
      outgoing.destroy();
    });
    incoming.on('end', () => {
      const body = decoded(Buffer.concat(chunks), headers.get('content-encoding'), limits.responseBytesMax);
      if (!body.ok && body.isTooLong) return fail(body.fault);
      resolve({ kind: 'response', status, headers, body: readText(body) });
    });
  });
  if (beforeLastByte && bytes && bytes.length > 1) {
    outgoing.write(bytes.subarray(0, -1), async () => {
      await beforeLastByte();
      outgoing.end(bytes.subarray(-1));
    });
  } else if (bytes && isInChunks(request)) {
    for (const part of cutInLetter(bytes)) outgoing.write(part);
    outgoing.end();
  } else outgoing.end(bytes);
  return promise;
}

/**
 * Two parts of a body whose cut is within its first letter outside ASCII: a reader that decodes each chunk alone cannot read
 * this letter (D-451). A body without such a letter is one part.
 */
function cutInLetter(bytes: Buffer): readonly Buffer[] {
  const first = bytes.findIndex((byte) => byte > 0x7f);
  return first < 0 ? [bytes] : [bytes.subarray(0, first + 1), bytes.subarray(first + 1)];
}

function isInChunks({ headers }: WireRequest): boolean {
  return Object.hasOwn(headers, 'Transfer-Encoding');
}

/**
 * Adds the headers that HTTP needs, in lower case if all others are. Header names are case-insensitive (RFC
 * 9110).
 */
function buildHeaders(
  request: WireRequest,
  { host }: URL,
  length: number | undefined,
): Readonly<Record<string, string>> {
  const { headers } = request;
  const names = Object.keys(headers);
  const needed = {
    ...(names.every((name) => name.toLowerCase() !== 'accept-encoding') && { 'Accept-Encoding': 'identity' }),
    ...(length !== undefined && !isInChunks(request) && { 'Content-Length': String(length) }),
  };
  const areSmall = names.length > 0 && names.every((name) => name === name.toLowerCase());
  return areSmall ? { host, ...headers, ...inSmallLetters(needed) } : { ...needed, ...headers };
}

/** The same headers with names in lower case. */
export function inSmallLetters(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/**
 * The text of a body. An undecodable body becomes a note that is no JSON, followed by the readable part
 * (D-184).
 */
function readText(body: Decoded): string {
  if (!body.ok) return `(${body.fault})`;
  return isUtf8(body.bytes) ? body.bytes.toString('utf8') : `(not UTF-8) ${body.bytes.toString('utf8')}`;
}

/** The reason why a run ended: its deadline (`AbortSignal.timeout`), or an interruption. */
export function describeEnd({ reason }: AbortSignal): string {
  const isOverdue = reason instanceof DOMException && reason.name === 'TimeoutError';
  return isOverdue ? "the run's deadline was reached" : 'the run was interrupted';
}

/** Error codes of a failed TLS handshake or an untrusted certificate. */
const tlsCodes =
  /^(EPROTO$|ERR_TLS_|ERR_SSL_|CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH$)/;

function describeCause({ code, message }: NodeJS.ErrnoException): string {
  if (code === undefined) return message;
  return tlsCodes.test(code) ? `TLS failed, ${code}` : code;
}

function joinHeaders(raw: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = (raw[index] ?? '').toLowerCase();
    const earlier = headers.get(name);
    headers.set(name, earlier === undefined ? (raw[index + 1] ?? '') : `${earlier}, ${raw[index + 1]}`);
  }
  return headers;
}
