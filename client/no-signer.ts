import type { PayerOptions } from './pay.ts';

/** For calls that never pay: a signer without a key, and limits of zero. */
export const noSigner: Pick<PayerOptions, 'signer' | 'rules'> = {
  signer: {
    getAddress: () => Promise.reject(new Error('no key')),
    signTypedData: () => Promise.reject(new Error('no key')),
  },
  rules: { amountPerRequestMax: 0n, amountTotalMax: 0n },
};
