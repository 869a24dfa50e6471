import type { Edge } from '../edge.ts';
import { offering } from '../edits.ts';
import type { Asked } from '../message.ts';
import type { PaymentForge } from '../payment-forge.ts';
import {
  encoded,
  headerNamed,
  type Json,
  objectIn,
  paymentOf,
  withHeader,
  withMember,
  without,
} from '../wire-edits.ts';
import { type LegalVariant, open, variant } from './variant.ts';

/** An offer is kept for the request that it was made for, and for no other. */
export function offerOf({ path, text }: Asked, value: unknown): string {
  return JSON.stringify([path, text, String(value)]);
}

/**
 * Offers ask for more and more, by one unit or by a share of the first, and each is kept. Some hundred offers of one unit
 * more would raise a small price beyond what the budget signs.
 */
function risingPrice(share = 0, offersPerStep = 1): Edge {
  const offered = new Set<string>();
  let offers = 0;
  return {
    answer: (reply, asked) => {
      const offer = objectIn(headerNamed(reply.headers, 'X-PAYMENT-REQUIRED'));
      if (!offer) return reply;
      const own = Number(offer['maxAmountRequired']);
      offers += 1;
      const more = Math.ceil(offers / offersPerStep);
      const maxAmountRequired = String(own + more * Math.max(1, Math.floor(own * share)));
      offered.add(offerOf(asked, maxAmountRequired));
      return withHeader(reply, 'X-PAYMENT-REQUIRED', encoded({ ...offer, maxAmountRequired }));
    },
    read: (asked, forge) => paidAs(asked, forge, ({ value }) => offered.has(offerOf(asked, value))),
  };
}

/** Each offer asks for one unit more than the last, and a payment may be of what it would cost when it comes. */
function risingPriceAtArrival(): Edge {
  const lowest = new Map<string, number>();
  let more = 0;
  const keyOf = (asked: Asked) => offerOf(asked, '');
  return {
    answer: (reply, asked) => {
      const offer = objectIn(headerNamed(reply.headers, 'X-PAYMENT-REQUIRED'));
      if (!offer) return reply;
      more += 1;
      const own = Number(offer['maxAmountRequired']);
      lowest.set(keyOf(asked), own);
      return withHeader(
        reply,
        'X-PAYMENT-REQUIRED',
        encoded({ ...offer, maxAmountRequired: String(own + more) }),
      );
    },
    read: (asked, forge) =>
      paidAs(asked, forge, ({ value }) => {
        const own = lowest.get(keyOf(asked)) ?? Number.POSITIVE_INFINITY;
        return own < Number(value) && Number(value) <= own + more + 1;
      }),
  };
}

/** Each offer asks for one unit less than the last, and each is kept. */
function fallingPrice(): Edge {
  const offered = new Set<string>();
  let less = 0;
  return {
    answer: (reply, asked) => {
      const offer = objectIn(headerNamed(reply.headers, 'X-PAYMENT-REQUIRED'));
      if (!offer) return reply;
      less += 1;
      const maxAmountRequired = String(Number(offer['maxAmountRequired']) + 100_000 - less);
      offered.add(offerOf(asked, maxAmountRequired));
      return withHeader(reply, 'X-PAYMENT-REQUIRED', encoded({ ...offer, maxAmountRequired }));
    },
    read: (asked, forge) => paidAs(asked, forge, ({ value }) => offered.has(offerOf(asked, value))),
  };
}

/** Every offer asks for nothing: whoever signs that is served, also without funds. */
function priceOfNothing(): Edge {
  return {
    answer: offering((offer) => withMember(offer, 'maxAmountRequired', '0')),
    read: async (asked, forge) => {
      const good = await paidAs(asked, forge, ({ value }) => value === '0');
      return good === asked ? asked : forge.paidBy('payer', asked);
    },
  };
}

/** By the gateway's own clock, on which each request takes a while: nobody has to wait for an offer to be over. */
const requestMs = 4_000;

/** Each offer has a price of its own and is good for as long as it says; a payment for none that stands is no valid one. */
function offersThatEnd(validSeconds: number, readsFirst: boolean): Edge {
  const madeAtMs = new Map<string, number>();
  let nowMs = 0;
  let more = 10_000;
  const stands = (asked: Asked, value: unknown) => {
    const made = madeAtMs.get(offerOf(asked, value));
    return made !== undefined && nowMs - made <= validSeconds * 1000;
  };
  return {
    read: (asked, forge) => {
      nowMs += requestMs;
      const value = paymentOf(asked)?.authorization['value'];
      const isFor = value !== undefined && stands(asked, value);
      if (readsFirst && value !== undefined && !isFor) {
        return { ...asked, headers: without(asked.headers, 'x-payment') };
      }
      return paidAs(asked, forge, () => isFor);
    },
    answer: (reply, asked) => {
      const offer = objectIn(headerNamed(reply.headers, 'X-PAYMENT-REQUIRED'));
      if (!offer) return reply;
      more += 1;
      const maxAmountRequired = String(Number(offer['maxAmountRequired']) + more);
      madeAtMs.set(offerOf(asked, maxAmountRequired), nowMs);
      const changed = { ...offer, maxAmountRequired, maxTimeoutSeconds: validSeconds };
      return withHeader(reply, 'X-PAYMENT-REQUIRED', encoded(changed));
    },
  };
}

/** The request with a payment of the true price, where its own is good in all but its value. */
export async function paidAs(
  asked: Asked,
  forge: PaymentForge,
  isAccepted: (authorization: Json) => boolean,
): Promise<Asked> {
  const { authorization } = paymentOf(asked) ?? {};
  if (!authorization || !isAccepted(authorization)) return asked;
  const from = String(authorization['from']).toLowerCase();
  const good = await forge.paidBy(from === forge.payer ? 'payer' : 'stranger', asked);
  const { validAfter, validBefore, to } = authorization;
  const isRecipient = String(to).toLowerCase() === paymentOf(good)?.authorization['to'];
  const isLive = Number(validAfter) < forge.nowSeconds && forge.nowSeconds < Number(validBefore);
  return isRecipient && isLive && (await forge.signerOf(asked)) === from ? good : asked;
}

/** What a request costs, and for how long an offer is kept, is left to the gateway (contract 2.8, 8). */
export const quoteVariants: readonly LegalVariant[] = [
  { ...variant('price-of-nothing', 'asks for an amount of zero', open.price, {}), edge: priceOfNothing },
  { ...variant('price-that-falls', 'asks for less with every offer', open.price, {}), edge: fallingPrice },
  {
    ...variant('price-that-rises', 'asks for more with every fourth offer', open.price, {}),
    edge: () => risingPrice(0, 4),
  },
  {
    ...variant(
      'price-that-rises-by-a-third',
      'asks for a third more with every offer, and keeps each as long as it says',
      open.validity,
      {},
    ),
    edge: () => risingPrice(1 / 3),
    hides: 'a payment above every offer is more than the budget signs',
  },
  {
    ...variant(
      'price-that-rises-until-paid',
      'takes what a request costs when its payment comes',
      open.price,
      {},
    ),
    edge: risingPriceAtArrival,
    hides: 'a unit above the maximum is the next price',
  },
  {
    ...variant('offers-that-end', 'keeps each offer, at its own price, for 20 s', open.validity, {}),
    edge: () => offersThatEnd(20, false),
  },
  {
    ...variant(
      'offers-that-end-looked-at-first',
      'looks for the offer, which it keeps for 20 s, before it verifies a signature',
      open.validity,
      {},
    ),
    edge: () => offersThatEnd(20, true),
  },
];
