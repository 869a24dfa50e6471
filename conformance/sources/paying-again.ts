import type { Ask, Context } from '../context/context.ts';
import type { Authorization } from '../payment/sign.ts';
import { type Found, missing } from '../types/found.ts';
import type { Answered } from '../wire/exchange.ts';
import { secondsToWait } from '../wire/retry-after.ts';

import { describe } from './judgements.ts';

export type PaidAsk = {
  /** Includes the payment. */
  readonly request: Ask;
  readonly authorization: Authorization;
  readonly offerEndsAtMs: number;
  /** Neither the payment nor the body has a fault. */
  readonly isGood: boolean;
};

/** The last response to a payment, and the response to judge. They differ if a retried payment is refused. */
export type LastResponse = { readonly last: Found<Answered>; readonly shown: Found<Answered> };

/**
 * Sends payments by the funded key at the same time, beside other requests. A payment is retried once, alone,
 * after 429 with an acceptable `Retry-After`. The signature is the same, so its value moves at most once
 * (D-110). There is no retry without a response, nor after 503: a part of the target may have taken the payment.
 */
export async function sendPaid(
  context: Context,
  asks: readonly PaidAsk[],
  beside: readonly Ask[],
): Promise<readonly LastResponse[]> {
  const [only, ...others] = [...asks.map(({ request }) => request), ...beside];
  if (only === undefined) return [];
  const firsts =
    others.length > 0 ? await context.sendTogether([only, ...others]) : [await context.send(only)];
  const responses: LastResponse[] = [];
  for (const [index, ask] of asks.entries()) {
    responses.push(await retried(context, ask, firsts[index] ?? missing('the payment was not sent')));
  }
  return responses;
}

async function retried(context: Context, ask: PaidAsk, first: Found<Answered>): Promise<LastResponse> {
  if (!first.ok || !isWorthWaitingFor(context, first.value, ask)) return { last: first, shown: first };
  const sentBefore = context.transcript().length;
  // The session waits for `Retry-After` before the next request.
  const again = await context.send(ask.request);
  if (context.transcript().length === sentBefore) return { last: first, shown: first };
  const isRefused = ask.isGood && again.ok && again.value.outcome.status !== 200;
  // The contract does not say how a gateway answers a payment that was sent before (§5).
  return isRefused
    ? { last: again, shown: missing(describeRetry(first.value, again.value)) }
    : { last: again, shown: again };
}

/**
 * Whether payment and offer have half of their time left after the wait, so that neither is refused for its
 * age.
 */
function isWorthWaitingFor(
  { nowSeconds }: Context,
  { outcome, endedAtMs }: Answered,
  { authorization: { validAfter, validBefore }, offerEndsAtMs }: PaidAsk,
): boolean {
  const seconds = outcome.status === 429 ? secondsToWait(outcome, nowSeconds()) : undefined;
  if (seconds === undefined || validAfter * 1000 > endedAtMs) return false;
  const leftMs = Math.min(validBefore * 1000, offerEndsAtMs) - endedAtMs;
  return seconds * 1000 <= leftMs / 2;
}

function describeRetry(first: Answered, again: Answered): string {
  return `the payment got ${describe(first)}, and its retry got ${describe(again)} (request ${again.number})`;
}
