import { Wallet } from 'ethers';
import type { Secrets } from '../wire/secrets.ts';
import type { Offer } from './offer.ts';
import { signAuthorization } from './sign.ts';
import type { Counted } from './spending.ts';

/** A funded key. It signs only authorizations that are counted and recorded, as the type requires. */
export type FundedSigner = {
  readonly address: string;
  sign(offer: Offer, authorization: Counted): Promise<string>;
};

/** Hides the key from callers and conceals it in all reports. */
export function createFundedSigner(privateKey: string, secrets: Secrets): FundedSigner {
  secrets.conceal(privateKey, '<key>');
  secrets.conceal(privateKey.replace(/^0x/, ''), '<key>');
  const wallet = new Wallet(privateKey);
  return {
    address: wallet.address,
    sign: (offer, authorization) => signAuthorization(wallet, offer, authorization),
  };
}
