import { headerNames } from '@paid-inference/contract/constants';
import { requirements } from '@paid-inference/contract/requirements';
import { PaymentObject } from '@paid-inference/contract/validators';
import { getAddress } from 'ethers';
import type { JudgedId } from '../context/check.ts';
import { type Context, urlAt } from '../context/context.ts';
import { type Offer, readOffer } from '../payment/offer.ts';
import { type Authorization, signerOf } from '../payment/sign.ts';
import { decodeBase64, decodeJson, member } from '../wire/base64-json.ts';
import type { Answered, Exchange } from '../wire/exchange.ts';

import { type PaidEndpoint, paidEndpointNames, paidEndpoints } from './bodies.ts';
import { passing } from './judgements.ts';
import { requirementsOf } from './sources.ts';

/** An answer of one of the paid endpoints, whatever was asked for. */
export type Past = Answered & { readonly endpoint: PaidEndpoint };

/** A payment of the right form. */
export type SentPayment = { readonly authorization: Authorization; readonly signature: string };

/** All answers of the paid endpoints so far, or those of a status. */
export function answersOf(context: Context, status?: number): readonly Past[] {
  return context.transcript().flatMap((exchange) => {
    const { request, outcome }: Exchange = exchange;
    const endpoint = paidEndpointNames.find(
      (name) => request.url === urlAt(context.targetUrl, paidEndpoints[name].path),
    );
    if (!endpoint || request.method !== 'POST' || outcome.kind !== 'answer') return [];
    return status === undefined || outcome.status === status ? [{ ...exchange, outcome, endpoint }] : [];
  });
}

/** Without answers to a payment that was sent before: what such a one brings is not shown (contract 5). */
export function firstUses(context: Context, answers: readonly Past[]): readonly Past[] {
  const used = new Set<string>();
  const again = new Set<number>();
  for (const past of answersOf(context)) {
    const header = paymentHeaderOf(past);
    if (header === undefined) continue;
    const nonce = paymentOf(past)?.authorization.nonce.toLowerCase();
    // A gateway may look at the nonce first: then another signature makes no other payment.
    const names = nonce === undefined ? [header] : [header, nonce];
    if (names.some((name) => used.has(name))) again.add(past.number);
    // What passes by itself has not been looked at.
    if (!passing(past)) for (const name of names) used.add(name);
  }
  return answers.filter(({ number }) => !again.has(number));
}

/** What was sent as a payment, if anything was. */
export function paymentHeaderOf({ request }: Exchange): string | undefined {
  return headerOf(request, headerNames.payment);
}

