import { type Found, found, missing } from '../types/found.ts';
import type { Journal, JournalRow, PaymentState } from './journal.ts';
import { type Offer, uint256Max } from './offer.ts';
import type { Authorization } from './sign.ts';

/** In the token's smallest unit. The two amounts are mandatory: nobody pays without having said how much. */
export type Caps = {
  readonly perRequestUnits: bigint;
  readonly totalUnits: bigint;
  /** Signatures in a whole run; `paymentsMaxDefault` where it is left out. */
  readonly payments?: number;
};

/** Signatures in a whole run, with three attempts at a tool call. */
export const paymentsMaxDefault = 24;

export type Spent = {
  /** The sum of all signed values, whatever became of them: what the run could have cost at most. */
  readonly signedUnits: bigint;
  /** The sum of the values that the target answered with 200. */
  readonly settledUnits: bigint;
  /** How many payments were signed. */
  readonly payments: number;
  /** How many of them the target answered with 200. */
  readonly settledPayments: number;
  /** Nonces of which nobody can say what became of them: sent and not answered, or answered neither 200 nor 4xx. */
  readonly unresolved: readonly string[];
};

declare const isCounted: unique symbol;
/** An authorization whose value is within the caps, in the sum, and in the journal. Only a `Spending` makes one. */
export type Counted = Authorization & { readonly [isCounted]: true };

/** Why, and for what, something is signed. */
type About = { readonly requirement: string; readonly offer: Offer; readonly nowSeconds: number };

export type Spending = {
  /** Counts a value as spent, or says why it must not be. What it gives back may be signed. */
  count(authorization: Authorization, about: About): Found<Counted>;
  /** Notes what became of a counted value. The sum stays as it is: a signature stays good until its window ends. */
  conclude(nonce: string, state: Exclude<PaymentState, 'signing'>, nowSeconds: number): void;
  spent(): Spent;
};

/** Counts what is signed, not what is settled: a signature is the only thing that can move money. */
export function createSpending(caps: Caps, journal: Journal): Spending {
  const rows = new Map<string, JournalRow>();
  const { perRequestUnits, totalUnits, payments: paymentsMax = paymentsMaxDefault } = caps;
  let signedUnits = 0n;

  // Asked whether it is within, and not whether it is over: nothing is within what is no number.
  function overCap(value: bigint): string | undefined {
    if (!(value >= 0n)) return 'there is no value below zero';
    if (value > uint256Max) return `${value} is more than a uint256 holds, and cannot be signed`;
    if (!(value <= perRequestUnits)) {
      return `${value} of the smallest unit are over the cap of ${perRequestUnits} per request`;
    }
    if (!(signedUnits + value <= totalUnits)) {
      return `${value} of the smallest unit more than the ${signedUnits} signed so far are over the cap of ${totalUnits}`;
    }
    return rows.size < paymentsMax ? undefined : `${paymentsMax} payments are signed already`;
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
      // What cannot be written now is in the journal as `signing`, which is read as spent.
      journal.append(concluded);
    },
    spent: () => ({
      signedUnits,
      settledUnits: sumOf(settledRows()),
      payments: rows.size,
      settledPayments: settledRows().length,
      unresolved: [...rows.values()]
        .filter(({ state }) => state === 'signing' || state === 'unknown')
        .map(({ nonce }) => nonce),
    }),
  };
}

function sumOf(rows: readonly JournalRow[]): bigint {
  return rows.reduce((sum, { value }) => sum + BigInt(value), 0n);
}

function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
