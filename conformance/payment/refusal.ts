import { network, scheme } from '@paid-inference/contract/constants';
import { isAddress } from 'ethers';
import { sameOrigin } from '../wire/origin.ts';
import { addressPattern, type Offer } from './offer.ts';
import type { Authorization } from './sign.ts';

/**
 * Recipients and token that the caller requires. Without a pin, the first offer of the run sets the value. A
 * target may have several recipients (D-217).
 */
export type Pins = { readonly payTo?: string | readonly string[]; readonly asset?: string };

/** Whether a text can be a pin. Mixed case is a checksum (EIP-55), so a mistyped character is noticed. */
export function isPin(text: string): boolean {
  return addressPattern.test(text) && isAddress(text);
}

/** The form of a pin, for an error. */
export const pinForm =
  'must be addresses: 0x and 40 hexadecimal digits, not all zero, in mixed case with a right checksum';

/** The highest later offer for a request, in percent of the first one (D-110). */
const growthPercentMax = 125n;

/** Facts about the target's earlier offers. */
export type Memory = {
  /** In lower case, like `asset`. */
  readonly payTo: string | readonly string[] | undefined;
  readonly asset: string | undefined;
  /** The values that the caller has pinned. */
  readonly pins: Pins;
  /** The amount of the first offer for the same request. */
  readonly firstAmount: bigint | undefined;
};

/**
 * The reason why the suite does not sign an offer, or undefined. It covers recipient, resource, price growth
 * and window; the caps cover the amount.
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
  if (!sameOrigin(offer.resource, targetUrl))
    return `resource ${offer.resource} is not on the host of the target`;
  const stranger =
    strangerIn('payTo', '--pay-to', offer, memory) ?? strangerIn('asset', '--asset', offer, memory);
  if (stranger !== undefined) return stranger;
  if (
    memory.firstAmount !== undefined &&
    offer.maxAmountRequired * 100n > memory.firstAmount * growthPercentMax
  ) {
    return `maxAmountRequired for this request rose from ${memory.firstAmount} to ${offer.maxAmountRequired}, more than ${growthPercentMax} % of the first offer`;
  }
  if (validBefore - nowSeconds > offer.maxTimeoutSeconds) {
    return `the payment would be valid for longer than maxTimeoutSeconds of the offer (${offer.maxTimeoutSeconds} s)`;
  }
  return undefined;
}

function strangerIn(
  field: 'payTo' | 'asset',
  option: string,
  offer: Offer,
  { pins, ...memory }: Memory,
): string | undefined {
  const expected = [memory[field] ?? []].flat();
  if (expected.length === 0 || expected.includes(offer[field].toLowerCase())) return undefined;
  const required = expected.join(' or ');
  if (pins[field] !== undefined) return `${field} is ${offer[field]}, but ${option} requires ${required}`;
  const changed = `${field} changed from ${required} in the first offer to ${offer[field]}`;
  // "The payment token" is one token (§1), but no sentence says that one recipient exists.
  return field === 'asset'
    ? changed
    : `${changed}. If the target has several recipients, repeat ${option} for each`;
}
