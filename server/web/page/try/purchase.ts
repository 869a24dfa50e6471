import { createClient, type Journal, type SavedExchange, signerFromProvider } from '@paid-inference/client';
import type { ChatCompletion, PaymentReceipt } from '@paid-inference/contract/types';
import type { SiteFacts } from '../../facts.ts';
import { gatewayUrl } from '../root.ts';
import { type AddEntry, recordingFetch, recordingWallet } from './exchange-log.ts';
import type { Ended } from './explain.ts';
import type { Order, Priced } from './order.ts';
import { readProofId } from './proof-id.ts';
import type { WalletWait } from './wallet-wait.ts';
import type { ChosenWallet } from './wallets.ts';

export type Bought = {
  readonly kind: 'bought';
  readonly order: Order;
  readonly completion: ChatCompletion;
  readonly receipt: PaymentReceipt | null;
  readonly payer: string;
  readonly nonce: string;
  /** Null for a private purchase, and for a gateway without proofs. */
  readonly proofId: string | null;
  readonly exchange: SavedExchange | null;
};

type Outcome = Bought | { readonly kind: 'ended'; readonly ended: Ended };

export type Quoted =
  | { readonly kind: 'quoted'; readonly price: bigint }
  | { readonly kind: 'ended'; readonly ended: Ended };

/** A signer that never signs, for requests without a new payment. */
const noSigner = {
  getAddress: () => Promise.reject(new Error('no wallet was asked')),
  signTypedData: () => Promise.reject(new Error('no wallet was asked')),
};

/** Asks for the price of an order. Pays nothing. */
export async function askPrice({ body, settlementType }: Order, add: AddEntry): Promise<Quoted> {
  const client = createClient({
    baseUrl: gatewayUrl,
    signer: noSigner,
    rules: { amountPerRequestMax: 0n, amountTotalMax: 0n },
    fetch: recordingFetch(add),
  });
  const quoted = await client.quote({ ...body, stream: true }, { settlementType });
  return quoted.kind === 'offer'
    ? { kind: 'quoted', price: BigInt(quoted.offer.maxAmountRequired) }
    : { kind: 'ended', ended: quoted };
}

export type Buying = {
  readonly facts: SiteFacts;
  /** Null to send the payment of the journal again. Then nothing is signed. */
  readonly wallet: ChosenWallet | null;
  readonly wait: WalletWait;
  readonly journal: Journal;
  readonly add: AddEntry;
  readonly showText: (text: string) => void;
};

/** Buys an order for at most the price that the visitor saw, only from this gateway, and only with its token. */
export async function buy(order: Priced, buying: Buying): Promise<Outcome> {
  const { facts, wallet, wait, journal, add, showText } = buying;
  const { body, settlementType, price } = order;
  const saved: SavedExchange[] = [];
  const client = createClient({
    baseUrl: gatewayUrl,
    signer: wallet === null ? noSigner : signerFromProvider(recordingWallet(wallet.provider, wait, add)),
    journal,
    fetch: recordingFetch(add),
    rules: {
      amountPerRequestMax: price,
      amountTotalMax: price,
      assets: [facts.token.address],
      payTo: [facts.payTo],
      // The offer names the public address of the gateway. The visitor may have come by another one.
      resourceHosts: [new URL(facts.gateway).host],
    },
    onExchange: (each) => void saved.push(each),
  });
  const streamed = await client.streamChat(body, { settlementType });
  const result = streamed.kind === 'stream' ? await read(streamed, showText) : streamed;
  if (result.kind !== 'completion') return { kind: 'ended', ended: result };
  const { completion, receipt, payment } = result;
  const exchange = saved.at(-1) ?? null;
  const signed = 'authorization' in payment ? payment.authorization : null;
  const paid = { payer: signed?.from ?? '', nonce: signed?.nonce ?? '' };
  const proofId = exchange === null ? null : readProofId(exchange);
  return { kind: 'bought', order, completion, receipt, ...paid, proofId, exchange };
}

type Streamed = Extract<
  Awaited<ReturnType<ReturnType<typeof createClient>['streamChat']>>,
  { kind: 'stream' }
>;

/** Shows the completion as it arrives. */
async function read(streamed: Streamed, showText: Buying['showText']) {
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
  return streamed.whole();
}
