import type { PaymentRequirements } from '@paid-inference/contract/types';
import { type Found, found, missing } from '../types/found.ts';
import { isObject, member, type Unchecked } from '../wire/base64-json.ts';

/** The payment requirements that a signature needs (§2.8, §4.4). */
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

/** An address other than zero, which is neither a recipient nor a token (D-233). */
export const addressPattern = /^0x(?!0{40}$)[0-9a-fA-F]{40}$/;
export const amountPattern = /^(0|[1-9]\d{0,77})$/;
/** The highest amount that can be signed: `value` is a uint256 (§4.4). */
export const uint256Max = 2n ** 256n - 1n;

/** Reads decoded requirements as far as a signature needs them. Other checks judge whether they are correct. */
export function readOffer(requirements: Unchecked<PaymentRequirements>): Found<Offer> {
  const { scheme, network, maxAmountRequired, resource, payTo, asset, maxTimeoutSeconds, extra } =
    requirements;
  if (typeof scheme !== 'string' || typeof network !== 'string' || typeof resource !== 'string') {
    return missing('the offer cannot be signed: scheme, network and resource must be strings');
  }
  if (typeof maxAmountRequired !== 'string' || !amountPattern.test(maxAmountRequired)) {
    return missing('the offer cannot be signed: maxAmountRequired must be a decimal integer string');
  }
  if (BigInt(maxAmountRequired) > uint256Max) {
    return missing('the offer cannot be signed: maxAmountRequired exceeds a uint256');
  }
  if (typeof payTo !== 'string' || !addressPattern.test(payTo)) {
    return missing('the offer cannot be signed: payTo must be an address other than zero');
  }
  if (typeof asset !== 'string' || !addressPattern.test(asset)) {
    return missing('the offer cannot be signed: asset must be an address other than zero');
  }
  if (typeof maxTimeoutSeconds !== 'number' || !Number.isSafeInteger(maxTimeoutSeconds)) {
    return missing('the offer cannot be signed: maxTimeoutSeconds must be an integer');
  }
  if (maxTimeoutSeconds < 0) {
    return missing('the offer cannot be signed: maxTimeoutSeconds must not be negative');
  }
  const domainName = member(extra, 'name');
  const domainVersion = member(extra, 'version');
  if (!isObject(extra) || typeof domainName !== 'string' || typeof domainVersion !== 'string') {
    return missing('the offer cannot be signed: extra.name and extra.version must be strings');
  }
  if (!domainName.isWellFormed() || !domainVersion.isWellFormed()) {
    return missing('the offer cannot be signed: extra.name or extra.version contains half a surrogate pair');
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
