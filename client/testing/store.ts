import { createHash } from 'node:crypto';
import { chainId, network } from '@paid-inference/contract/constants';
import { paymentDomain, transferWithAuthorizationTypes } from '@paid-inference/contract/eip712';
import { decodePaymentObject } from '@paid-inference/contract/headers';
import type { PaymentReceipt, PaymentRequirements } from '@paid-inference/contract/types';
import { verifyTypedData } from 'ethers';

/** The result of a payment header. */
type Taken =
  | { readonly kind: 'settled' | 'replayed'; readonly receipt: PaymentReceipt }
  | { readonly kind: 'unsigned' }
  | { readonly kind: 'refused'; readonly reason: string };

/** The authorizations that moved tokens, with their purchases. */
export type Store = {
  take(header: string, offer: PaymentRequirements, purchase: string): Taken;
  /** The units that each payer paid, in the order of payment. */
  readonly charges: readonly { readonly payer: string; readonly nonce: string; readonly units: bigint }[];
};

export function createStore(nowSeconds: () => number): Store {
  const charges: { payer: string; nonce: string; units: bigint }[] = [];
  const purchases = new Map<string, string>();

  return {
    charges,
    take(header, offer, purchase) {
      const decoded = decodePaymentObject(header);
      if (!decoded.ok) return { kind: 'refused', reason: 'invalid_payload' };
      const { authorization, signature } = decoded.value.payload;
      const { from, to, value, validAfter, validBefore, nonce } = authorization;
      const domain = lowerCased(paymentDomain(offer), 'verifyingContract');
      const message = lowerCased({ ...authorization }, 'to');
      const signer = verifyTypedData(domain, transferWithAuthorizationTypes, message, signature);
      if (signer !== from) return { kind: 'unsigned' };
      if (to !== offer.payTo) return { kind: 'refused', reason: 'recipient' };
      if (value !== offer.maxAmountRequired) return { kind: 'refused', reason: 'value' };
      if (validAfter >= nowSeconds() || nowSeconds() >= validBefore)
        return { kind: 'refused', reason: 'window' };
      const receipt = receiptFor(nonce, from, value);
      const bought = purchases.get(nonce);
      if (bought === purchase) return { kind: 'replayed', receipt };
      if (bought !== undefined) return { kind: 'refused', reason: 'nonce_already_used' };
      purchases.set(nonce, purchase);
      charges.push({ payer: from, nonce, units: BigInt(value) });
      return { kind: 'settled', receipt };
    },
  };
}

/** The hash of the transaction that settled an authorization. */
export function hashTransaction(nonce: string): string {
  return `0x${createHash('sha256').update(nonce).digest('hex')}`;
}

function receiptFor(nonce: string, payer: string, amount: string): PaymentReceipt {
  const txHash = hashTransaction(nonce);
  return { success: true, network, chainId, txHash, payer, transaction: txHash, amount };
}

/** ethers rejects a mixed-case address with a wrong checksum, and offers may use any letter case. */
function lowerCased<T extends Record<string, unknown>>(value: T, field: keyof T): T {
  return { ...value, [field]: String(value[field]).toLowerCase() };
}
