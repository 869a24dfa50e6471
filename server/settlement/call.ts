import { transferWithAuthorizationCalldata } from '../chain/calldata.ts';
import { aggregateCalldata, multicallAddress } from '../chain/multicall.ts';
import type { PaymentRecord } from '../store/store.ts';
import { type Address, type Bytes32, type Hex, parseBytes32 } from '../vocabulary/units.ts';

/** One call that settles payments, and the gas that it may use. */
export type SettlementCall = { readonly to: Address; readonly data: Hex; readonly gasLimit: bigint };

/**
 * Gas is always named here and never estimated: in a batch a call that ran out of gas still counts as a success of the
 * whole, so an estimate would come out too low and nobody would be paid. Each figure is about twice what the reference
 * token needs, for tokens behind a proxy.
 */
const batchGas = 60_000n;
const transferGas = 120_000n;
const singleGas = 150_000n;

/** A single payment goes straight to the token, which costs less than a batch of one; more go through Multicall3. */
export function settlementCall(payments: readonly PaymentRecord[]): SettlementCall {
  const [first] = payments;
  if (first === undefined) throw new Error('a settlement of no payment');
  if (payments.length === 1) return { to: first.asset, data: transferOf(first), gasLimit: singleGas };
  const calls = payments.map((payment) => ({ to: payment.asset, data: transferOf(payment) }));
  return {
    to: multicallAddress,
    data: aggregateCalldata(calls),
    gasLimit: batchGas + transferGas * BigInt(payments.length),
  };
}

/**
 * How many payments a transaction may carry for so much ether, in wei, at that price for a unit of gas: nodes take none
 * whose whole gas limit could not be paid for.
 */
export function paymentsWithin(wei: bigint, maxFeePerGas: bigint): number {
  if (wei < singleGas * maxFeePerGas) return 0;
  if (maxFeePerGas === 0n) return Number.MAX_SAFE_INTEGER;
  const inBatch = (wei / maxFeePerGas - batchGas) / transferGas;
  return inBatch > 1n ? Number(inBatch) : 1;
}

function transferOf({ authorization, signature }: PaymentRecord): Hex {
  return transferWithAuthorizationCalldata(authorization, splitSignature(signature));
}

/** v is 27 or 28 on chain, whichever way the client wrote it (D-04). */
function splitSignature(signature: Hex): { v: 27 | 28; r: Bytes32; s: Bytes32 } {
  const [r, s] = [parseBytes32(signature.slice(0, 66)), parseBytes32(`0x${signature.slice(66, 130)}`)];
  const v = Number.parseInt(signature.slice(130), 16);
  if (r === null || s === null) throw new Error('a stored signature is not 65 bytes');
  return { v: v === 1 || v === 28 ? 28 : 27, r, s };
}
