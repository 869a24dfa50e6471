import {
  type PaymentDomain,
  paymentDomain,
  transferWithAuthorizationTypes,
} from '@paid-inference/contract/eip712';
import { encodePaymentObject } from '@paid-inference/contract/headers';
import type { PaymentAuthorization, PaymentRequirements } from '@paid-inference/contract/types';
import { hexlify, randomBytes } from 'ethers';
import { validitySecondsMax } from '../limits.ts';

/** Who signs: an ethers `Wallet` or `JsonRpcSigner`, or anything with these two. */
export interface PaymentSigner {
  getAddress(): Promise<string>;
  signTypedData(
    domain: PaymentDomain,
    types: Record<string, { name: string; type: string }[]>,
    value: Record<string, unknown>,
  ): Promise<string>;
}

/** A signed authorization, ready to be presented as often as needed. */
export type SignedPayment = {
  readonly authorization: PaymentAuthorization;
  /** The token contract that it is good for. */
  readonly asset: string;
  /** The value of `X-PAYMENT`, byte for byte the same each time. Whoever holds it can settle it. */
  readonly header: string;
  /** Enough of the signature to recognise it, too little to use it. */
  readonly signaturePreview: string;
};

/**
 * Signs what an offer asks for: exactly its price (D-17), from now until the offer ends (contract §4.4, steps 3 to 5).
 * Rejects with what the signer rejects with.
 * @see https://eips.ethereum.org/EIPS/eip-3009
 */
export async function signAuthorization(
  signer: PaymentSigner,
  from: string,
  offer: PaymentRequirements,
  nowSeconds: number,
): Promise<SignedPayment> {
  const authorization: PaymentAuthorization = {
    from,
    to: offer.payTo,
    value: offer.maxAmountRequired,
    // Valid since ever. A start of "now" would fail where our clock runs ahead of the chain's, and would protect
    // nobody: whoever holds the signature can wait until it begins.
    validAfter: 0,
    validBefore: nowSeconds + Math.min(offer.maxTimeoutSeconds, validitySecondsMax),
    nonce: hexlify(randomBytes(32)),
  };
  const domain = paymentDomain(offer);
  // Signers refuse a mixed-case address whose EIP-55 checksum does not hold, and offers are free in their case.
  const signature = await signer.signTypedData(
    { ...domain, verifyingContract: domain.verifyingContract.toLowerCase() },
    transferWithAuthorizationTypes,
    { ...authorization, from: from.toLowerCase(), to: offer.payTo.toLowerCase() },
  );
  return {
    authorization,
    asset: offer.asset,
    header: encodePaymentObject({ payload: { signature, authorization } }),
    signaturePreview: `${signature.slice(0, 10)}…${signature.slice(-4)}`,
  };
}
