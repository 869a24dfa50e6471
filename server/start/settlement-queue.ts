import type { OpenStore } from '../store/store.ts';
import type { SettlementQueue } from '../store/totals.ts';
import type { Clock } from '../types/clock.ts';
import { type Address, unixSeconds } from '../types/units.ts';
import { remembered } from './remembered.ts';

export type QueuePorts = {
  readonly store: Pick<OpenStore, 'openTotals' | 'settlementQueue'>;
  readonly clock: Clock;
  /** How long a reading of the store stays valid. */
  readonly healthAgeMaxMs: number;
  /** Payments of the store that may wait for their settlement. */
  readonly unsettledPaymentsMax: number;
  /** Payments that may wait for their first transaction, also while few are settled. */
  readonly unsentPaymentsMin: number;
  /** While no payment waits longer for its first transaction, `unsettledPaymentsMax` alone counts. */
  readonly unsentWaitMs: number;
  /** At least this much of a window is left when a payment joins the queue. */
  readonly settlementMarginSeconds: number;
};

/**
 * Returns why the gateway sells nothing new while payments wait for their settlement; null if it sells. With a payer, the
 * payments that other payers made wait do not count, while this payer has less than its share (D-386).
 */
export type FindQueueIssue = (payer?: string) => Promise<string | null>;

/** Reads the queue of the store, because a payment stays in it after its request, and gateways share it. */
export function createQueueCheck(ports: QueuePorts): FindQueueIssue {
  const { recent } = remembered(() => readBacklog(ports), ports.healthAgeMaxMs, ports.clock);
  return async (payer) => {
    // The check of the store names a fault of the store.
    const { tooMany, backlog } = await recent().catch(() => ({ tooMany: null, backlog: null }));
    if (tooMany !== null || backlog === null) return tooMany;
    return payer !== undefined && hasRoom(payer, backlog) ? null : describe(backlog);
  };
}

/** More payments wait than will be settled in time. */
type Backlog = { readonly queue: SettlementQueue; readonly waiting: number; readonly max: number };

async function readBacklog({ store, clock, ...limits }: QueuePorts): Promise<{
  readonly tooMany: string | null;
  readonly backlog: Backlog | null;
}> {
  const { executed, submitted } = await store.openTotals();
  const { unsettledPaymentsMax, unsentPaymentsMin, unsentWaitMs, settlementMarginSeconds } = limits;
  const unsettled = executed.payments + submitted.payments;
  const tooMany =
    unsettled < unsettledPaymentsMax
      ? null
      : `${unsettled} payments wait for their settlement; sales go on below ${unsettledPaymentsMax} (unsettledPaymentsMax)`;
  if (tooMany !== null || executed.payments < unsentPaymentsMin) return { tooMany, backlog: null };
  const now = clock.steadySeconds();
  const queue = await store.settlementQueue(unixSeconds(Math.max(0, now - settlementMarginSeconds)));
  const waiting = [...queue.unsent.values()].reduce((sum, payments) => sum + payments, 0);
  const max = Math.max(unsentPaymentsMin, queue.settled + unsettled - waiting);
  const isLate = queue.unsentSince !== null && (now - queue.unsentSince) * 1_000 >= unsentWaitMs;
  return { tooMany, backlog: isLate && waiting >= max ? { queue, waiting, max } : null };
}

/** Whether a payer has less than an equal share of the payments that may wait. */
function hasRoom(payer: string, { queue: { unsent }, max }: Backlog): boolean {
  const own = unsent.get(payer as Address) ?? 0;
  const payers = own === 0 ? unsent.size + 1 : unsent.size;
  return own + 1 <= max / payers;
}

function describe({ waiting, max }: Backlog): string {
  return `${waiting} payments wait for their first transaction, and ${max} may; the gateway settles more slowly than it sells`;
}
