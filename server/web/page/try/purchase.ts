import { createClient, type SavedExchange, signerFromProvider } from '@paid-inference/client';
import type {
  ChatCompletion,
  ChatCompletionRequest,
  PaymentReceipt,
  SettlementType,
} from '@paid-inference/contract/types';
import type { SiteFacts } from '../../facts.ts';
import { type AddEntry, recordingFetch, recordingWallet } from './exchange-log.ts';
import type { Ended } from './explain.ts';
import type { ChosenWallet } from './wallets.ts';

/** What the visitor buys. */
export type Order = { readonly body: ChatCompletionRequest; readonly settlementType: SettlementType };

export type Bought = {
  readonly kind: 'bought';
  readonly completion: ChatCompletion;
  readonly receipt: PaymentReceipt | null;
  readonly payer: string;
  readonly nonce: string;
  readonly exchange: SavedExchange | null;
};

type Outcome = Bought | { readonly kind: 'ended'; readonly ended: Ended };

export type Quoted =
  | { readonly kind: 'quoted'; readonly price: bigint }
  | { readonly kind: 'ended'; readonly ended: Ended };

/** A signer that never signs, for requests without a payment. */
const noSigner = {
  getAddress: () => Promise.reject(new Error('no wallet')),
  signTypedData: () => Promise.reject(new Error('no wallet')),
};

/** Asks for the price of an order. Pays nothing. */
export async function askPrice({ body }: Order, add: AddEntry): Promise<Quoted> {
  const client = createClient({
    baseUrl: location.origin,
    signer: noSigner,
    rules: { amountPerRequestMax: 0n, amountTotalMax: 0n },
    fetch: recordingFetch(add),
  });
  const quoted = await client.quote({ ...body, stream: true });
  return quoted.kind === 'offer'
    ? { kind: 'quoted', price: BigInt(quoted.offer.maxAmountRequired) }
    : { kind: 'ended', ended: quoted };
}

/** The client of one order. A second attempt with it sends the same payment again, where one may be charged. */
export type Buyer = (order: Order, showText: (text: string) => void) => Promise<Outcome>;

/** Creates a buyer that pays at most the price that the visitor saw, only to this gateway, and only with its token. */
export function createBuyer(facts: SiteFacts, wallet: ChosenWallet, priceMax: bigint, add: AddEntry): Buyer {
  let saved: SavedExchange | null = null;
  const client = createClient({
    baseUrl: location.origin,
    signer: signerFromProvider(recordingWallet(wallet.provider, add)),
    fetch: recordingFetch(add),
    rules: {
      amountPerRequestMax: priceMax,
      amountTotalMax: priceMax,
      assets: [facts.token.address],
      payTo: [facts.payTo],
      // The offer names the public address of the gateway. The visitor may have come by another one.
      resourceHosts: [new URL(facts.gateway).host],
    },
    onExchange: (exchange) => {
      saved = exchange;
    },
  });
  return async ({ body, settlementType }, showText) => {
    const streamed = await client.streamChat(body, { settlementType });
    if (streamed.kind !== 'stream') return conclude(streamed);
    let text = '';
    let id = '';
    try {
      for await (const chunk of streamed.chunks) {
        // A chunk with another id begins the completion again.
        if (chunk.id !== id) [id, text] = [chunk.id, ''];
        text += chunk.choices[0]?.delta.content ?? '';
        showText(text);
      }
    } catch {
      // `whole` tells why.
    }
    return conclude(await streamed.whole());
  };

  function conclude(
    result: Exclude<Awaited<ReturnType<typeof client.streamChat>>, { kind: 'stream' }>,
  ): Outcome {
    if (result.kind !== 'completion') return { kind: 'ended', ended: result };
    const { completion, receipt, payment } = result;
    const signed = 'authorization' in payment ? payment.authorization : null;
    return {
      kind: 'bought',
      completion,
      receipt,
      payer: signed?.from ?? '',
      nonce: signed?.nonce ?? '',
      exchange: saved,
    };
  }
}
