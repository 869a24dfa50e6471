import { randomBytes } from 'node:crypto';
import { hexlify, Wallet } from 'ethers';
import type { Secrets } from '../wire/secrets.ts';
import type { Offer } from './offer.ts';
import {
  type Authorization,
  concealSignature,
  sealPayment,
  sealUnchecked,
  signAuthorization,
  type Twist,
} from './sign.ts';
import { authorizationFor, type Terms } from './terms.ts';

/** Faults to put into a payment. */
export type Spoiling = {
  /** Terms that differ from the offer. */
  readonly terms?: Terms;
  /** The payer that the payment names, instead of its signer. */
  readonly from?: string;
  /** Deviations in the signed data. */
  readonly twist?: Twist;
  /** Changes the payment after it is signed. */
  readonly edit?: (signed: Signed) => Sent;
};
export type Signed = { readonly authorization: Authorization; readonly signature: string };
export type Sent = Pick<Signed, 'authorization'> & Partial<Signed>;

/** A signer without funds. It is created for one run and never stored. */
export type Throwaway = {
  /** Creates the content of an `X-PAYMENT` that lacks only funds, apart from the requested faults. */
  pay(offer: Offer, nowSeconds: number, spoiling?: Spoiling): Promise<string>;
};

export function createThrowaway(secrets: Secrets): Throwaway {
  const privateKey = randomKey();
  secrets.conceal(privateKey, '<key>');
  secrets.conceal(privateKey.slice(2), '<key>');
  const wallet = new Wallet(privateKey);
  return {
    async pay(offer, nowSeconds, { terms = 'exact', from = wallet.address, twist, edit } = {}) {
      const authorization = authorizationFor(terms, offer, from, nowSeconds);
      const signature = await signAuthorization(wallet, offer, authorization, twist);
      if (!edit) return sealPayment(authorization, signature, secrets).header;
      concealSignature(signature, secrets);
      const edited = edit({ authorization, signature });
      return sealUnchecked(edited.authorization, edited.signature, secrets);
    },
  };
}

/**
 * A random key whose address has small and capital letters. A few addresses in 10,000 lack one of them and could
 * not test letter case.
 */
function randomKey(): string {
  for (;;) {
    const key = hexlify(randomBytes(32));
    const { address } = new Wallet(key);
    if (/[a-f]/.test(address) && /[A-F]/.test(address)) return key;
  }
}
