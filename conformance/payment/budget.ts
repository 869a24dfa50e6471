import { network, scheme } from '@paid-inference/contract/constants';
import { Wallet } from 'ethers';
import { type Found, found, missing } from '../engine/found.ts';
import { sameOrigin } from '../wire/origin.ts';
import type { Secrets } from '../wire/secrets.ts';
import type { Offer } from './offer.ts';
import { type Payment, sealPayment, signAuthorization } from './sign.ts';
import { authorizationFor, type Terms } from './terms.ts';

/** In the token's smallest unit. Both are mandatory: nobody pays without having said how much. */
export type Caps = { readonly perRequestUnits: bigint; readonly totalUnits: bigint };

export type Spent = {
  /** The sum of all signed values, whatever became of them: what the run could have cost at most. */
  readonly signedUnits: bigint;
  /** The sum of the values that the target answered with 200. */
  readonly settledUnits: bigint;
  readonly payments: number;
};

/** The way to a funded key, and the only one. */
export type Budget = {
  readonly payer: string;
  /** Signs a payment for an offer, or says why it refuses. The value counts as spent before the signature exists. */
  authorize(offer: Offer, terms: Terms, nowSeconds: number): Promise<Found<Payment>>;
  /** Notes that a payment was answered with 200. */
  settled(payment: Payment): void;
  spent(): Spent;
};

/** Signatures in a whole run, with three attempts at a tool call. */
export const paymentsMax = 16;

/**
 * Holds a funded key back behind two caps. It counts what is signed, not what is settled: a signature is the only thing
 * that can move money. It signs for one chain, for the recipient and token of the first offer, and for no resource on
 * another host.
 */
export function createBudget(privateKey: string, caps: Caps, targetUrl: string, secrets: Secrets): Budget {
  secrets.conceal(privateKey, '<key>');
  secrets.conceal(privateKey.replace(/^0x/, ''), '<key>');
  const wallet = new Wallet(privateKey);
  let spent: Spent = { signedUnits: 0n, settledUnits: 0n, payments: 0 };
  let pinned: { readonly payTo: string; readonly asset: string } | undefined;

  function refusal(offer: Offer, value: bigint): string | undefined {
    if (offer.scheme !== scheme) return `scheme ${offer.scheme} is not ${scheme}`;
    if (offer.network !== network) return `network ${offer.network} is not ${network}`;
    if (!sameOrigin(offer.resource, targetUrl)) return `resource ${offer.resource} is on another host`;
    if (pinned && pinned.payTo !== offer.payTo.toLowerCase()) return 'payTo changed within the run';
    if (pinned && pinned.asset !== offer.asset.toLowerCase()) return 'asset changed within the run';
    if (value < 0n) return 'there is no value below zero';
    if (value > caps.perRequestUnits) {
      return `${value} of the smallest unit are over the cap of ${caps.perRequestUnits} per request`;
    }
    if (spent.signedUnits + value > caps.totalUnits) {
      return `${value} of the smallest unit more than the ${spent.signedUnits} signed so far are over the cap of ${caps.totalUnits}`;
    }
    if (spent.payments >= paymentsMax) return `${paymentsMax} payments are signed already`;
    return undefined;
  }

  return {
    payer: wallet.address,
    async authorize(offer, terms, nowSeconds) {
      const authorization = authorizationFor(terms, offer, wallet.address, nowSeconds);
      const value = BigInt(authorization.value);
      const reason = refusal(offer, value);
      if (reason !== undefined) return missing(`the budget refuses to sign: ${reason}`);
      pinned ??= { payTo: offer.payTo.toLowerCase(), asset: offer.asset.toLowerCase() };
      spent = { ...spent, signedUnits: spent.signedUnits + value, payments: spent.payments + 1 };
      const signature = await signAuthorization(wallet, offer, authorization);
      return found(sealPayment(authorization, signature, secrets));
    },
    settled(payment) {
      spent = { ...spent, settledUnits: spent.settledUnits + BigInt(payment.authorization.value) };
    },
    spent: () => spent,
  };
}
