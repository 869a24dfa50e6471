import type { Message } from '@paid-inference/contract/types';
import { useRef, useState } from 'preact/hooks';
import type { SiteFacts } from '../../facts.ts';
import type { ShownStep } from '../explorer/step-list.tsx';
import { type Draft, newDraft, readDraft } from './draft.ts';
import type { AddEntry, Entry } from './exchange-log.ts';
import { type Explanation, explain, explainFault } from './explain.ts';
import type { Priced } from './order.ts';
import type { Bought } from './purchase.ts';
import { createTabJournal, forgetKept, type KeptPurchase, readKept, type TabStorage } from './tab-journal.ts';
import { createWalletWait, type WalletWait } from './wallet-wait.ts';
import type { ChosenWallet } from './wallets.ts';

/** What the playground shows. */
type Shown = {
  readonly priced: Priced | null;
  readonly entries: readonly Entry[];
  readonly isBusy: boolean;
  /** Whether the page waits for the wallet. */
  readonly isWalletAsked: boolean;
  /** The completion as far as it has arrived. */
  readonly text: string;
  readonly bought: Bought | null;
  /** The verification of the purchase; a text where it could not run, null while it runs. */
  readonly steps: readonly ShownStep[] | string | null;
  readonly problem: Explanation | null;
  /** A signed purchase whose completion has not arrived, perhaps from before a reload. */
  readonly kept: KeptPurchase | null;
};

/** The state of the playground, and what a visitor can do. */
export type Purchase = Shown & {
  readonly draft: Draft;
  change(more: Partial<Draft>): void;
  quote(): Promise<void>;
  pay(wallet: ChosenWallet): Promise<void>;
  /** Sends the payment of the kept purchase again. */
  resume(): Promise<void>;
  forget(): void;
  stopWaiting(): void;
  /** Puts the results of the tools, or nothing, behind the completion, for the next request. */
  goOn(results: readonly Message[]): void;
};

const nothing = {
  priced: null,
  entries: [],
  isBusy: false,
  isWalletAsked: false,
  text: '',
  bought: null,
  steps: null,
  problem: null,
} satisfies Omit<Shown, 'kept'>;

/** The storage of this tab; null where the browser forbids it. */
function openStorage(): TabStorage | null {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
}

/** The client has most of the code of the page. It is loaded once a visitor asks for a price. */
const loadPurchase = () => import('./purchase.ts');

export function usePurchase(facts: SiteFacts, firstModel: string): Purchase {
  const [draft, setDraft] = useState(() => newDraft(firstModel));
  const exchange = useExchange();
  const { shown, show, storage } = exchange;
  const wait = useRef<WalletWait | null>(null);

  /** Buys with a signature of the wallet, or with the kept payment where there is no wallet. */
  async function buy(order: Priced, wallet: ChosenWallet | null): Promise<void> {
    const kept = wallet === null ? shown.kept : null;
    wait.current = createWalletWait((isWalletAsked) => show({ isWalletAsked }));
    const buying = { facts, wallet, wait: wait.current, journal: createTabJournal(storage, order, kept) };
    await exchange.run(
      { priced: wallet === null ? null : order, kept: null, bought: null },
      async (add, showNow) => {
        const purchase = await loadPurchase();
        const outcome = await purchase.buy(order, { ...buying, add, showText: (text) => showNow({ text }) });
        if (outcome.kind === 'ended') return { problem: explain(outcome.ended) };
        void follow(outcome, facts, add, showNow);
        return { bought: outcome, priced: null };
      },
    );
  }

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
      await exchange.run({ entries: [], bought: null, priced: null }, async (add) => {
        const { askPrice } = await loadPurchase();
        const quoted = await askPrice(order, add);
        if (quoted.kind === 'ended') return { problem: explain(quoted.ended) };
        return { priced: { ...order, price: quoted.price } };
      });
    },
    async pay(wallet) {
      if (shown.priced !== null) await buy(shown.priced, wallet);
    },
    async resume() {
      if (shown.kept !== null) await buy(shown.kept.order, null);
    },
    forget() {
      forgetKept(storage);
      show({ kept: null, problem: null });
    },
    stopWaiting: () => wait.current?.stop(),
    goOn(results) {
      const { bought } = shown;
      const message = bought?.completion.choices[0]?.message;
      if (bought === null || message === undefined) return;
      setDraft({ ...draft, messages: [...bought.order.body.messages, message, ...results], message: '' });
      exchange.reset();
    },
  };
}

type ShowNow = (more: Partial<Shown>) => void;

async function follow(bought: Bought, facts: SiteFacts, add: AddEntry, showNow: ShowNow): Promise<void> {
  try {
    const { followPurchase } = await import('./follow-purchase.ts');
    showNow({ steps: await followPurchase(bought, facts, add) });
  } catch (cause) {
    showNow({ steps: cause instanceof Error ? cause.message : String(cause) });
  }
}

/** The exchange that the page shows. Each new one makes the page ignore the older ones. */
function useExchange() {
  const [storage] = useState(openStorage);
  const [shown, setShown] = useState<Shown>(() => ({ ...nothing, kept: readKept(storage) }));
  const count = useRef(0);
  const nextId = useRef(0);
  const show: ShowNow = (more) => setShown((before) => ({ ...before, ...more }));

  /** Shows changes only as long as this exchange is the newest. */
  function begin(): (change: (before: Shown) => Shown) => void {
    const mine = ++count.current;
    return (change) => setShown((before) => (mine === count.current ? change(before) : before));
  }

  async function run(
    start: Partial<Shown>,
    work: (add: AddEntry, showNow: ShowNow) => Promise<Partial<Shown>>,
  ): Promise<void> {
    const update = begin();
    const showNow: ShowNow = (more) => update((before) => ({ ...before, ...more }));
    const add: AddEntry = (entry) => {
      const id = nextId.current++;
      update((before) => ({ ...before, entries: [...before.entries, { ...entry, id }] }));
      return (more) =>
        update((before) => ({
          ...before,
          entries: before.entries.map((each) => (each.id === id ? { ...each, ...more } : each)),
        }));
    };
    showNow({ problem: null, text: '', steps: null, ...start, isBusy: true });
    const end = await work(add, showNow).catch((cause: unknown) => ({ problem: explainFault(cause) }));
    showNow({ isBusy: false, isWalletAsked: false, kept: readKept(storage), ...end });
  }

  return { shown, show, storage, run, reset: () => begin()(({ kept }) => ({ ...nothing, kept })) };
}
