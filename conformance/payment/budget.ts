import { type Found, found, inapplicable, missing } from '../types/found.ts';
import type { Secrets } from '../wire/secrets.ts';
import { createFundedSigner } from './funded-signer.ts';
import type { Journal, PaymentState } from './journal.ts';
import type { Offer } from './offer.ts';
import { type Pins, refusal } from './refusal.ts';
import { type Payment, sealPayment } from './sign.ts';
import { type Caps, createSpending, type Spent } from './spending.ts';
import { authorizationFor, type Terms, whyUnsignable } from './terms.ts';

/** A funded key with the limits that are required before it signs anything. */
export type Funded = {
  readonly privateKey: string;
  readonly caps: Caps;
  readonly journal: Journal;
  readonly pins?: Pins;
};

/** The purpose of a payment: its requirement and its request. */
export type Purpose = {
  readonly terms: Terms;
  readonly requirement: string;
  /** Identifies the request: the same for the same bytes. */
  readonly request: string;
  /** Blanks behind the JSON of the payment. */
  readonly blanks?: number;
};

/** The only access to a funded key. */
export type Budget = {
  readonly payer: string;
  /**
   * Stores the first offer of the run, and the first and the highest amount for each request, as limits for
   * later offers.
   */
  see(offer: Offer, request: string): void;
  /** Whether one payment of this amount is within the cap per request. */
  isWithinCap(units: bigint): boolean;
  /**
   * Signs a payment for an offer, or returns the reason for a refusal. The value counts as spent before the key
   * signs.
   */
  authorize(offer: Offer, purpose: Purpose, nowSeconds: number): Promise<Found<Payment>>;
  /** Stores the state of a payment after the target's response. */
  conclude(payment: Payment, state: Exclude<PaymentState, 'signing'>, nowSeconds: number): void;
  spent(): Spent;
};

/**
 * Protects a funded key with caps and a journal. It counts signed amounts, because a signature can move the
 * tokens at any time. It signs for one chain, one token and the pinned recipients, or one, and only while the offer is valid. It
 * never signs for a resource on another host, or for an offer whose price rose by more than a quarter (D-110).
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
  let payTo = pins.payTo === undefined ? undefined : [pins.payTo].flat().map((pin) => pin.toLowerCase());
  let asset = pins.asset?.toLowerCase();

  function see(offer: Offer, request: string): void {
    payTo ??= [offer.payTo.toLowerCase()];
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
    async authorize(offered, { terms, requirement, request, blanks }, nowSeconds) {
      see(offered, request);
      // With moving prices an earlier offer may still be valid, so `one-over` exceeds the highest offer.
      const maxAmountRequired = highestAmounts.get(request) ?? offered.maxAmountRequired;
      const offer = terms === 'one-over' ? { ...offered, maxAmountRequired } : offered;
      const unsignable = whyUnsignable(terms, offer);
      if (unsignable !== undefined) return inapplicable(unsignable);
      const authorization = authorizationFor(terms, offer, signer.address, nowSeconds);
      const memory = { payTo, asset, pins, firstAmount: firstAmounts.get(request) };
      const reason = refusal(offer, authorization, memory, targetUrl, nowSeconds);
      if (reason !== undefined) return missing(`the suite did not sign a payment: ${reason}`);
      const counted = spending.count(authorization, {
        requirement,
        offer: { ...offer, resource: cleanResource(offer.resource, secrets) },
        nowSeconds,
      });
      if (!counted.ok) return missing(`the suite did not sign a payment: ${counted.verdict.reason}`);
      const signature = await signer.sign(offer, counted.value);
      return found(sealPayment(authorization, signature, secrets, blanks));
    },
    conclude: ({ authorization }, state, nowSeconds) =>
      spending.conclude(authorization.nonce, state, nowSeconds),
    spent: spending.spent,
  };
}

/** Longest resource in the journal, in characters. */
const placeCharactersMax = 400;

/** The resource without query and fragment, where a target may repeat earlier payments. */
function cleanResource(resource: string, secrets: Secrets): string {
  return secrets.redact(resource.replace(/[?#].*$/s, ''), placeCharactersMax);
}
