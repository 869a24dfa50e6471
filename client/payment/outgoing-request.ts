import { headerNames } from '@paid-inference/contract/constants';
import { concat, sha256, toUtf8Bytes } from 'ethers';

/** A request whose body is in memory, so that the very same one can be sent again. */
export type OutgoingRequest = {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer> | null;
  readonly signal: AbortSignal;
  /** What is bought: equal for two requests that one payment may pay for (D-19). */
  readonly fingerprint: string;
  /** The caller pays by itself, and a 402 to a paid request is never paid. */
  readonly carriesPayment: boolean;
};

/** Takes whatever `fetch` takes. A `Request` keeps its headers, which is where others lose `Content-Type`. */
export async function readRequest(
  input: string | URL | Request,
  init: RequestInit | undefined,
): Promise<OutgoingRequest> {
  const request = new Request(input, init);
  const { method, headers, signal } = request;
  const url = new URL(request.url);
  const body = request.body === null ? null : new Uint8Array(await request.arrayBuffer());
  const carriesPayment = headers.has(headerNames.payment) || headers.has(headerNames.paymentSignature);
  return { url, method, headers, body, signal, carriesPayment, fingerprint: fingerprintOf(request, body) };
}

/**
 * The other headers do not change what is bought, and some differ from one sending to the next: SDKs count their
 * retries in one.
 */
function fingerprintOf({ method, url, headers }: Request, body: Uint8Array | null): string {
  const sold = JSON.stringify([method, url, headers.get(headerNames.settlementType)]);
  return sha256(concat([toUtf8Bytes(sold), body ?? new Uint8Array()]));
}
