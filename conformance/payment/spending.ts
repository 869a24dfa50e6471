import { type Found, found, missing } from '../types/found.ts';
import type { Journal, JournalRow, PaymentState } from './journal.ts';
import { type Offer, uint256Max } from './offer.ts';
import type { Authorization } from './sign.ts';

/** In the token's smallest unit. Both amounts are required, so that the suite never pays without a limit. */
export type Caps = {
  readonly perRequestUnits: bigint;
  readonly totalUnits: bigint;
  /** Signatures in a whole run; default `paymentsMaxDefault`. */
  readonly payments?: number;
};

/** Signatures in a whole run, including three attempts at a tool call and a stream at each endpoint. */
export const paymentsMaxDefault = 27;

export type Spent = {
  /** Sum of all signed values: the highest possible cost of the run. */
  readonly signedUnits: bigint;
  /** Sum of the values of payments that got status 200. */
  readonly settledUnits: bigint;
  /** Number of signed payments. */
  readonly payments: number;
  /** Number of payments that got status 200. */
  readonly settledPayments: number;
  /** Nonces of payments without a conclusive response: no response, or neither 200 nor 4xx. */
  readonly unresolved: readonly string[];
};

declare const isCounted: unique symbol;
/** An authorization within the caps, counted and recorded in the journal. Only a `Spending` creates one. */
export type Counted = Authorization & { readonly [isCounted]: true };

/** Purpose and time of a signature. */
type About = { readonly requirement: string; readonly offer: Offer; readonly nowSeconds: number };

export type Spending = {
  /**
   * Counts a value as spent, or returns the reason for a refusal. Only the returned authorization may be
   * signed.
   */
  count(authorization: Authorization, about: About): Found<Counted>;
  /**
   * Stores the end of a counted payment. The sum stays, because the signature is valid until its window ends.
   */
  conclude(nonce: string, state: Exclude<PaymentState, 'signing'>, nowSeconds: number): void;
  spent(): Spent;
};

/** Counts signed values, not settled ones, because a signature can move the tokens at any time. */
export function createSpending(caps: Caps, journal: Journal): Spending {
  const rows = new Map<string, JournalRow>();
  const { perRequestUnits, totalUnits, payments: paymentsMax = paymentsMaxDefault } = caps;
  let signedUnits = 0n;

  // The comparisons are negated, so that NaN and undefined count as over the cap.
  function overCap(value: bigint): string | undefined {
    if (!(value >= 0n)) return 'the value is below zero';
    if (value > uint256Max) return `${value} exceeds a uint256, so it cannot be signed`;
    if (!(value <= perRequestUnits)) {
      return `its value of ${value} units is over the cap of ${perRequestUnits} units per request. Raise --max-per-request`;
    }
    if (!(signedUnits + value <= totalUnits)) {
      return `its value of ${value} units, added to the ${signedUnits} units signed so far, is over the total cap of ${totalUnits} units. Raise --max-total`;
    }
    return rows.size < paymentsMax
      ? undefined
      : `the run has signed ${paymentsMax} payments, its limit. Raise --max-payments`;
  }

  const settledRows = () => [...rows.values()].filter(({ state }) => state === 'settled');

  return {
    count(authorization, { requirement, offer, nowSeconds }) {
      const value = BigInt(authorization.value);
      const fault = overCap(value);
      if (fault !== undefined) return missing(fault);
      const row: JournalRow = {
        time: isoTime(nowSeconds),
        state: 'signing',
        requirement,
        value: authorization.value,
        from: authorization.from,
        payTo: authorization.to,
        asset: offer.asset,
        resource: offer.resource,
        validBefore: authorization.validBefore,
        nonce: authorization.nonce,
      };
      const unwritten = journal.append(row);
      if (unwritten !== undefined) return missing(unwritten);
      signedUnits += value;
      rows.set(authorization.nonce, row);
      return found(authorization as Counted);
    },
    conclude(nonce, state, nowSeconds) {
      const row = rows.get(nonce);
      if (!row || row.state === state) return;
      const concluded = { ...row, state, time: isoTime(nowSeconds) };
      rows.set(nonce, concluded);
      // If this row cannot be written, the journal keeps the row `signing`, which readers count as spent.
      journal.append(concluded);
    },
    spent: () => ({
      signedUnits,
      settledUnits: sumValues(settledRows()),
      payments: rows.size,
      settledPayments: settledRows().length,
      unresolved: [...rows.values()]
        .filter(({ state }) => state === 'signing' || state === 'unknown')
        .map(({ nonce }) => nonce),
    }),
  };
}

function sumValues(rows: readonly JournalRow[]): bigint {
  return rows.reduce((sum, { value }) => sum + BigInt(value), 0n);
}

function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
