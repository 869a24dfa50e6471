import { headerNames } from '@paid-inference/contract/constants';
import { responseBytesMax } from '../limits.ts';
import { type GatewayError, readGatewayError } from './gateway-error.ts';
import type { OutgoingRequest } from './outgoing-request.ts';

/** Sends a request: `globalThis.fetch`, or a fetch with its own proxy, pool or client certificate. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** A response with its whole body. */
export type ReceivedResponse = {
  readonly response: Response;
  /** The error envelope; null when the body is none. */
  readonly error: GatewayError | null;
  /** Empty for a stream. */
  readonly body: string;
  /** The unread events, if the caller asked for a stream and the gateway sends one. */
  readonly events: ReadableStream<Uint8Array> | null;
};

/** `left` is false when certainly no byte of the request was sent. */
export type Lost = { readonly message: string; readonly cause: unknown; readonly left: boolean };

export type Sending =
  | { readonly ok: true; readonly received: ReceivedResponse }
  | { readonly ok: false; readonly lost: Lost };

/**
 * Sends a request once and reads the whole response within one timeout; of a stream, only the headers. A response
 * that breaks off counts as lost. Follows no redirects, so that neither payment nor prompt goes to another host.
 */
export async function send(
  fetch: Fetch,
  request: OutgoingRequest,
  payment: string | null,
  timeoutMs: number,
): Promise<Sending> {
  if (request.signal.aborted) return lost(request.signal.reason, false);
  const headers = new Headers(request.headers);
  if (payment !== null) headers.set(headerNames.payment, payment);
  const late = new AbortController();
  const signal = AbortSignal.any([request.signal, late.signal]);
  const timer = setTimeout(() => late.abort(new DOMException('', 'TimeoutError')), timeoutMs);
  const { url, method, body } = request;
  try {
    const init: RequestInit = { method, headers, redirect: 'manual', signal };
    const response = await fetch(url.href, body === null ? init : { ...init, body });
    return { ok: true, received: await readResponse(response, request.isStreamed) };
  } catch (error) {
    return lost(error, !neverConnected.has(findCode(error)));
  } finally {
    // A stream may take longer. Its reader limits each silence.
    clearTimeout(timer);
  }
}

/** Errors of name resolution and of the first handshake. After any other error, bytes may have been sent. */
const neverConnected: ReadonlySet<string | null> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

function lost(cause: unknown, left: boolean): Sending {
  return { ok: false, lost: { message: describe(cause), cause, left } };
}

async function readResponse(received: Response, isStreamed: boolean): Promise<ReceivedResponse> {
  // A browser hides a redirect, with its status.
  if (received.type === 'opaqueredirect')
    throw new Error('the gateway redirects; the client follows no redirects');
  const { status, statusText } = received;
  const headers = new Headers(received.headers);
  if (isStreamed && received.ok && eventsType.test(headers.get('content-type') ?? '')) {
    const response = new Response(null, { status, statusText, headers });
    return { response, body: '', error: null, events: received.body };
  }
  const bytes = await readBytes(received);
  // These headers describe the bytes on the wire, which `fetch` has already decoded.
  headers.delete('content-encoding');
  headers.delete('content-length');
  const response = new Response(isWithoutBody(status) ? null : bytes, { status, statusText, headers });
  const body = new TextDecoder().decode(bytes);
  return { response, body, error: readGatewayError(body), events: null };
}

const eventsType = /^text\/event-stream\s*(?:;|$)/i;

/** Uses a reader, because not all browsers iterate over a stream. */
async function readBytes({ body }: Response): Promise<Uint8Array<ArrayBuffer>> {
  if (body === null) return new Uint8Array();
  const reader = body.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    length += next.value.length;
    if (length > responseBytesMax) {
      reader.cancel().catch(() => undefined);
      throw new RangeError(`the response is larger than ${responseBytesMax} bytes`);
    }
    chunks.push(next.value);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/** The Fetch standard forbids a body in a `Response` with one of these statuses. */
function isWithoutBody(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}

/**
 * Finds the reason of a failed request, because `fetch` hides it behind "fetch failed", up to several causes
 * deep.
 */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'no response in time';
  if (error.name === 'AbortError') return 'cancelled';
  const code = findCode(error);
  if (code !== null) return code;
  return error.cause instanceof Error ? describe(error.cause) : error.message;
}

function findCode(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return findCode(error.cause);
}
