import { headerNames } from '@paid-inference/contract/constants';
import { issueAfter } from '../../conditions/send.ts';
import { type Check, check, type JudgedId } from '../../context/check.ts';
import type { Ask, Context } from '../../context/context.ts';
import { bodyFor, type PaidEndpoint, paidEndpointNames, paidEndpoints } from '../../sources/bodies.ts';
import { describe, judgeTransient } from '../../sources/judgements.ts';
import { offerHeader, paymentRequired } from '../../sources/sources.ts';
import type { Found } from '../../types/found.ts';
import { broken, holds, type Judgement, unknown } from '../../types/verdict.ts';
import type { Answered } from '../../wire/exchange.ts';
import {
  credentials,
  credentialsOfChat,
  type Extra,
  type Extras,
  pretexts,
  pretextsOfChat,
  withoutSignature,
} from './additions.ts';
import { isServed } from './served-unpaid.ts';

/** Checks that a request is not served for other contents of `X-PAYMENT` (§2.10). Both endpoints should be alike (D-216). */
const unsignedCheck = notServed('unpaid.never-200', 'an X-PAYMENT without a signature', 'chat', (plain) => {
  const offer = offerHeader(plain);
  // Other checks report a missing offer.
  return withoutSignature(offer.ok ? offer.value : '');
});

/**
 * Checks of unpaid requests with additions. A 402 passes, and so does any refusal, because a gateway may reject
 * unknown headers, queries or members. Only a completion fails.
 */
export const insteadOfPaymentChecks: readonly Check[] = paidEndpointNames.flatMap((endpoint) => [
  ...Object.entries(endpoint === 'chat' ? { ...credentials, ...credentialsOfChat } : credentials).map(
    ([words, extras]) => notServed('unpaid.no-api-key', words, endpoint, () => extras),
  ),
  ...Object.entries(endpoint === 'chat' ? { ...pretexts, ...pretextsOfChat } : pretexts).map(
    ([words, extras]) => notServed('unpaid.never-200', words, endpoint, () => extras),
  ),
  ...(endpoint === 'chat' ? [unsignedCheck] : []),
]);

function notServed(
  requirement: JudgedId,
  words: string,
  endpoint: PaidEndpoint,
  extrasFor: (plain: Answered) => Extras,
): Check {
  const title = `A request with ${words} is not served without payment (${endpoint})`;
  return check(requirement, title, async (context) => {
    // A gateway that returns no 402 fails other checks.
    const plain = await paymentRequired(context, endpoint);
    if (!plain.ok) return plain.verdict;
    return judgeExtras(context, endpoint, extrasFor(plain.value), words);
  });
}

/** Judges a request with all additions together, and with each by itself if the target refuses one of them. */
export async function judgeExtras(
  context: Context,
  endpoint: PaidEndpoint,
  extras: Extras,
  words: string,
): Promise<Judgement> {
  if (areOnlyAlone(Object.values(extras))) return judgeEach(context, endpoint, extras);
  const together = await send(context, endpoint, merged(Object.values(extras)));
  if (!together.ok) return together.verdict;
  if (together.value.outcome.status === 402 || isServed(context, together.value)) {
    return judgeServed(context, together.value, words);
  }
  // One addition was refused, which may hide the effect of the others, so each is sent by itself.
  return judgeEach(context, endpoint, extras);
}

async function judgeEach(context: Context, endpoint: PaidEndpoint, extras: Extras): Promise<Judgement> {
  let open: Judgement | undefined;
  for (const [name, extra] of Object.entries(extras)) {
    const answered = await send(context, endpoint, extra);
    if (!answered.ok) return answered.verdict;
    const verdict = judgeServed(context, answered.value, name);
    if (verdict.kind === 'broken') return verdict;
    const issue = await issueAfter(context, answered.value);
    if (issue !== undefined) return unknown(issue);
    open ??= judgeTransient(answered.value);
  }
  return open ?? holds();
}

function judgeServed(context: Context, answered: Answered, words: string): Judgement {
  return isServed(context, answered)
    ? broken('no success without payment', `${describe(answered)} for a request with ${words}`)
    : holds();
}

/** Whether the additions cannot share one request, because headers repeat or path or method differ. */
function areOnlyAlone(extras: readonly Extra[]): boolean {
  const headers = extras.flatMap((extra) => Object.keys(extra.headers ?? {}));
  const isElsewhere = extras.some(({ path, method }) => path !== undefined || method !== undefined);
  return isElsewhere || new Set(headers).size < headers.length;
}

function merged(extras: readonly Extra[]): Extra {
  const queries = extras.flatMap(({ query }) => query ?? []);
  return {
    ...(extras.some(({ isFromOwnPage }) => isFromOwnPage) && { isFromOwnPage: true }),
    headers: Object.assign({}, ...extras.map(({ headers }) => headers)),
    members: Object.assign({}, ...extras.map(({ members }) => members)),
    ...(queries.length > 0 && { query: queries.join('&') }),
  };
}

function send(context: Context, endpoint: PaidEndpoint, extra: Extra): Promise<Found<Answered>> {
  const { query, members, path: spelled = (path) => path, method, isFromOwnPage, isRandom } = extra;
  const path = spelled(paidEndpoints[endpoint].path);
  const headers = isFromOwnPage ? { ...extra.headers, ...ownPage(context.targetUrl) } : extra.headers;
  const ask: Ask = {
    path: query === undefined ? path : `${path}?${query}`,
    body: { ...bodyFor(endpoint, context.model), ...members },
    ...(headers && { headers }),
    ...(method && { method }),
    ...(isRandom && { isRandom }),
    // No key has signed these contents of X-PAYMENT, so the request may be sent again.
    ...(headers?.[headerNames.payment] !== undefined && { isRepeatable: true }),
  };
  return context.ask(ask);
}

function ownPage(targetUrl: string): Readonly<Record<string, string>> {
  const { origin } = new URL(targetUrl);
  return { Origin: origin, Referer: `${origin}/` };
}
