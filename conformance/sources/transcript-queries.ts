import { headerNames } from '@paid-inference/contract/constants';
import { requirements } from '@paid-inference/contract/requirements';
import { PaymentObject } from '@paid-inference/contract/validators';
import { getAddress } from 'ethers';
import type { JudgedId } from '../context/check.ts';
import { type Context, urlAt } from '../context/context.ts';
import type { Offer } from '../payment/offer.ts';
import { type Authorization, recoverSigner } from '../payment/sign.ts';
import { decodeBase64, decodeJson, member } from '../wire/base64-json.ts';
import type { Answered, Exchange } from '../wire/exchange.ts';

import { type PaidEndpoint, paidEndpointNames, paidEndpoints } from './bodies.ts';
import { judgeTransient } from './judgements.ts';
import { offerIn } from './sources.ts';

/** A response of one of the paid endpoints. */
export type Past = Answered & { readonly endpoint: PaidEndpoint };

/** A well-formed payment. */
export type SentPayment = { readonly authorization: Authorization; readonly signature: string };

/** All responses of the paid endpoints so far, or those with one status. */
export function listResponses(context: Context, status?: number): readonly Past[] {
  const responses = readResponses(context);
  return status === undefined ? responses : responses.filter(({ outcome }) => outcome.status === status);
}

/** The responses to random requests of the paid endpoints with one status. */
export function listRandomResponses(context: Context, status: number): readonly Past[] {
  return readPasts(context, context.everything()).filter(
    ({ request, outcome }) => request.isRandom && outcome.status === status,
  );
}

/** The responses of the paid endpoints among the first exchanges of a run. */
type Read = { readonly exchanges: number; readonly responses: readonly Past[] };

const knownResponses = new WeakMap<readonly Exchange[], Read>();

/** Reads only the exchanges since the last call: each payment of a run calls this. */
function readResponses(context: Context): readonly Past[] {
  const exchanges = context.everything();
  const read = knownResponses.get(exchanges) ?? { exchanges: 0, responses: [] };
  if (read.exchanges === exchanges.length) return read.responses;
  const added = exchanges.slice(read.exchanges).filter(({ request }) => !request.isRandom);
  const responses = [...read.responses, ...readPasts(context, added)];
  knownResponses.set(exchanges, { exchanges: exchanges.length, responses });
  return responses;
}

/** The responses of the paid endpoints. */
function readPasts(context: Context, exchanges: readonly Exchange[]): readonly Past[] {
  const endpoints = new Map(
    paidEndpointNames.map((name) => [urlAt(context.targetUrl, paidEndpoints[name].path), name]),
  );
  return exchanges.flatMap((exchange) => {
    const { request, outcome } = exchange;
    const endpoint = endpoints.get(request.url);
    if (!endpoint || request.method !== 'POST' || outcome.kind !== 'response') return [];
    return [{ ...exchange, outcome, endpoint }];
  });
}

/** Leaves out responses to a payment that was sent before: the contract does not define them (§5). */
export function firstUses(context: Context, responses: readonly Past[]): readonly Past[] {
  const used = new Set<string>();
  const again = new Set<number>();
  for (const past of listResponses(context)) {
    const header = readPaymentHeader(past);
    if (header === undefined) continue;
    const nonce = readPayment(past)?.authorization.nonce.toLowerCase();
    // A gateway may check the nonce first, so another signature over the same nonce counts as the same payment.
    const names = nonce === undefined ? [header] : [header, nonce];
    if (names.some((name) => used.has(name))) again.add(past.number);
    // A transient response does not mean that the gateway read the payment.
    if (!judgeTransient(past)) for (const name of names) used.add(name);
  }
  return responses.filter(({ number }) => !again.has(number));
}

/** The payment header of a request, if present. */
export function readPaymentHeader({ request }: Exchange): string | undefined {
  return readHeader(request, headerNames.payment);
}

/** A header of a request. Its name may be in lower case. */
function readHeader({ headers }: Pick<AskedFor, 'headers'>, name: string): string | undefined {
  return headers[name] ?? headers[name.toLowerCase()];
}

/** The payments of requests. Many checks read each of them. */
const payments = new WeakMap<Exchange['request'], { readonly payment: SentPayment | undefined }>();

/** The payment of a request, if it is well-formed (§2.9, §2.10). */
export function readPayment(exchange: Exchange): SentPayment | undefined {
  const known = payments.get(exchange.request) ?? { payment: decodePayment(exchange) };
  payments.set(exchange.request, known);
  return known.payment;
}

function decodePayment(exchange: Exchange): SentPayment | undefined {
  const header = readPaymentHeader(exchange);
  const bytes = header === undefined ? undefined : decodeBase64(header);
  const sent = bytes?.ok ? decodeJson(bytes.value) : undefined;
  if (!sent?.ok || !PaymentObject(sent.value)) return undefined;
  // The validator has checked the type.
  return member(sent.value, 'payload') as SentPayment;
}

/**
 * The only fault of a payment, if the error table (§7) has a row for it. A payment without funds and with
 * unusual letter case or a long window may be refused for either (D-130, D-428).
 */
export type PaymentFault = 'signature' | 'funds' | 'funds or form';

/**
 * Finds exchanges whose payment has exactly one fault: a signature by another key, or a payer without funds.
 * Everything else matches an offer for the same body, so the gateway has no other reason to refuse the payment.
 */
