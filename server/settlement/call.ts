import { randomBytes } from 'node:crypto';
import { signedTransferCalldata } from '../chain/calldata.ts';
import type { TransactionCall } from '../chain/transaction.ts';
import { batchGasLimit, singleGas, transferBatch } from '../chain/transfer-batch.ts';
import type { PaymentRecord } from '../store/store.ts';
import type { Hex } from '../types/units.ts';

/** Encodes the settlement of payments. A single payment calls the token directly, which costs less. */
export function settlementCall(payments: readonly PaymentRecord[]): TransactionCall {
  const [first] = payments;
  if (first === undefined) throw new Error('a settlement needs a payment');
  const calls = payments.map(({ authorization, signature }) =>
    signedTransferCalldata(authorization, signature),
  );
  const [call] = calls;
  if (call !== undefined && calls.length === 1) return { to: first.asset, data: call, gasLimit: singleGas };
  return {
    to: null,
    data: transferBatch(first.asset, calls, 'send'),
    gasLimit: batchGasLimit(payments.length),
  };
}

/**
 * Adds random bytes after the data, which contracts do not read. Two stores with one relayer key would
 * otherwise sign the same transaction, and each would find it in its own journal (D-138).
 */
export function markedCall({ data, ...call }: TransactionCall): TransactionCall {
  return { ...call, data: `${data}${randomBytes(markBytes).toString('hex')}` as Hex };
}

const markBytes = 8;
