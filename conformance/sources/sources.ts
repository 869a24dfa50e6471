import { endpoints, headerNames } from '@paid-inference/contract/constants';
import type { Context } from '../context/context.ts';
import { type Offer, readOffer } from '../payment/offer.ts';
import { type Found, found, missing } from '../types/found.ts';
import {
  decodeBase64,
  decodeJson,
  decodeMarkedJson,
  isObject,
  type JsonObject,
  member,
} from '../wire/base64-json.ts';
import type { Answered } from '../wire/exchange.ts';
import { bodyFor, type PaidEndpoint, validRequest } from './bodies.ts';
import { describe, isString } from './judgements.ts';
import { emptyBody, orderOfBody } from './order-of-checks.ts';

/** The response to a valid request without payment. */
export function unpaid(context: Context, endpoint: PaidEndpoint): Promise<Found<Answered>> {
  return context.ask(validRequest(endpoint, bodyFor(endpoint, context.model)));
}

/** The same response, if its status is 402. */
export async function paymentRequired(context: Context, endpoint: PaidEndpoint): Promise<Found<Answered>> {
  const answered = await unpaid(context, endpoint);
  return answered.ok ? demanding(answered.value) : answered;
}

export function demanding(answered: Answered): Found<Answered> {
  return answered.outcome.status === 402
    ? found(answered)
    : missing(`the unpaid request ${answered.number} got ${describe(answered)}, not 402`);
}

/** The text of the header that contains the offer. */
export function offerHeader(answered: Answered): Found<string> {
  const text = answered.outcome.headers.get(headerNames.paymentRequired.toLowerCase());
  return text === undefined
    ? missing(`response ${answered.number} has no header ${headerNames.paymentRequired}`)
    : found(text);
}

/** The decoded requirements of a 402, unvalidated. */
export function decodeRequirements(answered: Answered): Found<JsonObject> {
  const text = offerHeader(answered);
  if (!text.ok) return text;
  const bytes = decodeBase64(text.value);
  const value = bytes.ok ? decodeJson(bytes.value) : bytes;
  return value.ok && isObject(value.value)
    ? found(value.value)
    : missing(
        `the header ${headerNames.paymentRequired} of response ${answered.number} is not the base64 of a JSON object`,
      );
}

/** The offer of a 402 response, if it can be signed. */
export function offerIn(answered: Answered): Found<Offer> {
  const decoded = decodeRequirements(answered);
  return decoded.ok ? readOffer(decoded.value) : decoded;
}

/** The decoded requirements of an endpoint. */
export async function requirements(context: Context, endpoint: PaidEndpoint): Promise<Found<JsonObject>> {
  const answered = await paymentRequired(context, endpoint);
  return answered.ok ? decodeRequirements(answered.value) : answered;
}

/** The offer of an endpoint, if it can be signed. */
export async function offer(context: Context, endpoint: PaidEndpoint): Promise<Found<Offer>> {
  const decoded = await requirements(context, endpoint);
  return decoded.ok ? readOffer(decoded.value) : decoded;
}

/**
 * Whether the deployment reads the body before it asks for payment, at least sometimes: an empty object gets
 * another status than 402. Otherwise unpaid requests show nothing about bodies.
 */
export async function readsBodyFirst(context: Context, endpoint: PaidEndpoint): Promise<Found<true>> {
  const first = await context.ask(emptyBody(endpoint));
  if (!first.ok) return first;
  if (first.value.outcome.status !== 402) return found(true);
  const order = await orderOfBody(context, endpoint);
  if (!order.ok) return order;
  if (order.value === 'other') return missing('the deployment returns 402 before it reads the body');
  return found(true);
}

/** Whether both endpoints answer a plain request with 402. */
export async function bothDemanding(context: Context): Promise<Found<Answered>> {
  const chat = await paymentRequired(context, 'chat');
  return chat.ok ? paymentRequired(context, 'completions') : chat;
}

/** Whether both endpoints do so, and also read the body before they ask for payment, at least sometimes. */
export async function bothReading(context: Context): Promise<Found<true>> {
  const demanded = await bothDemanding(context);
  if (!demanded.ok) return demanded;
  const chat = await readsBodyFirst(context, 'chat');
  return chat.ok ? readsBodyFirst(context, 'completions') : chat;
}

/** The catalog identifiers of the target's list; empty if it has no list. */
export async function listedModels(context: Context): Promise<readonly string[]> {
  const { method, path } = endpoints.listModels;
  const answered = await context.ask({ method, path });
  const data =
    answered.ok && answered.value.outcome.status === 200 ? parseModelList(answered.value) : undefined;
  if (!Array.isArray(data)) return [];
  const ids = data.map((entry) => member(entry, 'id')).filter(isString);
  return ids.filter((id) => identifierPattern.test(id));
}

/** The form of the identifiers in the catalog: `<provider>/<model_name>` (§1). */
export const identifierPattern = /^[^/\s]+\/\S+$/;

/** The member `data` of a list of models; undefined if the body has none. */
export function parseModelList({ outcome }: Answered): unknown {
  const list = decodeMarkedJson(outcome.body);
  return list.ok ? member(list.value, 'data') : undefined;
}
