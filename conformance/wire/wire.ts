import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

export type WireRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
};

export type WireAnswer = {
  readonly kind: 'answer';
  readonly status: number;
  /** By lower-case name; several of one name are joined by a comma, as HTTP reads them. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
};

export type WireFailure = { readonly kind: 'failure'; readonly reason: string };
export type WireOutcome = WireAnswer | WireFailure;
export type WireLimits = { readonly timeoutMs: number; readonly answerBytesMax: number };

/**
 * One HTTP exchange on a connection of its own. Redirects are answers like any other and never followed. What the
 * network or the target does wrong is a failure; only a fault of this code throws.
 */
export function exchange(request: WireRequest, limits: WireLimits): Promise<WireOutcome> {
  const url = new URL(request.url);
  const open = url.protocol === 'https:' ? requestHttps : requestHttp;
  const signal = AbortSignal.timeout(limits.timeoutMs);
  const { promise, resolve } = Promise.withResolvers<WireOutcome>();
  const fail = (error: NodeJS.ErrnoException) =>
    resolve({
      kind: 'failure',
      reason: signal.aborted ? `timed out after ${limits.timeoutMs} ms` : causeOf(error),
    });
  const bytes = request.body === undefined ? undefined : Buffer.from(request.body);
  const headers = { ...request.headers, ...(bytes && { 'Content-Length': String(bytes.length) }) };
  const outgoing = open(url, { method: request.method, headers, signal, agent: false });
  outgoing.on('error', fail);
  outgoing.on('response', (incoming) => {
    const chunks: Buffer[] = [];
    let length = 0;
    incoming.on('error', fail);
    incoming.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length <= limits.answerBytesMax) return;
      resolve({ kind: 'failure', reason: `an answer of more than ${limits.answerBytesMax} bytes` });
      outgoing.destroy();
    });
    incoming.on('end', () =>
      resolve({
        kind: 'answer',
        status: incoming.statusCode ?? 0,
        headers: joinHeaders(incoming.rawHeaders),
        body: Buffer.concat(chunks).toString('utf8'),
      }),
    );
  });
  outgoing.end(bytes);
  return promise;
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
