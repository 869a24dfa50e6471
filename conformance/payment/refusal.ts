import { network, scheme } from '@paid-inference/contract/constants';
import { sameOrigin } from '../wire/origin.ts';
import type { Offer } from './offer.ts';
import type { Authorization } from './sign.ts';

/** What the caller insists on; where it is left out, the first offer of the run stands in for it. */
export type Pins = { readonly payTo?: string; readonly asset?: string };

/** Hundredths of the first offer for a request that a later one for the same request may ask for (D-110). */
const growthPercentMax = 125n;

/** What the run has seen of the target's offers so far. */
export type Memory = {
  /** In lower case. */
  readonly payTo: string | undefined;
  readonly asset: string | undefined;
  /** Which of the two the caller has named. */
  readonly pins: Pins;
  /** The amount of the first offer for this very request. */
  readonly firstAmount: bigint | undefined;
};

/**
 * Why an offer is not signed for, or undefined. The amount itself is judged by the caps; this is about whom it goes to, for
 * what, and for how long.
 */
export function refusal(
  offer: Offer,
  { validBefore }: Pick<Authorization, 'validBefore'>,
  memory: Memory,
  targetUrl: string,
  nowSeconds: number,
): string | undefined {
  if (offer.scheme !== scheme) return `scheme ${offer.scheme} is not ${scheme}`;
  if (offer.network !== network) return `network ${offer.network} is not ${network}`;
  if (!sameOrigin(offer.resource, targetUrl)) return `resource ${offer.resource} is on another host`;
  const stranger =
    strangerIn('payTo', '--pay-to', offer, memory) ?? strangerIn('asset', '--asset', offer, memory);
  if (stranger !== undefined) return stranger;
  if (
    memory.firstAmount !== undefined &&
    offer.maxAmountRequired * 100n > memory.firstAmount * growthPercentMax
  ) {
    return `the offer for this request grew from ${memory.firstAmount} to ${offer.maxAmountRequired}`;
  }
  if (validBefore - nowSeconds > offer.maxTimeoutSeconds) {
    return `the window ends later than the ${offer.maxTimeoutSeconds} s of the offer`;
  }
  return undefined;
}

function strangerIn(
  field: 'payTo' | 'asset',
  option: string,
  offer: Offer,
  { pins, ...memory }: Memory,
): string | undefined {
  const expected = memory[field];
  if (expected === undefined || expected === offer[field].toLowerCase()) return undefined;
  return pins[field] === undefined
    ? `${field} changed: ${offer[field]} is not ${expected}`
    : `${field} ${offer[field]} is not the one given by ${option}, ${expected}`;
}
