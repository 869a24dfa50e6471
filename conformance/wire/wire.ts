import { isUtf8 } from 'node:buffer';
import { type Agent, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { type Decoded, decoded } from './content-coding.ts';

export type WireRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** It carries a payment, and may be sent again all the same: its signer owns nothing. */
  readonly isRepeatable?: true;
  /** Made by chance. */
  readonly isRandom?: true;
  /** Its body is one that the contract's schema forbids. */
  readonly isProvenInvalid?: true;
  /** It is sent to be looked at, and no answer to it is demanded. */
  readonly isOnlyObserved?: true;
  /** It is sent on the connection that the run keeps open. Every other request has a connection of its own. */
  readonly isOnKeptConnection?: true;
};

export type WireAnswer = {
  readonly kind: 'answer';
  readonly status: number;
  /** By lower-case name; several of one name are joined by a comma, as HTTP reads them. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
};

type WireFailure = {
  readonly kind: 'failure';
  readonly reason: string;
  /** The connection was used before, and the target has closed it meanwhile. */
  readonly isStale?: true;
  /** The connection ended before the answer did: neither time nor size was why. */
  readonly hasBrokenOff?: true;
  /** The part of the response that had arrived. */
  readonly head?: Pick<WireAnswer, 'status' | 'headers'>;
};
export type WireOutcome = WireAnswer | WireFailure;
export type WireLimits = { readonly timeoutMs: number; readonly answerBytesMax: number };

/** How a request is sent, where it is not sent at once and on a connection of its own. */
export type Sending = {
  readonly agent?: Agent;
  /** All of the request is sent but the last byte of its body; that byte waits for this. */
  readonly beforeLastByte?: () => Promise<void>;
};

/**
 * One HTTP exchange, on a connection of its own unless an agent is given. No compression is asked
 * for unless the request does, and what comes compressed is decoded. Redirects are answers like any other and never followed. What the
 * network or the target does wrong is a failure; only a fault of this code throws.
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
    if (interruption?.aborted) return fail(endOf(interruption));
    if (deadline.aborted) return fail(`timed out after ${limits.timeoutMs} ms`);
    const isStale = outgoing.reusedSocket && !head;
    fail(causeOf(error), { hasBrokenOff: true, ...(isStale && { isStale }) });
  };
  const bytes = request.body === undefined ? undefined : Buffer.from(request.body);
  const headers = headersOf(request, url, bytes?.length);
  const outgoing = open(url, { method: request.method, headers, signal, agent: agent ?? false });
  outgoing.on('error', failWith);
  outgoing.on('close', () => {
    // Ended without an error, as after 101 Switching Protocols. Beside an answer it may come before the answer's end.
    if (!head) fail('the connection was closed without an answer', { hasBrokenOff: true });
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
      if (length <= limits.answerBytesMax) return;
      fail(`an answer of more than ${limits.answerBytesMax} bytes`);
      outgoing.destroy();
    });
    incoming.on('end', () => {
      const body = decoded(Buffer.concat(chunks), headers.get('content-encoding'), limits.answerBytesMax);
      if (!body.ok && body.isTooLong) return fail(body.fault);
      resolve({ kind: 'answer', status, headers, body: textOf(body) });
    });
  });
  if (beforeLastByte && bytes && bytes.length > 1) {
    outgoing.write(bytes.subarray(0, -1), async () => {
      await beforeLastByte();
      outgoing.end(bytes.subarray(-1));
    });
  } else outgoing.end(bytes);
  return promise;
}

/** Those that HTTP needs stand in small letters where all others do: names of headers mean the same in any letters (RFC 9110). */
function headersOf(
  { headers }: WireRequest,
  { host }: URL,
  length: number | undefined,
): Readonly<Record<string, string>> {
  const names = Object.keys(headers);
  const isInChunks = names.includes('Transfer-Encoding');
  const needed = {
    ...(names.every((name) => name.toLowerCase() !== 'accept-encoding') && { 'Accept-Encoding': 'identity' }),
    ...(length !== undefined && !isInChunks && { 'Content-Length': String(length) }),
  };
  const areSmall = names.length > 0 && names.every((name) => name === name.toLowerCase());
  return areSmall ? { host, ...headers, ...inSmallLetters(needed) } : { ...needed, ...headers };
}

/** The same headers with their names in small letters. */
export function inSmallLetters(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** The text of a body. A body that no client can read becomes words that are no JSON, before the part that can be shown (D-184). */
function textOf(body: Decoded): string {
  if (!body.ok) return `(${body.fault})`;
  return isUtf8(body.bytes) ? body.bytes.toString('utf8') : `(not UTF-8) ${body.bytes.toString('utf8')}`;
}

/** What ended a run: its own deadline, which `AbortSignal.timeout` keeps, or somebody. */
export function endOf({ reason }: AbortSignal): string {
  const isOverdue = reason instanceof DOMException && reason.name === 'TimeoutError';
  return isOverdue ? "the run's deadline was reached" : 'the run was interrupted';
}

/** Codes of a handshake that failed, or of a certificate that was not believed. */
const tlsCodes =
  /^(EPROTO$|ERR_TLS_|ERR_SSL_|CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH$)/;

function causeOf({ code, message }: NodeJS.ErrnoException): string {
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
