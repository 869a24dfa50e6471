import type { SettlementType } from '@paid-inference/contract/types';
import { type Address, atomicAmount, type Bytes32, type Hex } from '../../vocabulary/units.ts';
import type { JournaledTransaction, PaymentRecord, PaymentState } from '../store.ts';

/** What SQLite returns: text, bigint (readBigInts) or null. */
export type Row = Readonly<Record<string, unknown>>;

export function paymentOf(row: Row): PaymentRecord {
  return {
    id: Number(row['id']),
    state: row['state'] as PaymentState,
    asset: row['asset'] as Address,
    authorization: {
      from: row['payer'] as Address,
      to: row['pay_to'] as Address,
      value: atomicAmount(row['amount'] as bigint),
      validAfter: BigInt(row['valid_after'] as string),
      validBefore: BigInt(row['valid_before'] as string),
      nonce: row['nonce'] as Bytes32,
    },
    signature: row['signature'] as Hex,
    fingerprint: row['fingerprint'] as string,
    settlementType: row['settlement_type'] as SettlementType,
    answer: row['answer'] as string | null,
    txHash: row['tx_hash'] as Bytes32 | null,
    failure: row['failure'] as string | null,
  };
}

export function transactionOf(row: Row): JournaledTransaction {
  return {
    hash: row['hash'] as Bytes32,
    raw: row['raw'] as Hex,
    relayer: row['relayer'] as Address,
    relayerNonce: Number(row['relayer_nonce']),
  };
}
