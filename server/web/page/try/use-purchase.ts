import type { Message } from '@paid-inference/contract/types';
import { useRef, useState } from 'preact/hooks';
import type { SiteFacts } from '../../facts.ts';
import { type Draft, newDraft, readDraft } from './draft.ts';
import type { AddEntry, Entry } from './exchange-log.ts';
import { type Explanation, explain } from './explain.ts';
import type { Bought, Buyer, Order } from './purchase.ts';
import type { ChosenWallet } from './wallets.ts';

/** An order with the price that the visitor sees before the signature. */
export type Priced = Order & { readonly price: bigint };

/** The state of the playground. */
export type Purchase = {
  readonly draft: Draft;
  readonly priced: Priced | null;
  readonly entries: readonly Entry[];
  readonly isBusy: boolean;
  /** The completion as far as it has arrived. */
  readonly text: string;
  readonly bought: Bought | null;
  readonly problem: Explanation | null;
  change(more: Partial<Draft>): void;
  quote(): Promise<void>;
  pay(wallet: ChosenWallet): Promise<void>;
  /** Puts the results of the tools, or nothing, behind the completion, for the next request. */
  goOn(results: readonly Message[]): void;
};

type Shown = Pick<Purchase, 'priced' | 'entries' | 'isBusy' | 'text' | 'bought' | 'problem'>;

const nothing: Shown = { priced: null, entries: [], isBusy: false, text: '', bought: null, problem: null };

/** The client has most of the code of the page. It is loaded once a visitor asks for a price. */
const loadPurchase = () => import('./purchase.ts');

export function usePurchase(facts: SiteFacts, firstModel: string): Purchase {
  const [draft, setDraft] = useState(() => newDraft(firstModel));
  const [shown, setShown] = useState<Shown>(nothing);
  // The same buyer sends the same payment again, as long as order and wallet stay the same.
  const buyer = useRef<{ readonly key: string; readonly buy: Buyer } | null>(null);
  const nextId = useRef(0);
  const show = (more: Partial<Shown>) => setShown((before) => ({ ...before, ...more }));

  const add: AddEntry = (entry) => {
    const id = nextId.current++;
    setShown((before) => ({ ...before, entries: [...before.entries, { ...entry, id }] }));
    return (more) =>
      setShown((before) => ({
        ...before,
        entries: before.entries.map((each) => (each.id === id ? { ...each, ...more } : each)),
      }));
  };

  return {
    draft,
    ...shown,
    change(more) {
      setDraft((before) => ({ ...before, ...more }));
      // Another request has another price.
      show({ priced: null });
    },
    async quote() {
      const read = readDraft(draft);
      if (!read.ok) return show({ problem: { title: 'The request is not complete', advice: read.message } });
      const order = { body: read.body, settlementType: draft.settlementType };
      setShown({ ...nothing, isBusy: true });
      const { askPrice } = await loadPurchase();
      const quoted = await askPrice(order, add);
      if (quoted.kind === 'quoted') show({ isBusy: false, priced: { ...order, price: quoted.price } });
      else show({ isBusy: false, problem: explain(quoted.ended) });
    },
    async pay(wallet) {
      const { priced } = shown;
      if (priced === null) return;
      show({ isBusy: true, problem: null, text: '' });
      const key = `${wallet.id} ${priced.price} ${JSON.stringify(priced.body)}`;
      const { createBuyer } = await loadPurchase();
      if (buyer.current?.key !== key)
        buyer.current = { key, buy: createBuyer(facts, wallet, priced.price, add) };
      const outcome = await buyer.current.buy(priced, (text) => show({ text }));
      if (outcome.kind === 'ended') return show({ isBusy: false, problem: explain(outcome.ended) });
      buyer.current = null;
      show({ isBusy: false, bought: outcome, priced: null });
    },
    goOn(results) {
      const message = shown.bought?.completion.choices[0]?.message;
      const read = readDraft(draft);
      if (message === undefined || !read.ok) return;
      setDraft({ ...draft, messages: [...read.body.messages, message, ...results], message: '' });
      setShown(nothing);
    },
  };
}
