import { createHash } from 'node:crypto';
import { parseEndpoint } from '../../outbound/endpoint.ts';
import { createHttpCaller, type HttpResponse } from '../../outbound/http-caller.ts';
import type { PaymentRecord } from '../../store/store.ts';
import { createCallTurns } from '../../types/call-turns.ts';
import { systemClock } from '../../types/clock.ts';
import { fail, type Result } from '../../types/result.ts';
import type { Address } from '../../types/units.ts';
import type { Facilitator, X402Version } from './facilitator.ts';
import { type FacilitatorTerms, facilitatorRequest } from './request.ts';
import { readSettled, readSupported, readVerified } from './response.ts';

export type HttpFacilitatorOptions = {
  /** The URL without `/verify`, http or https. It may carry credentials, and no message repeats them. */
  readonly url: string;
  /** Sent as `Authorization: Bearer`; null for none. */
  readonly token: string | null;
  readonly terms: FacilitatorTerms;
  /** Deadline of `/supported` and `/verify`, for which a request waits. */
  readonly verifyTimeoutMs: number;
  readonly settleTimeoutMs: number;
  /**
   * Connections for settlements. Other calls have their own, so that a hanging settlement does not block them.
   */
  readonly settlementsMax: number;
};

/** Payments that the facilitator verifies at once. One payer has at most half of them (D-164). */
const verificationsMax = 32;
/** Most bytes of a response. The longest one of the protocol is a list of kinds. */
const responseBytesMax = 262_144;

const noTurn = 'other payments of the payer took the time of the call';

/** Creates a facilitator client over HTTP. Throws when the URL does not start with http:// or https://. */
export function createHttpFacilitator(options: HttpFacilitatorOptions): Facilitator {
  const { terms, token, verifyTimeoutMs, settleTimeoutMs, settlementsMax } = options;
  const { origin, pathname, search, authorization } = readEndpoint(options.url);
  const common = { origin, server: 'the facilitator', responseBytesMax };
  const asking = createHttpCaller({
    ...common,
    // One more, so that `/supported` does not wait for verifications.
    connections: verificationsMax + 1,
    timeoutMs: verifyTimeoutMs,
  });
  const verifying = createCallTurns(verificationsMax, systemClock.monotonicMs);
  const settling = createHttpCaller({ ...common, connections: settlementsMax, timeoutMs: settleTimeoutMs });
  const credentials = token === null ? authorization : `Bearer ${token}`;
  const headers = {
    accept: 'application/json',
    ...(credentials !== null && { authorization: credentials }),
  };
  const base = pathname.replace(/\/+$/, '');
  const buildPath = (name: string) => `${base}/${name}${search}`;

  return {
    async supported() {
      const request = { method: 'GET', path: buildPath('supported'), headers } as const;
      return read(await asking.call({ ...request, timeoutMs: verifyTimeoutMs }), readSupported);
    },
    async verify(version, payment) {
      const request = post('verify', version, payment);
      const call = (timeoutMs: number) => asking.call({ ...request, timeoutMs });
      const response = await verifying(payment.authorization.from, verifyTimeoutMs, call);
      return response === null ? fail(noTurn) : read(response, readVerified);
    },
    async settle(version, payment, signal) {
      const request = post('settle', version, payment);
      return read(await settling.call({ ...request, timeoutMs: settleTimeoutMs, signal }), readSettled);
    },
    async close() {
      await Promise.all([asking.close(), settling.close()]);
    },
  };

  function post(name: string, version: X402Version, payment: PaymentRecord) {
    return {
      method: 'POST',
      path: buildPath(name),
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(facilitatorRequest(version, payment, terms)),
    } as const;
  }
}

/**
 * Derives the lease name of a facilitator in the store. Gateways with the same facilitator share one lease, so
 * that one gateway at a time settles a payment.
 */
export function hashFacilitatorUrl(url: string): Address {
  const { origin, pathname } = readEndpoint(url);
  const name = `x402 facilitator ${origin}${pathname.replace(/\/+$/, '')}`;
  return `0x${createHash('sha256').update(name).digest('hex').slice(0, 40)}` as Address;
}

function readEndpoint(url: string) {
  const endpoint = parseEndpoint(url);
  if (endpoint === null)
    throw new Error('the URL of the facilitator does not start with http:// or https://');
  return endpoint;
}

function read<T>(
  response: Result<HttpResponse, string>,
  reader: (response: HttpResponse) => Result<T, string>,
): Result<T, string> {
  return response.ok ? reader(response.value) : response;
}
