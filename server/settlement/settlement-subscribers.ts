import { type PaymentOutcome, type PaymentRecord, StoreUnavailable } from '../store/store.ts';
import { createCallTurns } from '../types/call-turns.ts';
import { undecidedFailure } from '../types/payment-states.ts';
import { pause, type Signal } from '../types/signal.ts';
import type { Address } from '../types/units.ts';
import { checkAgain, checkUndecided, type RefusedPorts } from './reconcile/refused.ts';
import type { RefusalReason, Settlement, Settler } from './settler.ts';

export type SubscribersPorts = RefusedPorts & {
  /** Notified when a request waits for a payment. */
  readonly work: Signal;
  readonly closing: AbortSignal;
  /** How long a request waits for the chain before the result is `unknown`. */
  readonly settlementWaitMs: number;
  /** Interval between reads of the store for payments that another process settles. */
  readonly storePollMs: number;
};

/** Refused payments about which the gateway asks the chain at once, half of them of one payer (D-227). */
const checksMax = 8;

/** The requests that wait for payments. */
export interface SettlementSubscribers extends Pick<Settler, 'waiting' | 'giveWay'> {
  /** Returns the settlement of a payment, now or within the waiting time. */
  waitFor(payment: PaymentRecord): Promise<Settlement>;
  /** Resolves all requests that wait for this payment. */
  announce(paymentId: number, settlement: Settlement): void;
  /** Resolves all requests with `unknown`. The store holds unfinished payments. */
  dismiss(): void;
}

type Waits = { readonly payer: Address; readonly subscribers: Set<PromiseWithResolvers<Settlement>> };

export function createSettlementSubscribers(ports: SubscribersPorts): SettlementSubscribers {
  const { store, work, closing, settlementWaitMs, storePollMs, clock } = ports;
  const inTurn = createCallTurns(checksMax, () => clock.monotonicMs());
  /** By payment, the oldest first. */
  const waiting = new Map<number, Waits>();
  let isPolling = false;
  return {
    async waitFor(payment) {
      const known = readSettlement(payment);
      const { from: payer } = payment.authorization;
      if (known === null) return waitForId(payment.id, payer);
      const check = (ask: () => Promise<Settlement>) => inTurn(payer, settlementWaitMs, ask);
      if (known.state === 'unknown')
        return (await check(() => checkUndecided(payment, ports))) ?? { state: 'unknown' };
      const isOpen = known.state === 'refused' && (payment.completion !== null || payment.isOwed);
      if (!isOpen) return known;
      // The payment is not closed, so the refusal may be outdated: the chain is asked again.
      return (await check(() => checkAgain(payment, known, ports))) ?? { state: 'unknown' };
    },
    waiting: () => waiting.size,
    giveWay,
    announce,
    dismiss() {
      for (const id of waiting.keys()) announce(id, { state: 'unknown' });
    },
  };

  /** Waits for a relayer worker of this process. The store shows settlements of other processes. */
  async function waitForId(id: number, payer: Address): Promise<Settlement> {
    const done = new AbortController();
    const settled = Promise.withResolvers<Settlement>();
    const waits = waiting.get(id) ?? { payer, subscribers: new Set() };
    waits.subscribers.add(settled);
    waiting.set(id, waits);
    work.notify();
    if (!isPolling) void pollStore();
    try {
      return await Promise.race([settled.promise, timeOut(done.signal)]);
    } finally {
      // Without a reason the signal would make an exception with a stack trace.
      done.abort(null);
      waits.subscribers.delete(settled);
      if (waits.subscribers.size === 0 && waiting.get(id) === waits) waiting.delete(id);
    }
  }

  /** Reads the store once for all payments that wait, again and again while one waits. */
  async function pollStore(): Promise<void> {
    isPolling = true;
    for (;;) {
      await pause(storePollMs, closing);
      if (closing.aborted || waiting.size === 0) break;
      await askOnce([...waiting.keys()]);
    }
    isPolling = false;
  }

  /** A store that does not respond says nothing about the payments, so the requests wait on. */
  async function askOnce(ids: readonly number[]): Promise<void> {
    try {
      for (const outcome of await store.readOutcomes(ids)) {
        const settlement = readSettlement(outcome);
        if (settlement) announce(outcome.id, settlement);
      }
    } catch (cause) {
      if (cause instanceof StoreUnavailable) return;
      for (const id of ids) for (const { reject } of waiting.get(id)?.subscribers ?? []) reject(cause);
    }
  }

  async function timeOut(done: AbortSignal): Promise<Settlement> {
    await pause(settlementWaitMs, done);
    return { state: 'unknown' };
  }

  function announce(id: number, settlement: Settlement): void {
    for (const { resolve } of waiting.get(id)?.subscribers ?? []) resolve(settlement);
    waiting.delete(id);
  }

  function giveWay(): boolean {
    const id = findCrowding(waiting);
    if (id !== undefined) announce(id, { state: 'unknown' });
    return id !== undefined;
  }
}

/** The oldest wait of the payer with the most; undefined if none waits. */
function findCrowding(waiting: ReadonlyMap<number, Waits>): number | undefined {
  const oldest = new Map<Address, { readonly id: number; waits: number }>();
  for (const [id, { payer }] of waiting) {
    const known = oldest.get(payer);
    if (known) known.waits += 1;
    else oldest.set(payer, { id, waits: 1 });
  }
  const [first, ...others] = oldest.values();
  return others.reduce((one, other) => (one && other.waits > one.waits ? other : one), first)?.id;
}

/**
 * Reads the settlement from the payment state; null while the chain has not decided. `unknown` is a payment that
 * only a new reading of the chain can decide.
 */
export function readSettlement({ state, txHash, failure }: PaymentOutcome): Settlement | null {
  switch (state) {
    case 'settled':
    case 'final':
      return txHash && { state: 'settled', txHash };
    case 'failed':
      if (failure === undecidedFailure) return { state: 'unknown' };
      return { state: 'refused', reason: (failure ?? 'invalid_transaction_state') as RefusalReason };
    case 'expired':
      return { state: 'refused', reason: 'payment_expired' };
    default:
      return null;
  }
}
