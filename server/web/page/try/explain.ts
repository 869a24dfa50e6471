import { chainId } from '@paid-inference/contract/constants';

/** A purchase that ended without a completion, as the client reports it. */
export type Ended = {
  readonly kind: string;
  readonly message: string;
  readonly reason?: string;
  readonly code?: string | null;
  readonly status?: number;
  readonly payment?: { readonly state: string };
};

/** What happened, and what the visitor can do. */
export type Explanation = { readonly title: string; readonly advice: string };

const isCharged = ({ payment }: Ended) => payment?.state === 'settled' || payment?.state === 'maybe-charged';

/** Explains each refusal in plain words. The rows stand in the order in which they are tried. */
const rows: readonly {
  readonly fits: (ended: Ended) => boolean;
  readonly says: (ended: Ended) => Explanation;
}[] = [
  {
    fits: ({ reason, message }) => reason === 'signer_failed' && /4001|rejected/.test(message),
    says: () => ({
      title: 'You rejected the signature',
      advice: 'Nothing was paid. Press "Sign and pay" again to see the request of your wallet once more.',
    }),
  },
  {
    fits: ({ reason, message }) => reason === 'signer_failed' && /chain/.test(message),
    says: ({ message }) => ({
      title: 'Your wallet is on another chain',
      advice: `Nothing was paid. Add the chain with the id ${chainId} (Base Sepolia) to your wallet, select it, and pay again. The wallet says: ${message}.`,
    }),
  },
  {
    fits: ({ reason }) => reason === 'signer_failed',
    says: ({ message }) => ({
      title: 'Your wallet did not sign',
      advice: `Nothing was paid. Unlock your wallet, give this page an account, and pay again. The wallet says: ${message}.`,
    }),
  },
  {
    fits: ({ reason }) => reason === 'price_above_limit' || reason === 'total_above_limit',
    says: () => ({
      title: 'The price changed',
      advice:
        'The new price is higher than the price that you saw, so the page signed nothing. Press "Show the price" to see the new one.',
    }),
  },
  {
    fits: ({ kind, reason }) =>
      kind === 'refused' && /^(?:asset|pay_to|network|scheme|resource)_/.test(reason ?? ''),
    says: ({ message }) => ({
      title: 'The offer is not from this gateway',
      advice: `The page signed nothing, because the offer differs from the front page: ${message}. Load the page again.`,
    }),
  },
  {
    fits: ({ code, reason }) => code === 'insufficient_funds' || reason === 'insufficient_funds',
    says: () => ({
      title: 'The account has too few tokens',
      advice:
        'Nothing was charged. Get tokens for the account, or select another account, and pay again. Payments in progress hold their price back.',
    }),
  },
  {
    fits: ({ code }) => code === 'invalid_signature',
    says: () => ({
      title: 'The gateway rejected the signature',
      advice:
        'Nothing was charged. The signature is not from the account that the payment names. Select one account in your wallet, and pay again.',
    }),
  },
  {
    fits: ({ status }) => status === 429,
    says: ({ message }) => ({ title: 'Too many requests', advice: `${message} Then pay again.` }),
  },
  {
    fits: isCharged,
    says: ({ message }) => ({
      title: 'The payment may be charged, and the completion is missing',
      advice: `Press "Sign and pay" again: the page sends the same payment, and the gateway charges it once. ${message}`,
    }),
  },
  {
    fits: ({ kind }) => kind === 'network',
    says: ({ message }) => ({
      title: 'The gateway does not respond',
      advice: `Nothing was charged. Check your connection, and try again. The browser says: ${message}.`,
    }),
  },
];

/** Says what became of a purchase without a completion, and what to do. */
export function explain(ended: Ended): Explanation {
  const row = rows.find(({ fits }) => fits(ended));
  return (
    row?.says(ended) ?? {
      title: 'The gateway refused the request',
      advice: `Nothing was charged. ${ended.message}`,
    }
  );
}
