import { endpoints, headerNames } from '@paid-inference/contract/constants';
import type { Context } from '../context/context.ts';
import { type Offer, readOffer } from '../payment/offer.ts';
import { andThen, type Found, found, missing } from '../types/found.ts';
import { decodeBase64, decodeJson, isObject, type JsonObject, member } from '../wire/base64-json.ts';
import type { Answered } from '../wire/exchange.ts';
import { bodyFor, type PaidEndpoint, validRequest } from './bodies.ts';
import { describe, isString } from './judgements.ts';
import { emptyBody, orderOfBody } from './order-of-checks.ts';

/** The answer to a valid request without payment. */
export function unpaid(context: Context, endpoint: PaidEndpoint): Promise<Found<Answered>> {
  return context.ask(validRequest(endpoint, bodyFor(endpoint, context.model)));
}

/** The same, where it was 402. */
export async function paymentRequired(context: Context, endpoint: PaidEndpoint): Promise<Found<Answered>> {
  return andThen(unpaid(context, endpoint), (answered) => demanding(answered));
}

export function demanding(answered: Answered): Found<Answered> {
  return answered.outcome.status === 402
    ? found(answered)
    : missing(`the unpaid request ${answered.number} was answered ${describe(answered)}, not 402`);
}

/** The text of the header that carries the offer. */
export function offerHeader(answered: Answered): Found<string> {
  const text = answered.outcome.headers.get(headerNames.paymentRequired.toLowerCase());
  return text === undefined
    ? missing(`answer ${answered.number} has no ${headerNames.paymentRequired}`)
    : found(text);
}

/** The decoded requirements of a 402, whatever is in them. */
export function requirementsOf(answered: Answered): Found<JsonObject> {
  const text = offerHeader(answered);
  if (!text.ok) return text;
  const bytes = decodeBase64(text.value);
  const value = bytes.ok ? decodeJson(bytes.value) : bytes;
  return value.ok && isObject(value.value)
    ? found(value.value)
    : missing(`${headerNames.paymentRequired} of answer ${answered.number} is not base64 of a JSON object`);
}

/** The offer of a 402, as far as it can be signed for. */
export function offerIn(answered: Answered): Found<Offer> {
  const decoded = requirementsOf(answered);
  return decoded.ok ? readOffer(decoded.value) : decoded;
}

/** The decoded requirements of an endpoint. */
export function requirements(context: Context, endpoint: PaidEndpoint): Promise<Found<JsonObject>> {
  return andThen(paymentRequired(context, endpoint), (answered) => requirementsOf(answered));
}

/** The offer of an endpoint, as far as it can be signed for. */
export function offer(context: Context, endpoint: PaidEndpoint): Promise<Found<Offer>> {
  return andThen(requirements(context, endpoint), (decoded) => readOffer(decoded));
}

/**
 * Whether the deployment reads a body before it asks for payment, be it only now and then: a body with nothing in it is answered
 * otherwise than with 402. Where it does not, an unpaid request shows nothing about bodies.
 */
export async function readsBodyFirst(context: Context, endpoint: PaidEndpoint): Promise<Found<true>> {
  const first = await context.ask(emptyBody(endpoint));
  if (!first.ok) return first;
  if (first.value.outcome.status !== 402) return found(true);
  return andThen(orderOfBody(context, endpoint), (order) =>
    order === 'other'
      ? missing('the deployment asks for payment before it reads the body')
      : found(true as const),
  );
}

/** The models that the target lists; none where it lists none. */
export async function listedModels(context: Context): Promise<readonly string[]> {
  const { method, path } = endpoints.listModels;
  const answered = await context.ask({ method, path });
  const data =
    answered.ok && answered.value.outcome.status === 200 ? parseModelList(answered.value) : undefined;
  if (!Array.isArray(data)) return [];
  return data.map((entry) => member(entry, 'id')).filter(isString);
}

/** The value of `data` in a list of models; undefined where the body has none. */
export function parseModelList({ outcome }: Answered): unknown {
  const list = decodeJson(Buffer.from(outcome.body));
  return list.ok ? member(list.value, 'data') : undefined;
}
