import type { Rpc } from '../chain/rpc.ts';
import type { PaymentRecord } from '../store/store.ts';
import type { Address } from '../vocabulary/units.ts';
import { singleGas } from './call.ts';
import { parseQuantity } from './chain-view.ts';
import { currentFees, type FeeLimits } from './fees.ts';
import { startKeeper } from './keeper.ts';
import { type LanePorts, startLane } from './lane.ts';
import type { Relayer } from './nonce.ts';
import type { RefusalReason, Settlement, Settler } from './settler.ts';
import { createSignal, pause } from './signal.ts';

export type BatchSettlerOptions = Omit<
  LanePorts,
  'announce' | 'askAgainMs' | 'closing' | 'relayer' | 'work'
> & {
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
  const askAgainMs = options.limits.pollMsMax;
  const ports = { ...options, announce, askAgainMs, closing: closing.signal };
  const lanes = options.relayers.map((relayer) => startLane({ ...ports, relayer, work }));
  const keeper = startKeeper({ ...ports, work });

  return {
    async settle(payment) {
      const known = settlementOf(payment);
      if (known !== null) return known;
      return waitFor(payment.id);
    },
    async trouble() {
      for (const { address } of options.relayers) {
        const trouble = await gasTrouble(rpc, address, options.fees);
        if (trouble !== null) return trouble;
      }
      return lanes.map((lane) => lane.trouble()).find((trouble) => trouble !== null) ?? null;
    },
    async close() {
      closing.abort();
      for (const id of waiting.keys()) announce(id, { state: 'unknown' });
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

/** Whether a relayer can pay for one settlement at what the chain asks now. */
async function gasTrouble(rpc: Rpc, relayer: Address, limits: FeeLimits): Promise<string | null> {
  const fees = await currentFees(rpc, limits);
  if (!fees.ok) return `the chain does not answer: ${fees.fault.message}`;
  const balance = await rpc.call<unknown>('eth_getBalance', [relayer, 'latest']);
  if (!balance.ok) return `the chain does not answer: ${balance.fault.message}`;
  const wei = parseQuantity(balance.value);
  if (wei === null) return 'the chain does not answer: no balance';
  return wei < singleGas * fees.value.maxFeePerGas
    ? `the relayer ${relayer} has too little ether for gas`
    : null;
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
