import { randomBytes } from 'node:crypto';
import { hexlify } from 'ethers';
import type { Offer } from './offer.ts';
import type { Authorization } from './sign.ts';

/**
 * The only authorizations that a funded key ever signs. A target that takes a wrong one gains no more than was counted:
 * - `exact`: what the offer asks for.
 * - `one-over`, `one-under`: a unit more or less than the maximum, counted as signed.
 * - `to-self`: to the payer's own address, so that a settlement moves nothing.
 * - `not-yet-valid`: for one minute ten years from now.
 * - `expired`: for an hour that is over.
 */
export type Terms = 'exact' | 'one-over' | 'one-under' | 'to-self' | 'not-yet-valid' | 'expired';

/** How far in the past an authorization starts: room for a clock that is not ours. */
const skewSeconds = 600;
const tenYearsSeconds = 315_360_000;

export function authorizationFor(
  terms: Terms,
  offer: Offer,
  payer: string,
  nowSeconds: number,
): Authorization {
  const exact = {
    from: payer,
    to: offer.payTo,
    value: offer.maxAmountRequired.toString(),
    validAfter: nowSeconds - skewSeconds,
    validBefore: nowSeconds + offer.maxTimeoutSeconds,
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
      return { ...exact, to: payer };
    case 'not-yet-valid':
      return {
        ...exact,
        validAfter: nowSeconds + tenYearsSeconds,
        validBefore: nowSeconds + tenYearsSeconds + 60,
      };
    case 'expired':
      return { ...exact, validAfter: nowSeconds - 7_200, validBefore: nowSeconds - 3_600 };
  }
}
