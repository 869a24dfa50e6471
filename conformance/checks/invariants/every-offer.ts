import { type Check, closingCheck, type JudgedId } from '../../context/check.ts';
import { type Context, urlAt } from '../../context/context.ts';
import { paidEndpoints } from '../../sources/bodies.ts';
import { isString } from '../../sources/judgements.ts';
import { decodeRequirements, paymentRequired } from '../../sources/sources.ts';
import type { Past } from '../../sources/transcript-queries.ts';
import { broken, holds, type Judgement } from '../../types/verdict.ts';
import type { JsonObject } from '../../wire/base64-json.ts';
import { judgeResource, offerRules } from '../unpaid/offer.ts';
import { findPaymentRequired, findRandomOffers } from '../unpaid/payment-required.ts';

/** Judges all other offers by the rules for the first one of each endpoint (D-124). */
export const everyOfferChecks = [
  ...offerRules.map(({ requirement, path, expected, judge }) =>
    ofEveryOffer(requirement, `\`${path}\` of every offer of the run is ${expected}`, (offer, past) =>
      past.request.isRandom && path === 'maxAmountRequired' && isLong(offer[path]) ? holds() : judge(offer),
    ),
  ),
  ...(['chat', 'completions'] as const).map((endpoint) =>
    ofEveryOffer(
      endpoint === 'chat' ? 'offer.resource' : 'offer.resource.per-endpoint',
      `Every offer names the full URL that was requested (${endpoint})`,
      ({ resource }, past, context) =>
        past.endpoint === endpoint && !namesOtherUrl(past)
          ? judgeResource(resource, urlAt(context.targetUrl, paidEndpoints[endpoint].path))
          : holds(),
    ),
  ),
];

type Judge = (offer: JsonObject, past: Past, context: Context) => Judgement;

/**
 * Whether a header of the request describes a URL before a proxy. A gateway behind one needs these headers to know its URL
 * (RFC 7239, D-457).
 */
function namesOtherUrl({ request }: Past): boolean {
  return Object.keys(request.headers).some((name) =>
    /^(x-)?forwarded(-|$)|^x-(original|rewrite)-/i.test(name),
  );
}

/** A random body may ask for more tokens than any amount of the token buys (D-440). */
function isLong(amount: unknown): boolean {
  return isString(amount) && /^[1-9]\d*$/.test(amount);
}

/** Other checks judge offers that cannot be decoded. */
function ofEveryOffer(requirement: JudgedId, title: string, judge: Judge): Check {
  return closingCheck(requirement, title, async (context) => {
    // Usually asked before, unless a filter selects only this check.
    const asked = await paymentRequired(context, 'chat');
    if (!asked.ok) return asked.verdict;
    const offers = [...(await findPaymentRequired(context)), ...findRandomOffers(context)];
    const faults = offers.flatMap((past) => {
      const decoded = decodeRequirements(past);
      const verdict = decoded.ok ? judge(decoded.value, past, context) : holds();
      return verdict.kind === 'broken' ? [{ past, verdict }] : [];
    });
    context.cite(faults.map(({ past }) => past));
    const [first] = faults;
    if (!first) return holds();
    return broken(first.verdict.expected, `${first.verdict.actual} (request ${first.past.number})`);
  });
}
