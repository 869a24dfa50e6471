import type { PaymentRecord } from '../store/store.ts';
import { startKeeper } from './keeper.ts';
import { type LanePorts, startLane } from './lane.ts';
import type { Relayer } from './nonce.ts';
import type { RefusalReason, Settlement, Settler } from './settler.ts';
import { createSignal, pause } from './signal.ts';

export type BatchSettlerOptions = Omit<LanePorts, 'announce' | 'closing' | 'relayer' | 'work'> & {
  /** One lane for each key. */
  readonly relayers: readonly Relayer[];
  /** How long a caller waits for the chain before the answer is `unknown`. */
  readonly settlementWaitMs: number;
  /** How often the ledger is asked for payments that another process carries. */
  readonly askLedgerMs: number;
  /** How often finality, reorganisations and abandoned reservations are looked after. */
  readonly keepMs: number;
  readonly answerKeepSeconds: number;
};

/** Settles on the chain from relayer keys of our own, many payments in one transaction where many wait. */
export function createBatchSettler(options: BatchSettlerOptions): Settler {
  const { rpc, store, settlementWaitMs, askLedgerMs } = options;
  const closing = new AbortController();
  const waiting = new Map<number, Set<(settlement: Settlement) => void>>();
  const work = createSignal();
  const ports = { ...options, announce, closing: closing.signal };
  const lanes = options.relayers.map((relayer) => startLane({ ...ports, relayer, work }));
  const keeper = startKeeper({ ...ports, work });

  return {
    async settle(payment) {
      const known = settlementOf(payment);
      if (known !== null) return known;
      return waitFor(payment.id);
    },
    async trouble() {
      const head = await rpc.call<unknown>('eth_blockNumber', []);
      if (!head.ok) return `the chain does not answer: ${head.fault.message}`;
      return lanes.map((lane) => lane.trouble()).find((trouble) => trouble !== null) ?? null;
    },
    async close() {
      closing.abort();
      work.notify();
      await Promise.allSettled([...lanes.map((lane) => lane.done), keeper.done]);
    },
  };

  /** Waits for a lane of this process, or, where another process carries the payment, for what the ledger says. */
  async function waitFor(id: number): Promise<Settlement> {
    const done = new AbortController();
    const told = Promise.withResolvers<Settlement>();
    const waiters = waiting.get(id) ?? new Set();
    waiting.set(id, waiters.add(told.resolve));
    work.notify();
    try {
      return await Promise.race([told.promise, askLedger(id, done.signal), timeOut(done.signal)]);
    } finally {
      done.abort();
      waiters.delete(told.resolve);
      if (waiters.size === 0) waiting.delete(id);
    }
  }

  async function askLedger(id: number, done: AbortSignal): Promise<Settlement> {
    for (;;) {
      await pause(askLedgerMs, done);
      if (done.aborted || closing.signal.aborted) return { state: 'unknown' };
      const payment = await store.find(id);
      const settlement = payment && settlementOf(payment);
      if (settlement) return settlement;
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

/** What the ledger already says of a payment; null while the chain has not spoken. */
function settlementOf({ state, txHash, failure }: PaymentRecord): Settlement | null {
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
