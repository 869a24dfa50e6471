import { type Context, urlAt } from '../../context/context.ts';
import { paidEndpointNames, paidEndpoints } from '../../sources/bodies.ts';
import { readPayment, readPaymentHeader, unreported } from '../../sources/transcript-queries.ts';
import { decodeJson, isObject, member } from '../../wire/base64-json.ts';
import type { Exchange } from '../../wire/exchange.ts';

/**
 * Methods that ask for no inference. The contract does not define their responses, but a completion always
 * needs payment.
 */
const otherMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'DELETE']);

/**
 * All requests of the run that were served without payment, including random ones (D-146). A refusal whose body
 * is a completion serves its request too (D-244).
 */
export function servedUnpaid(context: Context): readonly Exchange[] {
  const served = context
    .everything()
    .filter((exchange) => isServed(context, exchange) || isServedInRefusal(exchange));
  const withoutPayment = served.filter((exchange) => readPaymentHeader(exchange) === undefined);
  // The throw-away key has no funds, so its payments pay for nothing. An earlier receipt pays for nothing
  // either. Other checks report most of these responses.
  const falsely = served.filter((exchange) => isNoPayment(exchange) || isByThrowaway(context, exchange));
  return [...withoutPayment, ...unreported(context, falsely)];
}

/** Whether `X-PAYMENT` has other contents than a payment. */
function isNoPayment(exchange: Exchange): boolean {
  return readPaymentHeader(exchange) !== undefined && readPayment(exchange) === undefined;
}

/**
 * Whether an inference was served: a 2xx status of a paid endpoint, or a completion for another method or at another
 * path.
 */
export function isServed({ targetUrl }: Context, { request, outcome }: Exchange): boolean {
  if (outcome.kind !== 'response' || outcome.status >= 300) return false;
  const [url] = request.url.split('?');
  const isPaidFor = paidEndpointNames.some((name) => url === urlAt(targetUrl, paidEndpoints[name].path));
  if (isPaidFor && !otherMethods.has(request.method)) return true;
  const read = decodeJson(Buffer.from(outcome.body));
  return read.ok && isCompletion(read.value);
}

/** Whether the body of a refusal is a completion. The contract leaves all other contents of a 402 open (§4.1). */
function isServedInRefusal({ outcome }: Exchange): boolean {
  if (outcome.kind !== 'response' || outcome.status < 300) return false;
  const read = decodeJson(Buffer.from(outcome.body));
  const choices = read.ok ? member(read.value, 'choices') : undefined;
  return Array.isArray(choices) && choices.some(isChoice);
}

/** Whether a choice is that of a completion (§2.6, §2.7). A refusal may also list choices of payments. */
function isChoice(choice: unknown): boolean {
  const message = member(choice, 'message');
  const calls = member(message, 'tool_calls');
  const isCalling = Array.isArray(calls) && calls.length > 0;
  const isEnding = isText(member(choice, 'text')) && member(choice, 'finish_reason') !== undefined;
  return isEnding || isText(member(message, 'content')) || isCalling;
}

/**
 * Whether a value is a completion of the contract or of a similar interface. The texts of the latter stand in
 * members with common names, so the model must stand beside them.
 */
function isCompletion(value: unknown): boolean {
  if (Array.isArray(member(value, 'choices')) || isText(member(value, 'generated_text'))) return true;
  if (typeof member(value, 'model') !== 'string') return false;
  const lists = [member(value, 'output'), member(value, 'content')];
  const isListed = lists.some((list) => Array.isArray(list) && list.some(isObject));
  return isListed || isObject(member(value, 'message')) || isText(member(value, 'response'));
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isByThrowaway(context: Context, exchange: Exchange): boolean {
  const { from, value } = readPayment(exchange)?.authorization ?? {};
  const payer = context.budget?.payer.toLowerCase();
  return from !== undefined && from.toLowerCase() !== payer && value !== '0';
}
