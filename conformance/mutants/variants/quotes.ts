import type { Edge } from '../edge.ts';
import { offering } from '../edits.ts';
import type { Asked } from '../message.ts';
import { offeringInVersion2 } from '../offer-of-v2.ts';
import type { PaymentForge } from '../payment-forge.ts';
import { pricing } from '../pricing.ts';
import {
  encoded,
  headerNamed,
  type Json,
  objectIn,
  readPayment,
  withHeader,
  withMember,
  without,
} from '../wire-edits.ts';
import { type LegalVariant, open, variant } from './variant.ts';

const other = `0x${'07'.repeat(20)}`;

/** A key of an offer: the path and body of its request, and its price. */
export function buildOfferKey({ path, text }: Asked, value: unknown): string {
  return JSON.stringify([path, text, String(value)]);
}

/**
 * Raises the price with every step, by one unit or by a share of the first price, and accepts payments for each
 * offer. A run makes some hundred offers, so one unit per offer would raise a small price above the budget.
 */
function risingPrice(share = 0, offersPerStep = 1): Edge {
  return changingPrice(
    (own, offers) => Math.ceil(offers / offersPerStep) * Math.max(1, Math.floor(own * share)),
  );
}

/** Raises and lowers the price by up to a sixth, as with the price of a token, and keeps each offer for its body. */
function floatingPrice(): Edge {
  return changingPrice((own, offers) => Math.floor((own / 600) * ((offers * 7_919) % 100)));
}

/** Adds an amount to each price, and accepts payments from the lowest to the highest offer for the body. */
function changingPrice(more: (own: number, offers: number) => number): Edge {
  const offered = new Map<string, number[]>();
  /** A payment that comes again is the same one. */
  const paid = new Map<string, Promise<Asked>>();
  let offers = 0;
  return {
    respond: (reply, asked) => {
      const offer = objectIn(headerNamed(reply.headers, 'X-PAYMENT-REQUIRED'));
      if (!offer) return reply;
      const own = Number(offer['maxAmountRequired']);
      offers += 1;
      const amount = own + more(own, offers);
      const key = buildOfferKey(asked, '');
      offered.set(key, [...(offered.get(key) ?? []), amount]);
      return withHeader(
        reply,
        'X-PAYMENT-REQUIRED',
        encoded({ ...offer, maxAmountRequired: String(amount) }),
      );
    },
    read: async (asked, forge) => {
      const amounts = offered.get(buildOfferKey(asked, '')) ?? [];
      const isOffered = ({ value }: Json) =>
        Math.min(...amounts) <= Number(value) && Number(value) <= Math.max(...amounts);
      const key = `${asked.headers['x-payment']} ${asked.path} ${asked.text}`;
      const read = paid.get(key) ?? paidAs(asked, forge, isOffered);
      paid.set(key, read);
      return { ...asked, headers: (await read).headers };
    },
  };
}

/** Raises the price by one unit with each offer, and accepts the price at the arrival of the payment. */
function risingPriceAtArrival(): Edge {
  const lowest = new Map<string, number>();
  let more = 0;
  const buildKey = (asked: Asked) => buildOfferKey(asked, '');
  return {
    respond: (reply, asked) => {
      const offer = objectIn(headerNamed(reply.headers, 'X-PAYMENT-REQUIRED'));
      if (!offer) return reply;
      more += 1;
      const own = Number(offer['maxAmountRequired']);
      lowest.set(buildKey(asked), own);
      return withHeader(
        reply,
        'X-PAYMENT-REQUIRED',
        encoded({ ...offer, maxAmountRequired: String(own + more) }),
      );
    },
    read: (asked, forge) =>
      paidAs(asked, forge, ({ value }) => {
        const own = lowest.get(buildKey(asked)) ?? Number.POSITIVE_INFINITY;
        return own < Number(value) && Number(value) <= own + more + 1;
      }),
  };
}

/** Lowers the price by one unit with each offer, and accepts payments for each offer. */
function fallingPrice(): Edge {
  const offered = new Set<string>();
  let less = 0;
  return {
    respond: (reply, asked) => {
      const offer = objectIn(headerNamed(reply.headers, 'X-PAYMENT-REQUIRED'));
      if (!offer) return reply;
      less += 1;
      const maxAmountRequired = String(Number(offer['maxAmountRequired']) + 100_000 - less);
      offered.add(buildOfferKey(asked, maxAmountRequired));
      return withHeader(reply, 'X-PAYMENT-REQUIRED', encoded({ ...offer, maxAmountRequired }));
    },
    read: (asked, forge) => paidAs(asked, forge, ({ value }) => offered.has(buildOfferKey(asked, value))),
  };
}

