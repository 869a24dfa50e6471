import type { SettlementType } from '@paid-inference/contract/types';
import type { Inclusion } from '../types/inclusion.ts';
import type { PaymentState } from '../types/payment-states.ts';
import { type Address, atomicAmount, type Bytes32, type Hex, unixSeconds } from '../types/units.ts';
import {
  type JournaledTransaction,
  noFingerprint,
  type PaymentRecord,
  type SentRecord,
  type StoreChain,
} from './store.ts';

/** What a driver returns: whole numbers come as bigint from the one and as text from the other. */
export type Row = Readonly<Record<string, unknown>>;

/** A row of the table `payment`, which both databases call and lay out the same. */
export function paymentOf(row: Row, answer: string | null, proof: string | null): PaymentRecord {
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
    signature: row['signature'] as Hex,
    fingerprint: row['fingerprint'] as string,
    settlementType: row['settlement_type'] as SettlementType,
    leaseUntil: unixSeconds(Number(row['lease_until'])),
    answer,
    proof,
    txHash: row['tx_hash'] as Bytes32 | null,
    failure: row['failure'] as string | null,
  };
}

/** A row of the table `chain_tx`. */
export function transactionOf(row: Row): JournaledTransaction {
  return {
    hash: row['hash'] as Bytes32,
    raw: row['raw'] as Hex,
    relayer: row['relayer'] as Address,
    relayerNonce: Number(row['relayer_nonce']),
  };
}

/** What is set of a `private` request that nothing is owed for any more: its fingerprint is a hash of it (contract 4.3). */
export const forgottenRequest = `fingerprint = CASE WHEN settlement_type = 'private' THEN '${noFingerprint}' ELSE fingerprint END`;

/**
 * What is set when an answer is forgotten. Its proof goes with it, and of a private request all that is left.
 */
export const forgotten = `answer = NULL, proof = NULL,
  ${forgottenRequest}`;

/** Where a row says that a transaction stands. */
export function inclusionOf(row: Row): Inclusion {
  return {
    txHash: row['tx_hash'] as Bytes32,
    block: Number(row['block_number']),
    blockHash: row['block_hash'] as Bytes32,
  };
}

/** In the table `payment_transaction`, in place of a hash: a facilitator was asked, and has named no transaction. */
export const handedOver = '';

/** The rows of the table `payment_transaction` of one payment. */
export function sentOf(rows: readonly Row[]): SentRecord {
  const hashes = rows.map((row) => row['tx_hash']);
  return {
    transactions: hashes.filter((hash): hash is Bytes32 => hash !== handedOver),
    isHandedOver: hashes.includes(handedOver),
  };
}

/** A row of the table `ledger_chain`. */
export function chainOf(row: Row): StoreChain {
  return { chainId: Number(row['chain_id']), asset: row['asset'] as Address };
}

export function wholeNumber(value: unknown): bigint {
  return BigInt(value as bigint | string);
}
