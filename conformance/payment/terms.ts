import { randomBytes } from 'node:crypto';
import { hexlify } from 'ethers';
import type { Offer } from './offer.ts';
import type { Authorization } from './sign.ts';

/**
 * The only authorizations that a funded key ever signs. A target that takes a wrong one gains no more than was counted:
 * - `exact`: what the offer asks for.
 * - `one-over`, `one-under`: a unit more or less than the maximum (D-121 on which that is), counted as signed.
 * - `to-self`: to the payer's own address, so that a settlement moves nothing. Where the payer is the recipient, that would be a
 *   good payment: it is to the address of the token then, and counted as signed (D-183).
 * - `not-yet-valid`: from the moment when a window as ever would end until the offer is over. Who is served for a window as ever
 *   has shown that its clock is before that moment, so that to take this one is to take no notice of when it begins.
 * - `expired`: over for so long that no clock which is good enough for a window as ever is behind it.
 */
export type Terms = 'exact' | 'one-over' | 'one-under' | 'to-self' | 'not-yet-valid' | 'expired';

/** How far in the past an authorization starts at most: room for a clock that is not ours. */
const skewSecondsMax = 60;
/** The longest that a window is, however long the offer is. */
const windowSecondsMax = 3_600;
/** How long an expired authorization has been over: twice as long as clocks may differ where a payment is served. */
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
      // Not long before it, so that no bound on the age of a window hides that its end is not looked at.
      return { ...exact, validAfter: endedAt - Math.min(lengthSeconds, pastSeconds), validBefore: endedAt };
    }
  }
}

/** Letter case carries no meaning in an address. */
function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/**
 * No longer from end to end than the offer, since how long a window may be is not shown (contract 5; D-121): a tenth of it
 * for clocks that are behind, the rest for the work.
 */
function windowFor({ maxTimeoutSeconds }: Offer, nowSeconds: number) {
  const lengthSeconds = Math.min(maxTimeoutSeconds, windowSecondsMax);
  // EIP-3009 takes neither end of a window, so that it must have begun before now.
  const skewSeconds = Math.max(1, Math.min(skewSecondsMax, Math.floor(lengthSeconds / 10)));
  const validBefore = nowSeconds + Math.max(lengthSeconds - skewSeconds, Math.min(lengthSeconds, 1));
  return { validAfter: nowSeconds - skewSeconds, validBefore, lengthSeconds };
}
