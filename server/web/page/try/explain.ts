import { chainId } from '@paid-inference/contract/constants';
import { stoppedMessage } from './wallet-wait.ts';

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

type Row = {
  readonly fits: (ended: Ended) => boolean;
  readonly says: (ended: Ended) => Explanation;
};

const isCharged = ({ payment }: Ended) => payment?.state === 'settled' || payment?.state === 'maybe-charged';
const isRejected = ({ message }: Ended) => /\(4001\)|rejected/.test(message);

/** The reasons of a wallet that did not sign. The last row fits every reason. */
const walletRows: readonly Row[] = [
  {
    fits: ({ message }) => message.includes(stoppedMessage),
    says: () => ({
      title: 'You stopped waiting for your wallet',
      advice:
        'Nothing was paid, and the page drops a later signature. If the request is still open in your wallet, reject it there. Then you can pay again.',
    }),
  },
  {
    fits: (ended) => isRejected(ended) && ended.message.includes('eth_requestAccounts'),
    says: () => ({
      title: 'You did not connect your wallet',
      advice: 'Nothing was paid. Press "Sign and pay" again, and let your wallet give this page an account.',
    }),
  },
  {
    fits: (ended) => isRejected(ended) && ended.message.includes('wallet_switchEthereumChain'),
    says: () => ({
      title: 'You rejected the change of the chain',
      advice: `Nothing was paid. The payment is on the chain with the id ${chainId} (Base Sepolia). Press "Sign and pay" again, and let your wallet change to it.`,
    }),
  },
  {
    fits: isRejected,
    says: () => ({
      title: 'You rejected the signature',
      advice: 'Nothing was paid. Press "Sign and pay" again to see the request of your wallet once more.',
    }),
  },
  {
    fits: ({ message }) => message.includes('(4100)'),
    says: ({ message }) => ({
      title: 'Your wallet has another account now',
      advice: `Nothing was paid. Select one account in your wallet, connect it to this page, and pay again. The wallet says: ${message}.`,
    }),
  },
  {
    fits: ({ message }) => message.includes('did not respond'),
    says: ({ message }) => ({
      title: 'Your wallet did not respond',
      advice: `Nothing was paid. Open your wallet, close its old requests, and pay again. The page says: ${message}.`,
    }),
  },
  {
    fits: ({ message }) => /chain/i.test(message),
    says: ({ message }) => ({
      title: 'Your wallet is on another chain',
      advice: `Nothing was paid. Add the chain with the id ${chainId} (Base Sepolia) to your wallet, select it, and pay again. The wallet says: ${message}.`,
    }),
  },
  {
    fits: () => true,
    says: ({ message }) => ({
      title: 'Your wallet did not sign',
      advice: `Nothing was paid. Unlock your wallet, give this page an account, and pay again. The wallet says: ${message}.`,
    }),
  },
];

/** Explains each refusal in plain words. The rows stand in the order in which they are tried. */
const rows: readonly Row[] = [
  {
    fits: isCharged,
    says: ({ message }) => ({
      title: 'The payment may be charged, and the completion is missing',
      advice: `Press "Get the completion": the page sends the same payment, and the gateway charges it once. The reason: ${message}`,
    }),
  },
  ...walletRows.map(({ fits, says }) => ({
    fits: (ended: Ended) => ended.reason === 'signer_failed' && fits(ended),
    says: (ended: Ended) =>
      says({ ...ended, message: ended.message.replace(/^the wallet did not sign: /, '') }),
  })),
  {
    fits: ({ reason }) => reason === 'price_above_limit' || reason === 'total_above_limit',
    says: () => ({
      title: 'The price changed',
      advice:
        'The new price is higher than the price that you saw, so the page signed nothing. Press "Show the price" to see the new one.',
    }),
  },
  {
    fits: ({ reason }) => reason === 'resource_elsewhere',
    says: ({ message }) => ({
      title: 'The gateway has another address',
      advice: `The page signed nothing: ${message}. Open the page at the address of the offer.`,
    }),
  },
  {
    fits: ({ kind, reason }) => kind === 'refused' && /^(?:asset|pay_to|network|scheme)_/.test(reason ?? ''),
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
    says: ({ message }) => ({ title: 'Too many requests', advice: `${message} Then try again.` }),
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

/** Explains a fault of the page itself. After an upgrade of the gateway, for one, an open page finds its scripts no more. */
export function explainFault(cause: unknown): Explanation {
  const why = cause instanceof Error ? cause.message : String(cause);
  return {
    title: 'The page could not go on',
    advice: `Load the page again. A purchase that you signed is still here afterwards. The browser says: ${why}`,
  };
}
