import { type PaymentRecord, StoreUnavailable } from '../store/store.ts';
import { pause, type Signal } from '../types/signal.ts';
import { checkAgain, type RefusedPorts } from './reconcile/refused.ts';
import type { RefusalReason, Settlement } from './settler.ts';

export type SubscribersPorts = RefusedPorts & {
  /** Woken when somebody waits for a payment. */
  readonly work: Signal;
  readonly closing: AbortSignal;
  /** How long a caller waits for the chain before the answer is `unknown`. */
  readonly settlementWaitMs: number;
  /** How often the store is asked for payments that another process carries. */
  readonly askStoreMs: number;
};

/** Those who wait for payments, whoever settles them. */
export interface SettlementSubscribers {
  /** What became of a payment, or becomes of it within the waiting time. */
  waitFor(payment: PaymentRecord): Promise<Settlement>;
  /** Tells everybody who waits for this payment. */
  announce(paymentId: number, settlement: Settlement): void;
  /** Sends everybody away with `unknown`: what is unfinished is in the store. */
  dismiss(): void;
}

export function createSettlementSubscribers(ports: SubscribersPorts): SettlementSubscribers {
  const { store, work, closing, settlementWaitMs, askStoreMs } = ports;
  const waiting = new Map<number, Set<(settlement: Settlement) => void>>();
  return {
    async waitFor(payment) {
      const known = settlementOf(payment);
      if (known === null) return waitForId(payment.id);
      // With its answer at hand, a refusal is what the chain said when it was asked last.
      return known.state === 'refused' && payment.answer !== null ? checkAgain(payment, known, ports) : known;
    },
    announce,
    dismiss() {
      for (const id of waiting.keys()) announce(id, { state: 'unknown' });
    },
  };

  /** Waits for a relayer worker of this process, or, where another process carries the payment, for what the store says. */
  async function waitForId(id: number): Promise<Settlement> {
    const done = new AbortController();
    const told = Promise.withResolvers<Settlement>();
    const subscribers = waiting.get(id) ?? new Set();
    waiting.set(id, subscribers.add(told.resolve));
    work.notify();
    try {
      return await Promise.race([told.promise, askStore(id, done.signal), timeOut(done.signal)]);
    } finally {
      done.abort();
      subscribers.delete(told.resolve);
      if (subscribers.size === 0) waiting.delete(id);
    }
  }

  async function askStore(id: number, done: AbortSignal): Promise<Settlement> {
    for (;;) {
      await pause(askStoreMs, done);
      if (done.aborted || closing.aborted) return { state: 'unknown' };
      const settlement = await askOnce(id);
      if (settlement) return settlement;
    }
  }

  /** A store that does not answer now says nothing of the payment: the caller waits on. */
  async function askOnce(id: number): Promise<Settlement | null> {
    try {
      const payment = await store.find(id);
      return payment && settlementOf(payment);
    } catch (cause) {
      if (cause instanceof StoreUnavailable) return null;
      throw cause;
    }
  }

  async function timeOut(done: AbortSignal): Promise<Settlement> {
    await pause(settlementWaitMs, done);
    return { state: 'unknown' };
  }

  function announce(id: number, settlement: Settlement): void {
    for (const resolve of waiting.get(id) ?? []) resolve(settlement);
    waiting.delete(id);
  }
}

/** What the store already says of a payment; null while the chain has not spoken. */
export function settlementOf({ state, txHash, failure }: PaymentRecord): Settlement | null {
  switch (state) {
    case 'settled':
    case 'final':
      return txHash && { state: 'settled', txHash };
    case 'failed':
      return { state: 'refused', reason: (failure ?? 'invalid_transaction_state') as RefusalReason };
    case 'expired':
      return { state: 'refused', reason: 'payment_expired' };
    default:
      return null;
  }
}
