import { type Context, urlAt } from '../../context/context.ts';
import { paidEndpointNames, paidEndpoints } from '../../sources/bodies.ts';
import { paymentHeaderOf, paymentOf, unreported } from '../../sources/transcript-queries.ts';
import { decodeJson, member } from '../../wire/base64-json.ts';
import type { Exchange } from '../../wire/exchange.ts';

/** These methods ask for no inference. The contract does not say how they are answered, save that a completion is paid for. */
const readingMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Every request of the run that was served and that nobody paid for, the random requests included (D-146). */
export function servedUnpaid(context: Context): readonly Exchange[] {
  const served = context.everything().filter((exchange) => isServed(context, exchange));
  const withoutPayment = served.filter((exchange) => paymentHeaderOf(exchange) === undefined);
  // The throw-away key owns nothing, so a payment by it pays for nothing. Checks of single answers report most of these.
  const unfunded = served.filter((exchange) => isByThrowaway(context, exchange));
  return [...withoutPayment, ...unreported(context, unfunded)];
}

/**
 * Whether an inference was served: any 2xx of a paid endpoint, and a completion at another spelling of its path or to a method that
 * asks for none.
 */
export function isServed({ targetUrl }: Context, { request, outcome }: Exchange): boolean {
  if (outcome.kind !== 'answer' || outcome.status >= 300) return false;
  const [url] = request.url.split('?');
  const isPaidFor = paidEndpointNames.some((name) => url === urlAt(targetUrl, paidEndpoints[name].path));
  if (isPaidFor && !readingMethods.has(request.method)) return true;
  const read = decodeJson(Buffer.from(outcome.body));
  return read.ok && Array.isArray(member(read.value, 'choices'));
}

function isByThrowaway(context: Context, exchange: Exchange): boolean {
  const { from, value } = paymentOf(exchange)?.authorization ?? {};
  const payer = context.budget?.payer.toLowerCase();
  return from !== undefined && from.toLowerCase() !== payer && value !== '0';
}
