import {
  type PaymentDomain,
  paymentDomain,
  transferWithAuthorizationTypes,
} from '@paid-inference/contract/eip712';
import { encodePaymentObject } from '@paid-inference/contract/headers';
import type { PaymentAuthorization, PaymentRequirements } from '@paid-inference/contract/types';
import { hexlify, randomBytes } from 'ethers';
import { validitySecondsMax } from '../limits.ts';

/** Signs payments: an ethers `Wallet` or `JsonRpcSigner`, or any object with these two methods. */
export interface PaymentSigner {
  getAddress(): Promise<string>;
  signTypedData(
    domain: PaymentDomain,
    types: Record<string, { name: string; type: string }[]>,
    value: Record<string, unknown>,
  ): Promise<string>;
}

/** A signed authorization, which the client may send several times. */
export type SignedPayment = {
  readonly authorization: PaymentAuthorization;
  /** The token contract of the authorization. */
  readonly asset: string;
  /** The value of `X-PAYMENT`, the same bytes each time. Anybody who has the value can settle the payment. */
  readonly header: string;
  /** The first and last digits of the signature: enough to recognise the signature, too few to use it. */
  readonly signaturePreview: string;
};

/**
 * Signs an authorization for exactly the offer's price (D-17), valid until the offer ends (contract §4.4, steps
 * 3 to 5). Rejects with the signer's error.
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
    // Valid at once. A start of "now" fails when our clock is ahead of the chain's, and it protects nothing:
    // the owner of a signature can wait for the start.
    validAfter: 0,
    validBefore: nowSeconds + Math.min(offer.maxTimeoutSeconds, validitySecondsMax),
    nonce: hexlify(randomBytes(32)),
  };
  const domain = paymentDomain(offer);
  // Signers reject a mixed-case address with a wrong EIP-55 checksum, and offers may use any letter case.
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
