import type { PaymentState } from '../types/payment-states.ts';
import type { Address, UnixSeconds } from '../types/units.ts';

/** Payments, and their amounts in the token's smallest unit. */
export type PaymentSum = { readonly payments: number; readonly amount: bigint };

/** The payments that are not decided yet, and the debts of payers. */
export type OpenTotals = {
  readonly reserved: PaymentSum;
  readonly executed: PaymentSum;
  readonly submitted: PaymentSum;
  /** When the oldest executed or submitted payment was reserved; null without such a payment. */
  readonly unsettledSince: UnixSeconds | null;
  /** Payments that the chain refused after their inference, and that their payers owe. */
  readonly debts: PaymentSum;
};

/** The executed and submitted payments of the store (D-386). */
export type Unsettled = {
  /** Those that are executed only. */
  readonly executed: number;
  readonly byPayer: ReadonlyMap<Address, number>;
};

/** How far the settlement is behind (D-386). */
export type SettlementQueue = {
  /** The payments of each payer that wait for their first transaction. */
  readonly unsent: ReadonlyMap<Address, number>;
  /** When the oldest of them was executed, or claimed by a worker; null without one. */
  readonly unsentSince: UnixSeconds | null;
  /** The settled payments since a time, at most `settledCountMax`. Their dropped completions are not counted. */
  readonly settled: number;
};

/** Sums over the payments of all gateways on the store. */
export interface TotalsStore {
  /** Sums by payment state, for the operator and for tests. Reads all payments. */
  totals(): Promise<ReadonlyMap<PaymentState, PaymentSum>>;
  /**
   * Sums the open payments and the debts. Reads only the indexes of these payments, so that its time does not grow with
   * the history.
   */
  openTotals(): Promise<OpenTotals>;
  /** Counts the payments that wait for their settlement. Reads only their indexes. */
  unsettled(): Promise<Unsettled>;
  /** Reads the executed payments without a transaction, and counts those that were settled since a time. */
  settlementQueue(settledSince: UnixSeconds): Promise<SettlementQueue>;
}

/** Most settled payments that `settlementQueue` counts. */
const settledCountMax = 10_000;

const conditions = {
  reserved: "state = 'reserved'",
  executed: "state = 'executed'",
  submitted: "state = 'submitted'",
  debts: 'debt_until IS NOT NULL',
} as const;

export type OpenKind = keyof typeof conditions;

/** The statement of `openTotals` in both drivers. Its result has one row for each kind. */
export function openTotalsSql(table: string): string {
  const sums = Object.entries(conditions).map(
    ([kind, condition]) =>
      `SELECT '${kind}' AS kind, count(*) AS payments, coalesce(sum(amount), 0) AS amount, min(created_at) AS since
       FROM ${table} WHERE ${condition}`,
  );
  return sums.join(' UNION ALL ');
}

/** The statement of `unsettled` in both drivers. It reads one index for each state. */
export function unsettledSql(table: string): string {
  const read = (state: string, executed: 0 | 1) =>
    `SELECT payer, ${executed} AS executed FROM ${table} WHERE state = '${state}'`;
  return `SELECT payer, count(*) AS payments, sum(executed) AS executed
    FROM (${read('executed', 1)} UNION ALL ${read('submitted', 0)}) w GROUP BY payer`;
}

/** The statements of `settlementQueue` in both drivers. `since` is the parameter of the second one. */
export function settlementQueueSql(schema: string, since: string) {
  return {
    unsent: `SELECT payer, count(*) AS payments, min(updated_at) AS since FROM ${schema}payment p
      WHERE state = 'executed'
        AND NOT EXISTS (SELECT 1 FROM ${schema}payment_transaction t WHERE t.payment_id = p.id)
      GROUP BY payer`,
    settled: `SELECT count(*) AS payments FROM (SELECT 1 FROM ${schema}payment
      WHERE completion IS NOT NULL AND settled_at IS NOT NULL AND settled_at >= ${since} LIMIT ${settledCountMax}) s`,
  };
}
