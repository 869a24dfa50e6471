import { randomBytes } from 'node:crypto';
import { hexlify } from 'ethers';
import { type Offer, uint256Max } from './offer.ts';
import type { Authorization } from './sign.ts';

/**
 * The only authorizations that a funded key signs. A target that accepts an invalid one gains no more than the
 * counted value:
 * - `exact`: the values of the offer.
 * - `one-over`, `one-under`: one unit more or less than the maximum (D-121), counted as signed.
 * - `to-self`: to the payer's own address, so that a settlement moves nothing. If the payer is the recipient,
 *   the payment goes to the address of the token instead, and is counted as signed (D-183).
 * - `not-yet-valid`: begins where a normal window would end, and ends with the offer. A target that serves a
 *   normal window has a clock before that moment, so a target that accepts this window ignores its beginning.
 * - `from-0`, `from-1`: valid like `exact`, but since the first moment of Unix time, or since the second one. A
 *   target that limits the length of windows may refuse both (§5).
 * - `expired`: ended so long ago that even a clock that suffices for a normal window is past its end.
 */
export type Terms =
  | 'exact'
  | 'one-over'
  | 'one-under'
  | 'to-self'
  | 'not-yet-valid'
  | 'expired'
  | 'from-0'
  | 'from-1';

/** Terms that keep every rule of §2.9. */
export const goodTerms: ReadonlySet<Terms> = new Set(['exact', 'from-0']);

/** The longest time between the beginning of a window and now, in seconds: clocks may differ. */
const skewSecondsMax = 60;
/** The longest window, for any offer. */
const windowSecondsMax = 3_600;
/** How long ago an expired window ended: twice the clock difference that a served payment allows. */
const pastSeconds = 2 * skewSecondsMax;

export function authorizationFor(
  terms: Terms,
  offer: Offer,
  payer: string,
  nowSeconds: number,
): Authorization {
  const { validAfter, validBefore, lengthSeconds } = windowFor(offer, nowSeconds);
  const exact = {
    from: payer,
    to: offer.payTo,
    value: offer.maxAmountRequired.toString(),
    validAfter,
    validBefore,
    nonce: hexlify(randomBytes(32)),
  };
  switch (terms) {
    case 'exact':
      return exact;
    case 'from-0':
      return { ...exact, validAfter: 0 };
    case 'from-1':
      return { ...exact, validAfter: 1 };
    case 'one-over':
      return { ...exact, value: (offer.maxAmountRequired + 1n).toString() };
    case 'one-under':
      return { ...exact, value: (offer.maxAmountRequired - 1n).toString() };
    case 'to-self':
      return { ...exact, to: isSame(payer, offer.payTo) ? offer.asset : payer };
    case 'not-yet-valid':
      return { ...exact, validAfter: validBefore, validBefore: nowSeconds + lengthSeconds };
    case 'expired': {
      const endedAt = nowSeconds - pastSeconds;
      // The window also begins shortly before its end, because a gateway may bound the age of a window.
      return { ...exact, validAfter: endedAt - Math.min(lengthSeconds, pastSeconds), validBefore: endedAt };
    }
  }
}

/** The reason why a payment with these terms cannot be signed; undefined if it can (D-423). */
export function whyUnsignable(terms: Terms | undefined, { maxAmountRequired }: Offer): string | undefined {
  return terms === 'one-over' && maxAmountRequired >= uint256Max
    ? 'one unit above the price exceeds a uint256'
    : undefined;
}

/** Addresses are case-insensitive. */
function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/**
 * The window of a payment, no longer than the offer, because the contract does not say how long a window may be
 * (§5, D-121). A tenth of it lies before now, for clocks that are behind.
 */
function windowFor({ maxTimeoutSeconds }: Offer, nowSeconds: number) {
  const lengthSeconds = Math.min(maxTimeoutSeconds, windowSecondsMax);
  // EIP-3009 excludes both ends of a window, so the window must begin before now.
  const skewSeconds = Math.max(1, Math.min(skewSecondsMax, Math.floor(lengthSeconds / 10)));
  const validBefore = nowSeconds + Math.max(lengthSeconds - skewSeconds, Math.min(lengthSeconds, 1));
  return { validAfter: nowSeconds - skewSeconds, validBefore, lengthSeconds };
}
