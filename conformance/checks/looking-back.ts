import { headerNames } from '@paid-inference/contract/constants';
import { requirements } from '@paid-inference/contract/requirements';
import { PaymentObject } from '@paid-inference/contract/validators';
import type { JudgedId } from '../engine/check.ts';
import type { Context } from '../engine/context.ts';
import { type Offer, readOffer } from '../payment/offer.ts';
import { type Authorization, signerOf } from '../payment/sign.ts';
import { decodeBase64, decodeJson, member } from '../wire/base64-json.ts';
import type { Answered, Exchange } from '../wire/session.ts';
import { type PaidEndpoint, paidEndpointNames, paidEndpoints } from './bodies.ts';
import { requirementsOf } from './sources.ts';

/** An answer of one of the paid endpoints, whatever was asked for. */
export type Past = Answered & { readonly endpoint: PaidEndpoint };

/** A payment of the right form. */
export type SentPayment = { readonly authorization: Authorization; readonly signature: string };

/** All answers of the paid endpoints so far, or those of a status. */
export function answersOf(context: Context, status?: number): readonly Past[] {
  return context.transcript().flatMap((exchange) => {
    const { request, outcome }: Exchange = exchange;
    const endpoint = paidEndpointNames.find((name) => request.url.endsWith(paidEndpoints[name].path));
    if (!endpoint || request.method !== 'POST' || outcome.kind !== 'answer') return [];
    return status === undefined || outcome.status === status ? [{ ...exchange, outcome, endpoint }] : [];
  });
}

/** What was sent as a payment, if anything was. */
export function paymentHeaderOf({ request }: Exchange): string | undefined {
  return request.headers[headerNames.payment];
}

/** The payment that was sent, where it has the form of one (contract 2.9, 2.10). */
export function paymentOf(exchange: Exchange): SentPayment | undefined {
  const header = paymentHeaderOf(exchange);
  const bytes = header === undefined ? undefined : decodeBase64(header);
  const sent = bytes?.ok ? decodeJson(bytes.value) : undefined;
  if (!sent?.ok || !PaymentObject(sent.value)) return undefined;
  // Proven by the validator.
  return member(sent.value, 'payload') as SentPayment;
}

/** The one thing that is wrong with a payment, where it is one that the error table (contract 7) has a row for. */
export type PaymentFault = 'signature' | 'funds';

/**
 * Exchanges whose payment has one fault alone: a signature that is not of its payer, or a payer without funds. In all else it is
 * what was offered for the same body, so that it can be refused for nothing besides.
 */
export async function faultsOfPayments(context: Context): Promise<ReadonlyMap<number, PaymentFault>> {
  const offers = offersMade(context);
  const faults = new Map<number, PaymentFault>();
  for (const past of answersOf(context)) {
    const payment = paymentOf(past);
    if (!payment) continue;
    const fitting = (offers.get(requestOf(past)) ?? []).filter((offer) =>
      isAsOffered(payment.authorization, offer, context.nowSeconds()),
    );
    if (fitting.length === 0) continue;
    const from = payment.authorization.from.toLowerCase();
    const isSigned = fitting.some((offer) => signerOf(offer, payment) === from);
    const isFunded = from === context.budget?.payer.toLowerCase();
    if (!isSigned) faults.set(past.number, 'signature');
    // Whoever is not the payer of this run is the throw-away key, which owns nothing.
    else if (!isFunded && payment.authorization.value !== '0') faults.set(past.number, 'funds');
  }
  return faults;
}

/** The offers of the run, by the request that each was made for. */
function offersMade(context: Context): ReadonlyMap<string, readonly Offer[]> {
  const made = answersOf(context, 402).flatMap((past) => {
    const decoded = requirementsOf(past);
    const offer = decoded.ok ? readOffer(decoded.value) : decoded;
    return offer.ok ? [{ request: requestOf(past), offer: offer.value }] : [];
  });
  const all = new Map<string, Offer[]>();
  for (const { request, offer } of made) {
    const known = all.get(request) ?? [];
    if (!known.some((each) => isSame(each, offer))) all.set(request, [...known, offer]);
  }
  return all;
}

function requestOf({ request }: Past): string {
  return `${request.url} ${request.body}`;
}

function isSame(one: Offer, other: Offer): boolean {
  // The names of an offer are its own.
  const names = Object.keys(one) as (keyof Offer)[];
  return names.every((name) => one[name] === other[name]);
}

/** An expired payment of this suite ended two hours ago; a good one ended, if at all, while the run went on. */
const runSecondsMax = 3_600;

function isAsOffered(
  { to, value, validAfter, validBefore }: Authorization,
  { payTo, maxAmountRequired }: Offer,
  nowSeconds: number,
): boolean {
  return (
    to.toLowerCase() === payTo.toLowerCase() &&
    value === maxAmountRequired.toString() &&
    validAfter < nowSeconds &&
    validAfter < validBefore &&
    validBefore > nowSeconds - runSecondsMax
  );
}

/** Whether a check of single answers has found one of these broken, so that there is no need to say it again. */
export function isTold(context: Context, ...ids: readonly JudgedId[]): boolean {
  return context.told().some(({ requirement }) => ids.some((id) => id === requirement));
}

/** Without the answers that a check of something that must hold has found wrong. */
export function untold<T extends Exchange>(context: Context, exchanges: readonly T[]): readonly T[] {
  const told = context.told().filter(({ requirement }) => requirements[requirement].level === 'MUST');
  return exchanges.filter(({ number }) => !told.some(({ exchanges: numbers }) => numbers.has(number)));
}
