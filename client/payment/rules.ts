import { network, scheme } from '@paid-inference/contract/constants';
import type { PaymentRequirements } from '@paid-inference/contract/types';
import { EvmAddress } from '@paid-inference/contract/validators';

/**
 * The limits of a client. Amounts are in the token's smallest unit. A list that is left out allows everything.
 */
export type SpendingRules = {
  readonly amountPerRequestMax: bigint;
  /**
   * Over the life of the client, or of its journal file. Counts signed amounts, and releases an amount only if
   * the signature never left.
   */
  readonly amountTotalMax: bigint;
  /** In any 60 minutes; no limit when left out. Counts like `amountTotalMax`. */
  readonly amountPerHourMax?: bigint;
  /** CAIP-2 identifiers; the contract's network when left out. */
  readonly networks?: readonly string[];
  /** Token contracts. */
  readonly assets?: readonly string[];
  /** Recipients. */
  readonly payTo?: readonly string[];
  /** Hosts that an offer may name besides the host of the request, with a port unless it is the default one. */
  readonly resourceHosts?: readonly string[];
};

/** The reason why the client signed nothing. */
export type Refusal = { readonly reason: RefusalReason; readonly message: string };

export type RefusalReason =
  | 'offer_missing'
  | 'offer_unreadable'
  | 'scheme_not_allowed'
  | 'network_not_allowed'
  | 'asset_not_allowed'
  | 'pay_to_not_allowed'
  | 'resource_elsewhere'
  | 'price_above_limit'
  | 'total_above_limit'
  | 'hour_above_limit'
  | 'signer_failed';

/**
 * Checks an offer before the signature. Returns null when the rules allow the offer. Does not check the sums,
 * because check and reservation of a sum must be one step (journal.ts).
 */
export function checkOffer(
  offer: PaymentRequirements,
  requestUrl: URL,
  rules: SpendingRules,
): Refusal | null {
  if (offer.scheme !== scheme) {
    return { reason: 'scheme_not_allowed', message: `the offer's scheme is ${offer.scheme}, not ${scheme}` };
  }
  if (!(rules.networks ?? [network]).includes(offer.network)) {
    return {
      reason: 'network_not_allowed',
      message: `the network ${offer.network} is not allowed by the spending rules`,
    };
  }
  if (!allowsAddress(rules.assets, offer.asset)) {
    return {
      reason: 'asset_not_allowed',
      message: `the token ${offer.asset} is not allowed by the spending rules`,
    };
  }
  if (!allowsAddress(rules.payTo, offer.payTo)) {
    return {
      reason: 'pay_to_not_allowed',
      message: `the recipient ${offer.payTo} is not allowed by the spending rules`,
    };
  }
  if (!isSameResource(offer.resource, requestUrl, rules.resourceHosts ?? [])) {
    const asked = requestUrl.origin + requestUrl.pathname;
    return {
      reason: 'resource_elsewhere',
      message: `the offer is for ${offer.resource}, but the request is for ${asked}`,
    };
  }
  if (BigInt(offer.maxAmountRequired) > rules.amountPerRequestMax) {
    const message = `the price of ${offer.maxAmountRequired} units is above the limit of ${rules.amountPerRequestMax} units`;
    return { reason: 'price_above_limit', message };
  }
  return null;
}

/** The sums of the amounts that are reserved or signed. */
export type SignedSums = { readonly total: bigint; readonly lastHour: bigint };

export const hourSeconds = 3_600;

/** Checks the sums of all payments, with the next price. Returns null when the rules allow the price. */
export function checkSums(
  price: bigint,
  { total, lastHour }: SignedSums,
  rules: SpendingRules,
): Refusal | null {
  const { amountTotalMax, amountPerHourMax } = rules;
  if (total + price > amountTotalMax) {
    const message = `the price of ${price} units and the ${total} already signed are above the total limit of ${amountTotalMax} units`;
    return { reason: 'total_above_limit', message };
  }
  if (amountPerHourMax !== undefined && lastHour + price > amountPerHourMax) {
    const message = `the price of ${price} units and the ${lastHour} signed in the last hour are above the hourly limit of ${amountPerHourMax} units`;
    return { reason: 'hour_above_limit', message };
  }
  return null;
}

/**
 * Throws a TypeError for invalid rules: an amount that is no bigint or below zero, or an entry that no offer can match.
 * Programs in JavaScript have no types, and a limit of `undefined` or NaN would limit nothing.
 */
export function requireValidRules(rules: SpendingRules | null | undefined): void {
  if (rules === null || rules === undefined)
    throw new TypeError('spending rules: there are none. Give amountPerRequestMax and amountTotalMax');
  const { amountPerRequestMax, amountTotalMax, amountPerHourMax = 0n } = rules;
  for (const [name, amount] of Object.entries({ amountPerRequestMax, amountTotalMax, amountPerHourMax })) {
    if (typeof amount !== 'bigint')
      throw new TypeError(`spending rules: ${name} is no bigint, such as 100_000n`);
    if (amount < 0n) throw new TypeError(`spending rules: ${amount} is below zero`);
  }
  for (const address of [...(rules.assets ?? []), ...(rules.payTo ?? [])]) {
    if (!EvmAddress(address)) throw new TypeError(`spending rules: ${address} is not an address`);
  }
  for (const host of rules.resourceHosts ?? []) {
    if (URL.parse(`http://${host}`)?.host !== host && URL.parse(`https://${host}`)?.host !== host) {
      throw new TypeError(`spending rules: ${host} is not a host such as gateway.example or 127.0.0.1:8402`);
    }
  }
}

/** Compares addresses without letter case (contract §2.8). */
function allowsAddress(allowed: readonly string[] | undefined, address: string): boolean {
  return allowed === undefined || allowed.some((entry) => entry.toLowerCase() === address.toLowerCase());
}

/**
 * Whether the offer is for this request. EIP-3009 does not sign the resource, so only this check finds an offer
 * of another gateway or endpoint (contract §2.8, "Full URL of the requested endpoint").
 */
function isSameResource(resource: string, requestUrl: URL, hosts: readonly string[]): boolean {
  const offered = URL.parse(resource);
  if (offered === null || offered.pathname !== requestUrl.pathname) return false;
  return offered.origin === requestUrl.origin || hosts.includes(offered.host);
}
