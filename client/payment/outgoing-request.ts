import { headerNames } from '@paid-inference/contract/constants';
import { concat, sha256, toUtf8Bytes } from 'ethers';

/** A request with its body in memory, so that the client can send the same bytes again. */
export type OutgoingRequest = {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer> | null;
  readonly signal: AbortSignal;
  /** Kept, because Node aborts the signal of a `Request` only until it collects the request as garbage. */
  readonly source: string | URL | Request;
  /** Equal for two requests that one payment may pay for (D-19). */
  readonly fingerprint: string;
  /** The caller sends its own payment. The client does not pay a 402 to such a request. */
  readonly carriesPayment: boolean;
  /** The caller reads a response of server-sent events while it arrives. */
  readonly isStreamed: boolean;
  /** The client asks for the usage of a stream, and the caller did not. */
  readonly isUsageAdded: boolean;
};

/** Reads the arguments of `fetch`. A `Request` keeps its headers, such as `Content-Type`. */
export async function readRequest(
  input: string | URL | Request,
  init: RequestInit | undefined,
  isStreamed = false,
): Promise<OutgoingRequest> {
  const request = new Request(input, init);
  const { method, headers } = request;
  // The signal of the new request would be lost with the request, so the caller's own signal counts.
  const given = init?.signal === undefined && input instanceof Request ? input.signal : init?.signal;
  const signal = given ?? new AbortController().signal;
  const url = new URL(request.url);
  // Not all browsers have `request.body`.
  const bytes = new Uint8Array(await request.arrayBuffer());
  const body = bytes.length === 0 ? null : bytes;
  const carriesPayment = headers.has(headerNames.payment) || headers.has(headerNames.paymentSignature);
  const fingerprint = hashRequest(request, body);
  return {
    url,
    method,
    headers,
    body,
    signal,
    source: input,
    carriesPayment,
    isStreamed,
    isUsageAdded: false,
    fingerprint,
  };
}

/**
 * Hashes the parts of a request that the payment buys. Other headers are left out, because some differ between
 * attempts: SDKs count their retries in a header.
 */
function hashRequest({ method, url, headers }: Request, body: Uint8Array | null): string {
  const sold = JSON.stringify([method, url, headers.get(headerNames.settlementType)]);
  return sha256(concat([toUtf8Bytes(sold), body ?? new Uint8Array()]));
}
