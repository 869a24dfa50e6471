import { randomBytes } from 'node:crypto';
import { signedTransferCalldata } from '../chain/calldata.ts';
import type { TransactionCall } from '../chain/transaction.ts';
import { batchGasLimit, countExtraGas, singleGas, transferBatch } from '../chain/transfer-batch.ts';
import { isWalletSignature } from '../chain/wallet-signature.ts';
import type { PaymentRecord } from '../store/store.ts';
import type { Hex } from '../types/units.ts';

/** Encodes the settlement of payments. A single payment calls the token directly, which costs less. */
export function settlementCall(payments: readonly PaymentRecord[]): TransactionCall {
  const [first] = payments;
  if (first === undefined) throw new Error('a settlement needs a payment');
  const calls = payments.map(encodeTransfer);
  const extraGas = countExtraGas(calls);
  const [call] = calls;
  if (call !== undefined && calls.length === 1)
    return { to: first.asset, data: call, gasLimit: singleGas + extraGas };
  return {
    to: null,
    data: transferBatch(first.asset, calls, 'send'),
    gasLimit: batchGasLimit(payments.length, extraGas),
  };
}

/** Returns the gas that the settlement of payments needs for the long signatures of contract wallets. */
export function walletGas(payments: readonly PaymentRecord[]): bigint {
  return countExtraGas(payments.filter(isOfWallet).map(encodeTransfer));
}

/** Returns the bytes that a payment takes of `walletCallsBytesMax`. */
export function countWalletBytes(payment: PaymentRecord): number {
  return isOfWallet(payment) ? encodeTransfer(payment).length / 2 : 0;
}

function isOfWallet({ signature }: PaymentRecord): boolean {
  return isWalletSignature(signature);
}

function encodeTransfer({ authorization, signature }: PaymentRecord): Hex {
  return signedTransferCalldata(authorization, signature);
}

/**
 * Adds random bytes after the data, which contracts do not read. Two stores with one relayer key would
 * otherwise sign the same transaction, and each would find it in its own journal (D-138).
 */
export function markedCall({ data, ...call }: TransactionCall): TransactionCall {
  return { ...call, data: `${data}${randomBytes(markBytes).toString('hex')}` as Hex };
}

const markBytes = 8;