export async function faultsOfPayments(context: Context): Promise<ReadonlyMap<number, PaymentFault>> {
  const offers = offersMade(context);
  const faults = new Map<number, PaymentFault>();
  for (const past of firstUses(context, listResponses(context))) {
    const payment = readPayment(past);
    if (!payment) continue;
    const standing = (offers.get(identifyRequest(past)) ?? []).filter((made) => stoodFor(past, made));
    const fitting = distinct(standing).filter((offer) => isAsOffered(payment.authorization, offer, past));
    if (fitting.length === 0) continue;
    const from = payment.authorization.from.toLowerCase();
    const isSigned = fitting.some((offer) => recoverSigner(offer, payment) === from);
    const isFunded = from === context.budget?.payer.toLowerCase();
    if (!isSigned) faults.set(past.number, 'signature');
    // A payer other than the funded key is the throw-away key, which has no funds.
    else if (isFunded || payment.authorization.value === '0') continue;
    else {
      const isPlain = fitting.some((offer) => isUsual(payment, offer));
      faults.set(past.number, isPlain ? 'funds' : 'funds or form');
    }
  }
  return faults;
}

/** An offer of the run, with the time and number of its request. */
export type Made = { readonly offer: Offer; readonly sentAtMs: number; readonly number: number };

/** The offers of the run by request. */
function offersMade(context: Context): ReadonlyMap<string, readonly Made[]> {
  const all = new Map<string, Made[]>();
  for (const past of listResponses(context, 402)) {
    const request = identifyRequest(past);
    const known = all.get(request) ?? [];
    known.push(...readMade(past));
    all.set(request, known);
  }
  return all;
}

/** The offers of the run for one request, in the order of the requests. */
export function offersFor(context: Context, asked: string): readonly Made[] {
  // Only the responses to this request are decoded, because each payment calls this.
  return listResponses(context, 402)
    .filter((past) => identifyRequest(past) === asked)
    .flatMap(readMade);
}

/** The offer of a response, if it can be signed. */
function readMade(past: Past): readonly Made[] {
  const offer = offerIn(past);
  return offer.ok ? [{ offer: offer.value, sentAtMs: past.sentAtMs, number: past.number }] : [];
}

/** Whether a payment in this run was served for an offer that was not the newest for its request. */
export function isEarlierOfferKept(context: Context): boolean {
  const offers = offersMade(context);
  return listResponses(context, 200).some((past) => {
    const value = readPayment(past)?.authorization.value;
    const made = (offers.get(identifyRequest(past)) ?? []).filter(({ number }) => number < past.number);
    const amounts = made.map(({ offer }) => offer.maxAmountRequired.toString());
    return value !== undefined && amounts.at(-1) !== value && amounts.includes(value);
  });
}

/** The offers of the run for one body, with any settlement type. */
function offersForBody(context: Context, { url, body }: AskedFor): readonly Made[] {
  return listResponses(context, 402)
    .filter(({ request }) => request.url === url && request.body === body)
    .flatMap(readMade);
}

/**
 * The highest amount of all offers of the run for the request of this response. If its price changes from offer to offer,
 * a gateway may keep each offer for the body (D-121).
 */
export function highestAmountFor(context: Context, { request }: Answered): bigint {
  const exact = offersFor(context, identifyRequest({ request }));
  const isFloating = new Set(exact.map(({ offer }) => offer.maxAmountRequired)).size > 1;
  const made = isFloating ? offersForBody(context, request) : exact;
  return made.reduce(
    (highest, { offer: { maxAmountRequired } }) =>
      maxAmountRequired > highest ? maxAmountRequired : highest,
    0n,
  );
}

/** An offer is valid for the time that it states (§2.8, §8), and so is a payment that arrives in that time. */
function stoodFor(past: Past, { offer, sentAtMs, number }: Made): boolean {
  return number < past.number && past.endedAtMs <= endOfOffer(offer, sentAtMs);
}

/** The time until which an offer is certainly valid, counted from the request for it. */
export function endOfOffer({ maxTimeoutSeconds }: Offer, askedAtMs: number): number {
  return askedAtMs + maxTimeoutSeconds * 1000;
}

function distinct(made: readonly Made[]): readonly Offer[] {
  const offers: Offer[] = [];
  for (const { offer } of made) if (!offers.some((each) => isSame(each, offer))) offers.push(offer);
  return offers;
}

/** The key of an offer. Another settlement type may have another price for the same body. */
export function identifyRequest({ request }: { readonly request: AskedFor }): string {
  return `${request.url} ${readHeader(request, headerNames.settlementType) ?? ''} ${request.body}`;
}

type AskedFor = Pick<Exchange['request'], 'url' | 'body' | 'headers'>;

function isSame(one: Offer, other: Offer): boolean {
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

/** The longest window of a usual payment. A gateway may take a payment with a longer one for none (§5, D-273). */
const windowSecondsMax = 3_600;

/** Letter case does not change a payment, and neither does an early begin of its window. */
function isUsual({ authorization, signature }: SentPayment, { payTo, maxTimeoutSeconds }: Offer): boolean {
  const { from, to, nonce, validAfter, validBefore } = authorization;
  const isInSmallLetters = [nonce, signature].every((hex) => hex === hex.toLowerCase());
  const isShort = validBefore - validAfter <= maxTimeoutSeconds + windowSecondsMax;
  return isInSmallLetters && isShort && from === getAddress(from.toLowerCase()) && to === payTo;
}

/** Whether a check of single responses already reported one of these requirements as broken. */
export function isReported(context: Context, ...ids: readonly JudgedId[]): boolean {
  return context.reported().some(({ requirement }) => ids.some((id) => id === requirement));
}

/** Leaves out responses that a MUST check reported as wrong. */
export function unreported<T extends Exchange>(context: Context, exchanges: readonly T[]): readonly T[] {
  const reported = context.reported().filter(({ requirement }) => requirements[requirement].level === 'MUST');
  return exchanges.filter(({ number }) => !reported.some(({ exchanges: numbers }) => numbers.has(number)));
}