/** A header of a request, whose names may stand in small letters. */
function headerOf({ headers }: Pick<AskedFor, 'headers'>, name: string): string | undefined {
  return headers[name] ?? headers[name.toLowerCase()];
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

/**
 * The one thing that is wrong with a payment, where it is one that the error table (contract 7) has a row for. In other letters
 * than usual, one without funds may be refused for either (D-130).
 */
export type PaymentFault = 'signature' | 'funds' | 'funds or letters';

/**
 * Exchanges whose payment has one fault alone: a signature that is not of its payer, or a payer without funds. In all else it is
 * what was offered for the same body, so that it can be refused for nothing besides.
 */
export async function faultsOfPayments(context: Context): Promise<ReadonlyMap<number, PaymentFault>> {
  const offers = offersMade(context);
  const faults = new Map<number, PaymentFault>();
  for (const past of firstUses(context, answersOf(context))) {
    const payment = paymentOf(past);
    if (!payment) continue;
    const standing = (offers.get(requestOf(past)) ?? []).filter((made) => stoodFor(past, made));
    const fitting = distinct(standing).filter((offer) => isAsOffered(payment.authorization, offer, past));
    if (fitting.length === 0) continue;
    const from = payment.authorization.from.toLowerCase();
    const isSigned = fitting.some((offer) => signerOf(offer, payment) === from);
    const isFunded = from === context.budget?.payer.toLowerCase();
    if (!isSigned) faults.set(past.number, 'signature');
    // Whoever is not the payer of this run is the throw-away key, which owns nothing.
    else if (isFunded || payment.authorization.value === '0') continue;
    else {
      const isUsual = fitting.some((offer) => isInUsualLetters(payment.authorization, offer));
      faults.set(past.number, isUsual ? 'funds' : 'funds or letters');
    }
  }
  return faults;
}

/** An offer of the run: when it was asked for, and by which request. */
export type Made = { readonly offer: Offer; readonly sentAtMs: number; readonly number: number };

/** The offers of the run, by the request that each was made for. */
function offersMade(context: Context): ReadonlyMap<string, readonly Made[]> {
  const all = new Map<string, Made[]>();
  for (const past of answersOf(context, 402)) {
    const decoded = requirementsOf(past);
    const offer = decoded.ok ? readOffer(decoded.value) : decoded;
    if (!offer.ok) continue;
    const known = all.get(requestOf(past)) ?? [];
    all.set(requestOf(past), [
      ...known,
      { offer: offer.value, sentAtMs: past.sentAtMs, number: past.number },
    ]);
  }
  return all;
}

/** The offers of the run for one request, in the order in which they were made. */
export function offersFor(context: Context, asked: string): readonly Made[] {
  return offersMade(context).get(asked) ?? [];
}

/** Whether a payment was served in this run for an offer that was not the newest for its request. */
export function isEarlierOfferKept(context: Context): boolean {
  const offers = offersMade(context);
  return answersOf(context, 200).some((past) => {
    const value = paymentOf(past)?.authorization.value;
    const made = (offers.get(requestOf(past)) ?? []).filter(({ number }) => number < past.number);
    const amounts = made.map(({ offer }) => offer.maxAmountRequired.toString());
    return value !== undefined && amounts.at(-1) !== value && amounts.includes(value);
  });
}

/** The most that any offer of the run asks for, made for the request that this is an answer to. */
export function highestAmountFor(context: Context, { request }: Answered): bigint {
  const made = offersMade(context).get(requestOf({ request })) ?? [];
  return made.reduce(
    (highest, { offer: { maxAmountRequired } }) =>
      maxAmountRequired > highest ? maxAmountRequired : highest,
    0n,
  );
}

/** An offer is good for as long as it says (contract 2.8, 8), and so is a payment for it that was there by then. */
function stoodFor(past: Past, { offer, sentAtMs, number }: Made): boolean {
  return number < past.number && past.endedAtMs <= endOfOffer(offer, sentAtMs);
}

/** Until when an offer is surely good: it was made after it was asked for. */
export function endOfOffer({ maxTimeoutSeconds }: Offer, askedAtMs: number): number {
  return askedAtMs + maxTimeoutSeconds * 1000;
}

function distinct(made: readonly Made[]): readonly Offer[] {
  const offers: Offer[] = [];
  for (const { offer } of made) if (!offers.some((each) => isSame(each, offer))) offers.push(offer);
  return offers;
}

/** What an offer was made for: with another settlement type the same body may have another price. */
export function requestOf({ request }: { readonly request: AskedFor }): string {
  return `${request.url} ${headerOf(request, headerNames.settlementType) ?? ''} ${request.body}`;
}

type AskedFor = Pick<Exchange['request'], 'url' | 'body' | 'headers'>;

function isSame(one: Offer, other: Offer): boolean {
  // The names of an offer are its own.
  const names = Object.keys(one) as (keyof Offer)[];
  return names.every((name) => one[name] === other[name]);
}

function isAsOffered(
  { to, value, validAfter, validBefore }: Authorization,
  { payTo, maxAmountRequired }: Offer,
  { sentAtMs, endedAtMs }: Past,
): boolean {
  return (
    to.toLowerCase() === payTo.toLowerCase() &&
    value === maxAmountRequired.toString() &&
    validAfter * 1000 < sentAtMs &&
    validBefore * 1000 > endedAtMs
  );
}

/** In other letters it is the same payment. */
function isInUsualLetters({ from, to, nonce }: Authorization, { payTo }: Offer): boolean {
  return from === getAddress(from.toLowerCase()) && to === payTo && nonce === nonce.toLowerCase();
}

/** Whether a check of single answers has found one of these broken, so that there is no need to say it again. */
export function isReported(context: Context, ...ids: readonly JudgedId[]): boolean {
  return context.reported().some(({ requirement }) => ids.some((id) => id === requirement));
}

/** Without the answers that a check of something that must hold has found wrong. */
export function unreported<T extends Exchange>(context: Context, exchanges: readonly T[]): readonly T[] {
  const reported = context.reported().filter(({ requirement }) => requirements[requirement].level === 'MUST');
  return exchanges.filter(({ number }) => !reported.some(({ exchanges: numbers }) => numbers.has(number)));
}
