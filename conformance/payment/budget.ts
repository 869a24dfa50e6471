import { type Found, found, missing } from '../types/found.ts';
import type { Secrets } from '../wire/secrets.ts';
import { createFundedSigner } from './funded-signer.ts';
import type { Journal, PaymentState } from './journal.ts';
import type { Offer } from './offer.ts';
import { type Pins, refusal } from './refusal.ts';
import { type Payment, sealPayment } from './sign.ts';
import { type Caps, createSpending, type Spent } from './spending.ts';
import { authorizationFor, type Terms } from './terms.ts';

/** A key, and all that must be said before it signs anything. */
export type Funded = {
  readonly privateKey: string;
  readonly caps: Caps;
  readonly journal: Journal;
  readonly pins?: Pins;
};

/** Why, and for which request, a payment is wanted. */
export type Purpose = {
  readonly terms: Terms;
  readonly requirement: string;
  /** What tells this request from others; the same for the same bytes. */
  readonly request: string;
};

/** The way to a funded key, and the only one. */
export type Budget = {
  readonly payer: string;
  /** Remembers the first offer of the run, and the first and the highest for each request: others are held against them. */
  see(offer: Offer, request: string): void;
  /** Whether one payment of so much is within the cap for each. */
  isWithinCap(units: bigint): boolean;
  /** Signs a payment for an offer, or says why it refuses. The value counts as spent before the signature exists. */
  authorize(offer: Offer, purpose: Purpose, nowSeconds: number): Promise<Found<Payment>>;
  /** Notes what the target said to a payment. */
  conclude(payment: Payment, state: Exclude<PaymentState, 'signing'>, nowSeconds: number): void;
  spent(): Spent;
};

/**
 * Holds a funded key back behind caps and a journal. It counts what is signed, not what is settled: a signature is the
 * only thing that can move money. It signs for one chain, for one recipient and token, for no resource on another host,
 * for no offer that grew, and for no longer than the offer stands.
 */
export function createBudget(
  { privateKey, caps, journal, pins = {} }: Funded,
  targetUrl: string,
  secrets: Secrets,
): Budget {
  const signer = createFundedSigner(privateKey, secrets);
  const spending = createSpending(caps, journal);
  const firstAmounts = new Map<string, bigint>();
  const highestAmounts = new Map<string, bigint>();
  let payTo = pins.payTo?.toLowerCase();
  let asset = pins.asset?.toLowerCase();

  function see(offer: Offer, request: string): void {
    payTo ??= offer.payTo.toLowerCase();
    asset ??= offer.asset.toLowerCase();
    const { maxAmountRequired } = offer;
    if (!firstAmounts.has(request)) firstAmounts.set(request, maxAmountRequired);
    const highest = highestAmounts.get(request) ?? 0n;
    highestAmounts.set(request, maxAmountRequired > highest ? maxAmountRequired : highest);
  }

  return {
    payer: signer.address,
    see,
    isWithinCap: (units) => units <= caps.perRequestUnits,
    async authorize(offered, { terms, requirement, request }, nowSeconds) {
      see(offered, request);
      // Where prices move, an earlier offer may still stand: over the maximum is what is over all of them.
      const maxAmountRequired = highestAmounts.get(request) ?? offered.maxAmountRequired;
      const offer = terms === 'one-over' ? { ...offered, maxAmountRequired } : offered;
      const authorization = authorizationFor(terms, offer, signer.address, nowSeconds);
      const memory = { payTo, asset, pins, firstAmount: firstAmounts.get(request) };
      const reason = refusal(offer, authorization, memory, targetUrl, nowSeconds);
      if (reason !== undefined) return missing(`the budget refuses to sign: ${reason}`);
      const counted = spending.count(authorization, {
        requirement,
        offer: { ...offer, resource: placeOf(offer.resource, secrets) },
        nowSeconds,
      });
      if (!counted.ok) return missing(`the budget refuses to sign: ${counted.verdict.reason}`);
      const signature = await signer.sign(offer, counted.value);
      return found(sealPayment(authorization, signature, secrets));
    },
    conclude: ({ authorization }, state, nowSeconds) =>
      spending.conclude(authorization.nonce, state, nowSeconds),
    spent: spending.spent,
  };
}

/** Characters of a resource in the journal. */
const placeCharactersMax = 400;

/** What a resource is, without what a target may have put there of earlier payments. */
function placeOf(resource: string, secrets: Secrets): string {
  return secrets.redact(resource.replace(/[?#].*$/s, ''), placeCharactersMax);
}
