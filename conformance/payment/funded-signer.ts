import { Wallet } from 'ethers';
import type { Secrets } from '../wire/secrets.ts';
import type { Offer } from './offer.ts';
import { signAuthorization } from './sign.ts';
import type { Counted } from './spending.ts';

/** A key that owns something. It signs nothing but what is counted and written down: the type says so. */
export type FundedSigner = {
  readonly address: string;
  sign(offer: Offer, authorization: Counted): Promise<string>;
};

/** Keeps the key where nobody can ask for it, and out of everything that is written down. */
export function createFundedSigner(privateKey: string, secrets: Secrets): FundedSigner {
  secrets.conceal(privateKey, '<key>');
  secrets.conceal(privateKey.replace(/^0x/, ''), '<key>');
  const wallet = new Wallet(privateKey);
  return {
    address: wallet.address,
    sign: (offer, authorization) => signAuthorization(wallet, offer, authorization),
  };
}
