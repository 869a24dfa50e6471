import type { PaymentState } from '../types/payment-states.ts';
import type { UnixSeconds } from '../types/units.ts';

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

/** Sums over the payments of all gateways on the store. */
export interface TotalsStore {
  /** Sums by payment state, for the operator and for tests. Reads all payments. */
  totals(): Promise<ReadonlyMap<PaymentState, PaymentSum>>;
  /**
   * Sums the open payments and the debts. Reads only the indexes of these payments, so that its time does not grow with
   * the history.
   */
  openTotals(): Promise<OpenTotals>;
}

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
