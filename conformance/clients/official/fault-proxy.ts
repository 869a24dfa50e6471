import { setTimeout as wait } from 'node:timers/promises';
import {
  type Forward,
  json,
  type ProxyRequest,
  type ProxyResponse,
  startProxy,
} from '../../testing/proxy.ts';
import { decodeJson, member } from '../../wire/base64-json.ts';
import { readPayment } from '../wire.ts';
import type { FaultCase } from './faults.ts';

/** A proxy in front of a gateway that injects one fault, into the first request with a payment. */
export type FaultProxy = AsyncDisposable & {
  readonly url: string;
  /** The authorizations that the client sent: value by nonce. */
  readonly authorizations: ReadonlyMap<string, bigint>;
  readonly dialects: ReadonlySet<string>;
  /** Resolves when the fault was injected, or without a fault when the first payment got a response. */
  readonly struck: Promise<void>;
};

type Strike = NonNullable<FaultCase['strike']>;

/** How long the gateway has the payment before the proxy leaves `during` the settlement. */
const duringMs = 1_500;
/** How long a silent proxy keeps the connection open. */
const silenceMs = 4_000;

export async function startFaultProxy(gatewayUrl: string, strike: FaultCase['strike']): Promise<FaultProxy> {
  const authorizations = new Map<string, bigint>();
  const dialects = new Set<string>();
  const struck = Promise.withResolvers<void>();
  const proxy = await startProxy(gatewayUrl, async (request, forward) => {
    const payment = readPayment(request.headers);
    if (payment === undefined) return forward();
    if (payment === 'unreadable') throw new Error('The payment cannot be read');
    const isFirst = authorizations.size === 0;
    authorizations.set(payment.authorization.nonce, payment.authorization.value);
    dialects.add(nameDialect(request, payment.text));
    if (!isFirst) return forward();
    try {
      return strike === null ? await forward() : await inject(strike, forward, struck.resolve);
    } finally {
      struck.resolve();
    }
  });
  return { ...proxy, authorizations, dialects, struck: struck.promise };
}

/** Rejects if the proxy closes the connection. `begin` is called when the fault begins. */
async function inject(
  { fault, moment }: Strike,
  forward: Forward,
  begin: () => void,
): Promise<ProxyResponse> {
  if (moment === 'during') await forward(AbortSignal.timeout(duringMs)).catch(() => undefined);
  if (moment === 'after') await forward();
  begin();
  if (fault === 'silence') await wait(silenceMs);
  if (fault === 'silence' || fault === 'close') throw new Error('The proxy closes the connection');
  return json(Number(fault), {});
}

/** The form of a payment, from its header and its version. */
function nameDialect({ headers }: Pick<ProxyRequest, 'headers'>, text: string): string {
  if (headers['payment-signature'] !== undefined) return 'x402 v2';
  const decoded = decodeJson(Buffer.from(text, 'base64'));
  return decoded.ok && member(decoded.value, 'x402Version') === 1 ? 'x402 v1' : 'contract';
}
