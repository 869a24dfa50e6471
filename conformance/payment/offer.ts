import type { PaymentRequirements } from '@paid-inference/contract/types';
import { type Found, found, missing } from '../types/found.ts';
import { isObject, member, type Unchecked } from '../wire/base64-json.ts';

/** What must be read from payment requirements before a payment for them can be signed (contract 2.8, 4.4). */
export type Offer = {
  readonly scheme: string;
  readonly network: string;
  /** In the token's smallest unit. */
  readonly maxAmountRequired: bigint;
  readonly resource: string;
  readonly payTo: string;
  readonly asset: string;
  readonly maxTimeoutSeconds: number;
  readonly domainName: string;
  readonly domainVersion: string;
};

export const addressPattern = /^0x[0-9a-fA-F]{40}$/;
export const amountPattern = /^(0|[1-9]\d{0,77})$/;
/** Of the most that can be signed for: `value` is a uint256 (contract 4.4). */
export const uint256Max = 2n ** 256n - 1n;

/** Reads decoded requirements as far as signing needs them; whether they are right is judged elsewhere. */
export function readOffer(requirements: Unchecked<PaymentRequirements>): Found<Offer> {
  const { scheme, network, maxAmountRequired, resource, payTo, asset, maxTimeoutSeconds, extra } =
    requirements;
  if (typeof scheme !== 'string' || typeof network !== 'string' || typeof resource !== 'string') {
    return missing('the offer cannot be signed for: scheme, network and resource are not all strings');
  }
  if (typeof maxAmountRequired !== 'string' || !amountPattern.test(maxAmountRequired)) {
    return missing('the offer cannot be signed for: maxAmountRequired is not a decimal integer string');
  }
  if (BigInt(maxAmountRequired) > uint256Max) {
    return missing('the offer cannot be signed for: maxAmountRequired is more than a uint256 holds');
  }
  if (typeof payTo !== 'string' || !addressPattern.test(payTo)) {
    return missing('the offer cannot be signed for: payTo is not an address');
  }
  if (typeof asset !== 'string' || !addressPattern.test(asset)) {
    return missing('the offer cannot be signed for: asset is not an address');
  }
  if (typeof maxTimeoutSeconds !== 'number' || !Number.isSafeInteger(maxTimeoutSeconds)) {
    return missing('the offer cannot be signed for: maxTimeoutSeconds is not an integer');
  }
  if (maxTimeoutSeconds < 0) {
    return missing('the offer cannot be signed for: maxTimeoutSeconds is below zero');
  }
  const domainName = member(extra, 'name');
  const domainVersion = member(extra, 'version');
  if (!isObject(extra) || typeof domainName !== 'string' || typeof domainVersion !== 'string') {
    return missing('the offer cannot be signed for: extra.name and extra.version are not both strings');
  }
  if (!domainName.isWellFormed() || !domainVersion.isWellFormed()) {
    return missing('the offer cannot be signed for: half a surrogate pair in extra has no bytes to sign');
  }
  return found({
    scheme,
    network,
    maxAmountRequired: BigInt(maxAmountRequired),
    resource,
    payTo,
    asset,
    maxTimeoutSeconds,
    domainName,
    domainVersion,
  });
}
