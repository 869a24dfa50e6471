import { randomBytes } from 'node:crypto';
import { signedTransferCalldata } from '../chain/calldata.ts';
import type { TransactionCall } from '../chain/transaction.ts';
import {
  batchGasLimit,
  countExtraGas,
  paymentsWithin,
  singleGas,
  transferBatch,
} from '../chain/transfer-batch.ts';
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

/**
 * Chooses at most `max` payments that `wei` covers. Payments of wallets with long signatures cost more gas. If some
 * payments must wait, those of keys go first, so that they never wait for a wallet.
 */
export function splitByGas(
  payments: readonly PaymentRecord[],
  wei: bigint,
  maxFeePerGas: bigint,
  max = payments.length,
): { readonly affordable: readonly PaymentRecord[]; readonly beyond: readonly PaymentRecord[] } {
  const countRoom = (some: readonly PaymentRecord[]) => {
    const extraGas = countExtraGas(some.filter(isOfWallet).map(encodeTransfer));
    return Math.min(max, paymentsWithin(wei - extraGas * maxFeePerGas, maxFeePerGas));
  };
  if (countRoom(payments) >= payments.length) return { affordable: payments, beyond: [] };
  const ofKeys = payments.filter((payment) => !isOfWallet(payment));
  const first = ofKeys.length > 0 ? ofKeys : payments;
  const affordable = first.slice(0, countRoom(first));
  return { affordable, beyond: payments.filter((payment) => !affordable.includes(payment)) };
}

/** Returns the bytes that a payment takes of `walletCallsBytesMax`. */
export function countWalletBytes(payment: PaymentRecord): number {
  return isOfWallet(payment) ? encodeTransfer(payment).length / 2 : 0;
}

/** Whether no transaction needs less ether than one with these payments. */
export function isSmallest(payments: readonly PaymentRecord[]): boolean {
  return payments.length === 1 && !payments.some(isOfWallet);
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