/** Offers a price of 0, and serves any payer who signs it, with or without funds. */
function priceOfNothing(): Edge {
  return {
    respond: offering((offer) => withMember(offer, 'maxAmountRequired', '0')),
    read: async (asked, forge) => {
      const good = await paidAs(asked, forge, ({ value }) => value === '0');
      return good === asked ? asked : forge.paidBy('payer', asked);
    },
  };
}

/** The simulated time that each request takes, so that offers expire without a wait. */
const requestMs = 4_000;

/** Gives each offer its own price and lifetime, and rejects payments without a live offer. */
function offersThatEnd(validSeconds: number, readsFirst: boolean): Edge {
  const madeAtMs = new Map<string, number>();
  let nowMs = 0;
  let more = 10_000;
  const stands = (asked: Asked, value: unknown) => {
    const made = madeAtMs.get(buildOfferKey(asked, value));
    return made !== undefined && nowMs - made <= validSeconds * 1000;
  };
  return {
    read: (asked, forge) => {
      nowMs += requestMs;
      const value = readPayment(asked)?.authorization['value'];
      const isFor = value !== undefined && stands(asked, value);
      if (readsFirst && value !== undefined && !isFor) {
        return { ...asked, headers: without(asked.headers, 'x-payment') };
      }
      return paidAs(asked, forge, () => isFor);
    },
    respond: (reply, asked) => {
      const offer = objectIn(headerNamed(reply.headers, 'X-PAYMENT-REQUIRED'));
      if (!offer) return reply;
      more += 1;
      const maxAmountRequired = String(Number(offer['maxAmountRequired']) + more);
      madeAtMs.set(buildOfferKey(asked, maxAmountRequired), nowMs);
      const changed = { ...offer, maxAmountRequired, maxTimeoutSeconds: validSeconds };
      return withHeader(reply, 'X-PAYMENT-REQUIRED', encoded(changed));
    },
  };
}

/** The request with a payment of the true price, if its own payment is valid except for its value. */
export async function paidAs(
  asked: Asked,
  forge: PaymentForge,
  isAccepted: (authorization: Json) => boolean,
): Promise<Asked> {
  const { authorization } = readPayment(asked) ?? {};
  if (!authorization || !isAccepted(authorization)) return asked;
  const from = String(authorization['from']).toLowerCase();
  const good = await forge.paidBy(from === forge.payer ? 'payer' : 'stranger', asked);
  const { validAfter, validBefore, to } = authorization;
  const isRecipient = String(to).toLowerCase() === readPayment(good)?.authorization['to'];
  const isLive = Number(validAfter) < forge.nowSeconds && forge.nowSeconds < Number(validBefore);
  return isRecipient && isLive && (await forge.recoverSigner(asked)) === from ? good : asked;
}

/** Legal variants of the price and of the lifetime of an offer (contract 2.8, 8). */
export const quoteVariants: readonly LegalVariant[] = [
  { ...variant('price-of-nothing', 'offers a price of 0', open.price, {}), edge: priceOfNothing },
  variant(
    'offers-of-v2-beside',
    'sends its offers in the form of x402 v2 too, with options in another token and on another network',
    open.newVersions,
    offeringInVersion2((own) => [
      { ...own, asset: other, amount: '7' },
      own,
      { ...own, network: 'eip155:8453', amount: '9', payTo: other },
    ]),
  ),
  variant(
    'negative-tokens-cheapest',
    'accepts a `max_tokens` of -1, at its lowest price',
    open.price,
    pricing((tokens) => (tokens === -1 ? '1' : undefined)),
  ),
  { ...variant('price-that-falls', 'lowers its price with every offer', open.price, {}), edge: fallingPrice },
  {
    ...variant('price-that-rises', 'raises its price with every fourth offer', open.price, {}),
    edge: () => risingPrice(0, 4),
  },
  {
    ...variant(
      'price-that-rises-by-a-third',
      'raises its price by a third with every offer, and keeps each offer for its lifetime',
      open.validity,
      {},
    ),
    edge: () => risingPrice(1 / 3),
    hides: 'the budget signs no payment above every offer',
  },
  {
    ...variant(
      'price-floats',
      'raises and lowers the price from offer to offer, and accepts payments for each offer for the body',
      open.price,
      {},
    ),
    edge: floatingPrice,
  },
  {
    ...variant(
      'price-that-rises-until-paid',
      'accepts the price at the arrival of the payment',
      open.price,
      {},
    ),
    edge: risingPriceAtArrival,
    hides: 'one unit above the maximum is the next price',
  },
  {
    ...variant('offers-that-end', 'keeps each offer, at its own price, for 20 s', open.validity, {}),
    edge: () => offersThatEnd(20, false),
  },
  {
    ...variant(
      'offers-that-end-looked-at-first',
      'looks up the offer, which it keeps for 20 s, before it verifies the signature',
      open.validity,
      {},
    ),
    edge: () => offersThatEnd(20, true),
  },
];
