import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SettlementType } from '@paid-inference/contract/types';
import type { Authorization } from '../types/authorization.ts';
import type { PaymentState } from '../types/payment-states.ts';
import { type Address, type Bytes32, type UnixSeconds, unixSeconds } from '../types/units.ts';
import { newerStore, StoreRefused } from './migration.ts';
import { type Row, toTerms, wholeNumber } from './rows.ts';
import type { PaymentSum } from './totals.ts';
import { listed } from './transitions.ts';

/** A payment as an operator may see it: without signature, request and completion. */
export type StoredPayment = {
  readonly id: number;
  readonly state: PaymentState;
  readonly asset: Address;
  readonly authorization: Authorization;
  readonly settlementType: SettlementType;
  /** When the payment was reserved first. */
  readonly createdAt: UnixSeconds;
  /** Null for a payment that never settled. */
  readonly settledAt: UnixSeconds | null;
  /** Whether the gateway owes the completion. */
  readonly isOwed: boolean;
  readonly failure: string | null;
  /** The transaction that settled the payment, or the last one that was sent for it. */
  readonly txHash: Bytes32 | null;
  /** Null while no block has the transaction. */
  readonly block: number | null;
};

/** Which payments to read. The time is that of the reservation, which never changes. */
export type PaymentFilter = {
  readonly from: UnixSeconds | null;
  /** The first second after the range. */
  readonly until: UnixSeconds | null;
  readonly states: readonly PaymentState[];
};

/**
 * Reads the payments of a store that other processes write. It writes nothing, and takes no lock that a gateway waits
 * for. Each call is a transaction of its own, so that a long export delays no gateway.
 */
export type StoreReader = {
  /** Reads payments in the order of their ids, from the one after `afterId` on. */
  readPage(filter: PaymentFilter, afterId: number, max: number): Promise<readonly StoredPayment[]>;
  /** Finds the payment of an authorization. */
  find(asset: Address, payer: Address, nonce: Bytes32): Promise<StoredPayment | null>;
  /** Finds the payment of an authorization: its own, or the one that it joined. */
  lookUp(asset: Address, payer: Address, nonce: Bytes32): Promise<StoredPayment | null>;
  /**
   * Sums the payments that were reserved since a time, by state. It reads the newest payments first, and stops after
   * `readMax` payments.
   */
  sumSince(since: UnixSeconds, readMax: number): Promise<SumsSince>;
  /** Reads the newest payments in some states, among the newest `readMax` payments: at most `max`. */
  readNewest(
    states: readonly PaymentState[],
    readMax: number,
    max: number,
  ): Promise<readonly StoredPayment[]>;
  /** Finds the oldest payment; null in an empty store. */
  findFirst(): Promise<StoredPayment | null>;
  close(): Promise<void>;
};

/** The payments that were reserved since a time, by state. */
export type SumsSince = {
  readonly sums: ReadonlyMap<PaymentState, PaymentSum>;
  /** Whether the reading stopped before the time, so that there may be more. */
  readonly isAtLeast: boolean;
};

/** Runs one statement. The two databases write the places of values differently. */
export type ReadRows = (sql: string, ...values: readonly (string | number)[]) => Promise<readonly Row[]>;

const columns = `id, state, asset, payer, pay_to, amount, nonce, valid_after, valid_before, settlement_type, created_at,
  settled_at, is_owed, failure, tx_hash, block_number`;

/** Creates the reader of either database. `value` writes the place of a value, counted from 1. */
export function createReader(
  read: ReadRows,
  {
    value,
    table,
    close,
  }: {
    readonly value: (place: number) => string;
    /** Adds the schema to the name of a table. */
    readonly table: (name: string) => string;
    readonly close: () => Promise<void>;
  },
): StoreReader {
  const ofAuthorization = [1, 2, 3].map(value);
  const [asset, payer, nonce] = ofAuthorization;
  const own = `asset = ${asset} AND payer = ${payer} AND nonce = ${nonce}`;
  const select = `SELECT ${columns} FROM ${table('payment')}`;
  const findSql = `${select} WHERE ${own}`;
  const findJoinedSql = `${select} WHERE id = (SELECT payment_id FROM ${table('joined')} WHERE ${own})`;
  const one = async (sql: string, ...values: readonly string[]) => {
    const [row] = await read(sql, ...values);
    return row === undefined ? null : toStoredPayment(row);
  };
  const newestSql = `SELECT id, created_at, state, amount FROM ${table('payment')} WHERE id < ${value(1)} ORDER BY id DESC LIMIT ${value(2)}`;
  return {
    async readPage({ from, until, states }, afterId, max) {
      const [after, since, before, most] = [1, 2, 3, 4].map(value);
      const within = `created_at >= ${since} AND created_at < ${before} AND state IN (${listed(states)})`;
      const sql = `${select} WHERE id > ${after} AND ${within} ORDER BY id LIMIT ${most}`;
      const rows = await read(sql, afterId, from ?? 0, until ?? Number.MAX_SAFE_INTEGER, max);
      return rows.map(toStoredPayment);
    },
    find: (...authorization) => one(findSql, ...authorization),
    lookUp: async (...authorization) =>
      (await one(findSql, ...authorization)) ?? one(findJoinedSql, ...authorization),
    async sumSince(since, readMax) {
      const sums = new Map<PaymentState, PaymentSum>();
      let [before, left] = [Number.MAX_SAFE_INTEGER, readMax];
      while (left > 0) {
        const rows = await read(newestSql, before, Math.min(left, sumPageMax));
        const recent = rows.filter((row) => Number(row['created_at']) >= since);
        for (const row of recent) addTo(sums, row);
        if (rows.length === 0 || recent.length < rows.length) return { sums, isAtLeast: false };
        before = Number(rows.at(-1)?.['id']);
        left -= rows.length;
        await nextTurn();
      }
      return { sums, isAtLeast: true };
    },
    async readNewest(states, readMax, max) {
      const newest = `SELECT coalesce(max(id), 0) FROM ${table('payment')}`;
      const within = `id > (${newest}) - ${value(1)} AND state IN (${listed(states)})`;
      const rows = await read(`${select} WHERE ${within} ORDER BY id DESC LIMIT ${value(2)}`, readMax, max);
      return rows.map(toStoredPayment);
    },
    findFirst: () => one(`${select} ORDER BY id LIMIT 1`),
    close,
  };
}

/** Payments in one step of a sum. A step takes about a millisecond, and other work goes on between two steps. */
const sumPageMax = 500;

function addTo(sums: Map<PaymentState, PaymentSum>, row: Row): void {
  const state = row['state'] as PaymentState;
  const { payments, amount } = sums.get(state) ?? { payments: 0, amount: 0n };
  sums.set(state, { payments: payments + 1, amount: amount + wholeNumber(row['amount']) });
}

function toStoredPayment(row: Row): StoredPayment {
  return {
    ...toTerms(row),
    createdAt: unixSeconds(Number(row['created_at'])),
    settledAt: row['settled_at'] === null ? null : unixSeconds(Number(row['settled_at'])),
    isOwed: Boolean(row['is_owed']),
    failure: row['failure'] as string | null,
    txHash: row['tx_hash'] as Bytes32 | null,
    block: row['block_number'] === null ? null : Number(row['block_number']),
  };
}

/** Throws a sentence for a store of another version. Only a gateway migrates a store. */
export function checkVersion(version: number, newest: number): void {
  if (version > newest) throw newerStore(version, newest);
  if (version === newest) return;
  throw new StoreRefused(
    `the store has version ${version}, and this program reads version ${newest}. Start a gateway of this version once, or use the older program`,
  );
}
