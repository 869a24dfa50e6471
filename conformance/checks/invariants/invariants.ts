import { closingCheck, observation } from '../../context/check.ts';
import { addressPattern } from '../../payment/offer.ts';
import { paidEndpoints } from '../../sources/bodies.ts';
import { isString, written } from '../../sources/judgements.ts';
import { offerHeader, requirements } from '../../sources/sources.ts';
import { listResponses } from '../../sources/transcript-queries.ts';
import { broken, holds, type Judgement, seen, unknown } from '../../types/verdict.ts';
import { decodeBase64, decodeJson, member } from '../../wire/base64-json.ts';
import type { Answered } from '../../wire/exchange.ts';
import { servedChecks } from '../responses/served.ts';
import { paymentRequiredChecks } from '../unpaid/payment-required.ts';
import { errorRowChecks } from './error-rows.ts';
import { everyOfferChecks } from './every-offer.ts';
import { offersOfVersion2Checks } from './offers-of-v2.ts';
import { refusedReceiptChecks } from './refused-receipts.ts';
import { repeatedRequestChecks } from './repeated-requests.ts';
import { servedTogetherChecks } from './served-together.ts';

/** Checks of values that must be the same throughout a run. */
export const invariantChecks = [
  ...errorRowChecks,
  ...paymentRequiredChecks,
  ...everyOfferChecks,
  ...offersOfVersion2Checks,
  ...servedChecks,
  ...servedTogetherChecks,
  ...refusedReceiptChecks,
  ...repeatedRequestChecks,
  closingCheck('offer.same-token', 'Every offer of the run names the same token', async (context) => {
    const chat = await requirements(context, 'chat');
    if (!chat.ok) return chat.verdict;
    const completions = await requirements(context, 'completions');
    if (!completions.ok) return completions.verdict;
    const tokens = Map.groupBy(listResponses(context, 402), nameToken);
    // Other checks judge offers without a token.
    tokens.delete(undefined);
    if (tokens.size <= 1) return namedByBoth([...tokens.values()].flat());
    context.cite([...tokens.values()].flatMap(([first]) => first ?? []));
    return broken('one token', [...tokens.keys()].join(' and '));
  }),
  closingCheck('offer.extra.name', 'A token has one name in every offer of the run', async (context) => {
    const asked = await requirements(context, 'chat');
    if (!asked.ok) return asked.verdict;
    const offers = listResponses(context, 402).filter((answered) => tokenIn(answered) !== undefined);
    const byAsset = Map.groupBy(offers, (answered) => tokenIn(answered)?.asset);
    for (const [asset, ofToken] of byAsset) {
      const byName = Map.groupBy(ofToken, (answered) => tokenIn(answered)?.name);
      if (byName.size <= 1) continue;
      context.cite([...byName.values()].flatMap(([first]) => first ?? []));
      return broken(`one name for ${asset}`, [...byName.keys()].map(written).join(' and '));
    }
    return holds();
  }),
  observation('offer.same-recipient', 'Whether both endpoints name one recipient', async (context) => {
    const chat = await requirements(context, 'chat');
    if (!chat.ok) return chat.verdict;
    const completions = await requirements(context, 'completions');
    if (!completions.ok) return completions.verdict;
    const [one, other] = [written(chat.value['payTo']), written(completions.value['payTo'])];
    const isOne = one.toLowerCase() === other.toLowerCase();
    return seen(isOne ? `one recipient: ${one}` : `two recipients: ${one} and ${other}`);
  }),
];

/** The check passes only if each endpoint has an offer with a readable token. */
function namedByBoth(offers: readonly Answered[]): Judgement {
  const unnamed = Object.values(paidEndpoints).find(
    ({ path }) => !offers.some(({ request }) => request.url.endsWith(path)),
  );
  return unnamed === undefined ? holds() : unknown(`no offer of ${unnamed.path} names a valid token`);
}

/** Address and domain name of an offer's token; undefined if they cannot be read. */
function nameToken(answered: Answered): string | undefined {
  const token = tokenIn(answered);
  return token && `${token.asset} (${token.name})`;
}

function tokenIn(answered: Answered): { readonly asset: string; readonly name: string } | undefined {
  const text = offerHeader(answered);
  const bytes = text.ok ? decodeBase64(text.value) : text;
  const offer = bytes.ok ? decodeJson(bytes.value) : bytes;
  if (!offer.ok) return undefined;
  const asset = member(offer.value, 'asset');
  const name = member(member(offer.value, 'extra'), 'name');
  if (!isString(asset) || !addressPattern.test(asset) || !isString(name)) return undefined;
  return { asset: asset.toLowerCase(), name };
}
