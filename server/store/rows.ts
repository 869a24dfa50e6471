import type { SettlementType } from '@paid-inference/contract/types';
import type { Inclusion } from '../types/inclusion.ts';
import type { PaymentState } from '../types/payment-states.ts';
import {
  type Address,
  atomicAmount,
  type Bytes32,
  type Hex,
  type UnixSeconds,
  unixSeconds,
} from '../types/units.ts';
import type { DroppedOwed } from './owed.ts';
import {
  type JournaledTransaction,
  noFingerprint,
  type PaymentOutcome,
  type PaymentRecord,
  type SentRecord,
  type StoreChain,
} from './store.ts';
import type { OpenKind, OpenTotals, PaymentSum, SettlementQueue, Unsettled } from './totals.ts';

/** A row from a driver. Whole numbers are bigint in SQLite and text in PostgreSQL. */
export type Row = Readonly<Record<string, unknown>>;

/** Reads the columns of a row that stay the same for the life of a payment, and its state. */
export function toTerms(
  row: Row,
): Pick<PaymentRecord, 'id' | 'state' | 'asset' | 'authorization' | 'settlementType'> {
  return {
    id: Number(row['id']),
    state: row['state'] as PaymentState,
    asset: row['asset'] as Address,
    authorization: {
      from: row['payer'] as Address,
      to: row['pay_to'] as Address,
      value: atomicAmount(wholeNumber(row['amount'])),
      validAfter: wholeNumber(row['valid_after']),
      validBefore: wholeNumber(row['valid_before']),
      nonce: row['nonce'] as Bytes32,
    },
    settlementType: row['settlement_type'] as SettlementType,
  };
}

/** Reads a row of the table `payment`, which has the same columns in both databases. */
export function toPayment(row: Row, completion: string | null, proof: string | null): PaymentRecord {
  return {
    ...toTerms(row),
    signature: row['signature'] as Hex,
    fingerprint: row['fingerprint'] as string,
    createdAt: unixSeconds(Number(row['created_at'])),
    leaseUntil: unixSeconds(Number(row['lease_until'])),
    completion,
    proof,
    isOwed: Boolean(row['is_owed']),
    owedRuns: Number(row['owed_runs']),
    txHash: row['tx_hash'] as Bytes32 | null,
    failure: row['failure'] as string | null,
  };
}

/** The columns of `toOutcome`. */
export const outcomeColumns = 'id, state, tx_hash, failure';

export function toOutcome(row: Row): PaymentOutcome {
  return {
    id: Number(row['id']),
    state: row['state'] as PaymentState,
    txHash: row['tx_hash'] as Bytes32 | null,
    failure: row['failure'] as string | null,
  };
}

/** Reads a row of the table `chain_tx`. */
export function toTransaction(row: Row): JournaledTransaction {
  return {
    hash: row['hash'] as Bytes32,
    raw: row['raw'] as Hex,
    relayer: row['relayer'] as Address,
    relayerNonce: Number(row['relayer_nonce']),
  };
}

/**
 * Drops the fingerprint of a released or dropped `private` request, because the fingerprint is a hash of it
 * (contract 4.3).
 */
export const forgottenRequest = `fingerprint = CASE WHEN settlement_type = 'private' THEN '${noFingerprint}' ELSE fingerprint END`;

/**
 * Drops a completion and its proof, and all that is left of a `private` request.
 */
export const forgotten = `completion = NULL, proof = NULL,
  ${forgottenRequest}`;

/** Reads a charged payment that was given up. */
export function toDroppedOwed(row: Row): DroppedOwed {
  return {
    id: Number(row['id']),
    payer: row['payer'] as Address,
    amount: wholeNumber(row['amount']),
  };
}

/** Reads a sum of payments. */
export function toPaymentSum(row: Row | undefined): PaymentSum {
  return { payments: Number(row?.['payments'] ?? 0), amount: wholeNumber(row?.['amount'] ?? 0n) };
}

/** Reads the rows of `openTotalsSql`. `toTime` converts a time of the store to the time of this process. */
export function toOpenTotals(rows: readonly Row[], toTime: (seconds: number) => UnixSeconds): OpenTotals {
  const find = (wanted: OpenKind) => rows.find(({ kind }) => kind === wanted);
  const since = [find('executed'), find('submitted')].flatMap((row) =>
    row === undefined || row['since'] === null ? [] : [Number(row['since'])],
  );
  return {
    reserved: toPaymentSum(find('reserved')),
    executed: toPaymentSum(find('executed')),
    submitted: toPaymentSum(find('submitted')),
    unsettledSince: since.length === 0 ? null : toTime(Math.min(...since)),
    debts: toPaymentSum(find('debts')),
  };
}

/** Reads the rows of `unsettledSql`. */
export function toUnsettled(rows: readonly Row[]): Unsettled {
  return {
    executed: rows.reduce((sum, row) => sum + Number(row['executed']), 0),
    byPayer: new Map(rows.map((row) => [row['payer'] as Address, Number(row['payments'])])),
  };
}

/** Reads the rows of both statements of `settlementQueueSql`. `toTime` as in `toOpenTotals`. */
export function toSettlementQueue(
  rows: readonly Row[],
  settled: Row | undefined,
  toTime: (seconds: number) => UnixSeconds,
): SettlementQueue {
  const since = rows.map((row) => Number(row['since']));
  return {
    unsent: new Map(rows.map((row) => [row['payer'] as Address, Number(row['payments'])])),
    unsentSince: since.length === 0 ? null : toTime(Math.min(...since)),
    settled: Number(settled?.['payments'] ?? 0),
  };
}

/** Reads the transaction and block of a row. */
export function toInclusion(row: Row): Inclusion {
  return {
    txHash: row['tx_hash'] as Bytes32,
    block: Number(row['block_number']),
    blockHash: row['block_hash'] as Bytes32,
  };
}

/** Replaces the hash in `payment_transaction` when a facilitator was asked and has named no transaction. */
export const handedOver = '';

/** Reads the rows of `payment_transaction` of one payment, those of `facilitator_sender`, and the payment. */
export function toSentRecord(
  rows: readonly Row[],
  senders: readonly Row[],
  payment: Row | undefined,
): SentRecord {
  const hashes = rows.map((row) => row['tx_hash']);
  const isHandedOver = hashes.includes(handedOver);
  return {
    transactions: hashes.filter((hash): hash is Bytes32 => hash !== handedOver),
    isHandedOver,
    senders: isHandedOver ? senders.map(({ address }) => address as Address) : [],
    wasSettled: (payment?.['settled_at'] ?? null) !== null,
  };
}

/** Reads a row of the table `store_chain`. */
export function toStoreChain(row: Row): StoreChain {
  return { chainId: Number(row['chain_id']), asset: row['asset'] as Address };
}

export function wholeNumber(value: unknown): bigint {
  return BigInt(value as bigint | string);
}
