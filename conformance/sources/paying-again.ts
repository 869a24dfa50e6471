import type { Ask, Context } from '../context/context.ts';
import type { Authorization } from '../payment/sign.ts';
import { type Found, missing } from '../types/found.ts';
import type { Answered } from '../wire/exchange.ts';
import { secondsToWait } from '../wire/retry-after.ts';

import { describe } from './judgements.ts';

export type PaidAsk = {
  /** With the payment in it. */
  readonly request: Ask;
  readonly authorization: Authorization;
  readonly offerEndsAtMs: number;
  /** Nothing about the payment or the body may be refused. */
  readonly isGood: boolean;
  /** Sent at the same time. */
  readonly beside: readonly Ask[];
};

/** The last answer to a payment, and what it shows. They differ where a payment that was sent again is refused. */
export type LastAnswer = { readonly last: Found<Answered>; readonly shown: Found<Answered> };

/**
 * Sends a payment by the funded key, and the very same once more where it was answered 429 with a `Retry-After` that is
 * honoured: it was signed once, so that its value moves at most once (D-110). Without an answer nothing is sent again, nor after
 * 503, behind which a part of the target may have taken it.
 */
export async function sendPaid(context: Context, ask: PaidAsk): Promise<LastAnswer> {
  const [first = missing<Answered>('it was not sent')] =
    ask.beside.length > 0
      ? await context.sendTogether([ask.request, ...ask.beside])
      : [await context.send(ask.request)];
  if (!first.ok || !isWorthWaitingFor(context, first.value, ask)) return { last: first, shown: first };
  const sentBefore = context.transcript().length;
  // The session waits as long as it was asked to before it sends anything more.
  const again = await context.send(ask.request);
  if (context.transcript().length === sentBefore) return { last: first, shown: first };
  const isRefused = ask.isGood && again.ok && again.value.outcome.status !== 200;
  // What a payment brings that was sent before is not shown by the contract (5).
  return isRefused
    ? { last: again, shown: missing(reasonOf(first.value, again.value)) }
    : { last: again, shown: again };
}

/** Whether payment and offer have half of their time left by then, so that nothing is refused for its age alone. */
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

function reasonOf(first: Answered, again: Answered): string {
  return `the payment was answered ${describe(first)}, and ${describe(again)} when it was sent again (request ${again.number})`;
}
