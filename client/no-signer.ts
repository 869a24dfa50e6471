import type { PayerOptions } from './pay.ts';

/** For the calls that never pay: nothing to sign with, and nothing to spend. */
export const noSigner: Pick<PayerOptions, 'signer' | 'rules'> = {
  signer: {
    getAddress: () => Promise.reject(new Error('no key')),
    signTypedData: () => Promise.reject(new Error('no key')),
  },
  rules: { amountPerRequestMax: 0n, amountTotalMax: 0n },
};
