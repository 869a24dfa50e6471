import { type PaymentOutcome, type PaymentRecord, StoreUnavailable } from '../store/store.ts';
import { createCallTurns } from '../types/call-turns.ts';
import { undecidedFailure } from '../types/payment-states.ts';
import { pause, type Signal } from '../types/signal.ts';
import { createYieldingWaits, type YieldingWait } from '../types/yielding-waits.ts';
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

/** Refused payments about which the gateway asks the chain at once, half of them of one site (D-227). */
const checksMax = 8;
/** Payments that are followed at once. The oldest is forgotten first: another process may have settled it. */
const followedMax = 65_536;

/** The requests that wait for payments. */
export interface SettlementSubscribers extends Pick<Settler, 'waiting' | 'giveWay' | 'follow'> {
  /** Returns the settlement of a payment, now or within the waiting time. */
  readonly waitFor: Settler['settle'];
  /** Resolves all requests that wait for this payment. */
  announce(paymentId: number, settlement: Settlement): void;
  /** Resolves all requests with `unknown`. The store holds unfinished payments. */
  dismiss(): void;
}

type Subscriber = PromiseWithResolvers<Settlement>;

export function createSettlementSubscribers(ports: SubscribersPorts): SettlementSubscribers {
  const { store, work, closing, settlementWaitMs, storePollMs, clock } = ports;
  const inTurn = createCallTurns(checksMax, () => clock.monotonicMs());
  const waiting = new Map<number, Set<Subscriber>>();
  const places = createYieldingWaits();
  const followed = createFollowed();
  let isPolling = false;
  return {
    async waitFor(payment, { keepsPlace = false, site = payment.authorization.from } = {}) {
      const known = readSettlement(payment);
      if (known?.state === 'settled' || (known?.state === 'refused' && !isAskedAgain(payment))) return known;
      const done = new AbortController();
      const settlement =
        known === null
          ? waitForId(payment.id, done.signal)
          : askInTurn(site, done.signal, () => ask(payment, known, ports));
      try {
        return await (keepsPlace ? settlement : waitInPlace(places.begin(site), settlement));
      } finally {
        // Without a reason the signal would make an exception with a stack trace.
        done.abort(null);
      }
    },
    waiting: () => places.size,
    giveWay: places.giveWay,
    follow: followed.follow,
    announce,
    dismiss() {
      for (const id of waiting.keys()) announce(id, { state: 'unknown' });
    },
  };

  /** Waits for a relayer worker of this process. The store shows settlements of other processes. */
  async function waitForId(id: number, done: AbortSignal): Promise<Settlement> {
    const settled = Promise.withResolvers<Settlement>();
    const subscribers = waiting.get(id) ?? new Set();
    waiting.set(id, subscribers.add(settled));
    work.notify();
    if (!isPolling) void pollStore();
    try {
      return await Promise.race([settled.promise, timeOut(settlementWaitMs, done)]);
    } finally {
      subscribers.delete(settled);
      if (subscribers.size === 0 && waiting.get(id) === subscribers) waiting.delete(id);
    }
  }

  async function askInTurn(
    site: string,
    done: AbortSignal,
    call: () => Promise<Settlement>,
  ): Promise<Settlement> {
    return (await inTurn(site, settlementWaitMs, call, done)) ?? { state: 'unknown' };
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
      for (const id of ids) for (const { reject } of waiting.get(id) ?? []) reject(cause);
    }
  }

  function announce(id: number, settlement: Settlement): void {
    for (const { resolve } of waiting.get(id) ?? []) resolve(settlement);
    waiting.delete(id);
    followed.end(id, settlement);
  }
}

/** Resolves with the settlement, or with `unknown` when the wait gives way (D-359). */
async function waitInPlace(wait: YieldingWait, settlement: Promise<Settlement>): Promise<Settlement> {
  try {
    return await Promise.race([settlement, wait.ended.then((): Settlement => ({ state: 'unknown' }))]);
  } finally {
    wait.leave();
  }
}

async function timeOut(waitMs: number, done: AbortSignal): Promise<Settlement> {
  await pause(waitMs, done);
  return { state: 'unknown' };
}

/** The payments whose ends are told once, also if no request waits for them. */
function createFollowed() {
  const followed = new Map<number, (settlement: Settlement) => void>();
  return {
    follow(id: number, ended: (settlement: Settlement) => void) {
      const [oldest] = followed.size < followedMax ? [] : followed.keys();
      if (oldest !== undefined) followed.delete(oldest);
      followed.set(id, ended);
    },
    end(id: number, settlement: Settlement) {
      if (settlement.state === 'unknown') return;
      followed.get(id)?.(settlement);
      followed.delete(id);
    },
  };
}

/** Whether a payment was refused, and is not closed. The chain may still accept it, so it is asked again (D-63). */
export function isAskedAgain(payment: PaymentRecord): boolean {
  return readSettlement(payment)?.state === 'refused' && (payment.completion !== null || payment.isOwed);
}

/** Asks the chain about a payment that was refused, or that it may have made unseen. */
function ask(payment: PaymentRecord, known: Settlement, ports: SubscribersPorts): Promise<Settlement> {
  return known.state === 'refused' ? checkAgain(payment, known, ports) : checkUndecided(payment, ports);
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
