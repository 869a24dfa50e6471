import { randomBytes } from 'node:crypto';
import { signedTransferCalldata } from '../chain/calldata.ts';
import { batchGasLimit, transferBatch } from '../chain/transfer-batch.ts';
import type { PaymentRecord } from '../store/store.ts';
import type { Address, Hex } from '../types/units.ts';

/** One transaction that settles payments, and the gas that it may use; `to` is null for a batch. */
export type SettlementCall = { readonly to: Address | null; readonly data: Hex; readonly gasLimit: bigint };

/** Of a payment that is alone, as much as a call in a batch has, and the transaction's own. */
const singleGas = 150_000n;

/** A single payment goes straight to the token, which costs less than a batch of one. */
export function settlementCall(payments: readonly PaymentRecord[]): SettlementCall {
  const [first] = payments;
  if (first === undefined) throw new Error('a settlement of no payment');
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
 * The same call with random bytes behind its data, which contracts do not read. Two stores with one relayer key would
 * otherwise sign the same transaction, and each would find it in its own journal (D-138).
 */
export function markedCall({ data, ...call }: SettlementCall): SettlementCall {
  return { ...call, data: `${data}${randomBytes(markBytes).toString('hex')}` as Hex };
}

const markBytes = 8;

/**
 * How many payments a transaction may carry for so much ether, in wei, at that price for a unit of gas: nodes take none
 * whose whole gas limit could not be paid for.
 */
export function paymentsWithin(wei: bigint, maxFeePerGas: bigint): number {
  if (wei < singleGas * maxFeePerGas) return 0;
  if (maxFeePerGas === 0n) return Number.MAX_SAFE_INTEGER;
  const base = batchGasLimit(0);
  const inBatch = (wei / maxFeePerGas - base) / (batchGasLimit(1) - base);
  return inBatch > 1n ? Number(inBatch) : 1;
}
