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

/** How a payment is spoiled. */
export type Spoiling = {
  /** What it says otherwise than was offered. */
  readonly terms?: Terms;
  /** Whom it names as payer, instead of its signer. */
  readonly from?: string;
  /** What is signed otherwise than the contract says. */
  readonly twist?: Twist;
  /** What is sent instead of what was signed. */
  readonly edit?: (signed: Signed) => Sent;
};
export type Signed = { readonly authorization: Authorization; readonly signature: string };
export type Sent = Pick<Signed, 'authorization'> & Partial<Signed>;

/** A signer that owns nothing: made for this run, never written down, gone with the process. */
export type Throwaway = {
  /** Content of `X-PAYMENT` that would be good, had the signer any tokens, save for how it is spoiled. */
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

/** A key whose address has a capital letter: one in 4,000 has none, and could then be judged by the case of its letters. */
function randomKey(): string {
  for (;;) {
    const key = hexlify(randomBytes(32));
    const { address } = new Wallet(key);
    if (address !== address.toLowerCase()) return key;
  }
}
