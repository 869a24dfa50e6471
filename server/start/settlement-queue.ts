import type { OpenStore } from '../store/store.ts';
import type { Clock } from '../types/clock.ts';
import { type Address, unixSeconds } from '../types/units.ts';
import { remembered } from './remembered.ts';

export type QueuePorts = {
  readonly store: Pick<OpenStore, 'unsettled' | 'settlementQueue'>;
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
    const backlog = await recent().catch(() => null);
    const isFree = backlog === null || (payer !== undefined && hasRoom(payer, backlog));
    return isFree ? null : backlog.issue;
  };
}

/** More payments wait than may. */
type Backlog = {
  readonly byPayer: ReadonlyMap<Address, number>;
  readonly max: number;
  readonly issue: string;
};

async function readBacklog({ store, clock, ...limits }: QueuePorts): Promise<Backlog | null> {
  const { unsettledPaymentsMax, unsentPaymentsMin, unsentWaitMs, settlementMarginSeconds } = limits;
  const { executed, byPayer } = await store.unsettled();
  const unsettled = sum(byPayer);
  if (unsettled >= unsettledPaymentsMax) {
    const issue = `${unsettled} payments wait for their settlement; sales go on below ${unsettledPaymentsMax} (unsettledPaymentsMax)`;
    return { byPayer, max: unsettledPaymentsMax, issue };
  }
  if (executed < unsentPaymentsMin) return null;
  const now = clock.steadySeconds();
  const { unsent, unsentSince, settled } = await store.settlementQueue(
    unixSeconds(Math.max(0, now - settlementMarginSeconds)),
  );
  const waiting = sum(unsent);
  const max = Math.max(unsentPaymentsMin, settled + unsettled - waiting);
  const isLate = unsentSince !== null && (now - unsentSince) * 1_000 >= unsentWaitMs;
  if (!isLate || waiting < max) return null;
  const issue = `${waiting} payments wait for their first transaction, and ${max} may; the gateway settles more slowly than it sells`;
  return { byPayer: unsent, max, issue };
}

/** Whether a payer has less than an equal share of the payments that may wait. */
function hasRoom(payer: string, { byPayer, max }: Backlog): boolean {
  const own = byPayer.get(payer as Address) ?? 0;
  const payers = own === 0 ? byPayer.size + 1 : byPayer.size;
  return own + 1 <= max / payers;
}

function sum(byPayer: ReadonlyMap<Address, number>): number {
  return [...byPayer.values()].reduce((total, payments) => total + payments, 0);
}
