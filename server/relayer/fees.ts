import { parseQuantity } from '../chain/chain-view.ts';
import type { Rpc, RpcFault } from '../chain/rpc.ts';
import { fail, ok, type Result } from '../types/result.ts';

/** EIP-1559 fees in wei. */
export type Fees = { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint };

export type FeeLimits = {
  readonly maxFeePerGasWeiMax: bigint;
  readonly priorityFeeWei: bigint;
};

/** The fees of now, and the block that they come from. */
export type CurrentFees = Fees & {
  readonly baseFee: bigint;
  /** Time of that block; null where the node returns none. */
  readonly seconds: bigint | null;
};

/**
 * Returns twice the base fee and a tip. It is enough for six full blocks in a row, since each raises the base
 * fee by an eighth at most (EIP-1559).
 */
export async function currentFees(rpc: Rpc, limits: FeeLimits): Promise<Result<CurrentFees, RpcFault>> {
  const block = await rpc.call<{ baseFeePerGas?: unknown; timestamp?: unknown } | null>(
    'eth_getBlockByNumber',
    ['latest', false],
  );
  if (!block.ok) return block;
  const baseFee = parseQuantity(block.value?.baseFeePerGas);
  if (baseFee === null) {
    return fail({
      kind: 'unavailable',
      message: 'the node returned no base fee, and the gateway needs an EIP-1559 chain',
    });
  }
  const wanted = {
    maxFeePerGas: 2n * baseFee + limits.priorityFeeWei,
    maxPriorityFeePerGas: limits.priorityFeeWei,
  };
  return ok({ ...capped(wanted, limits), baseFee, seconds: parseQuantity(block.value?.timestamp) });
}

/** Returns whether the limit covers the next block, whose base fee may be an eighth higher (EIP-1559). */
export function mayBeIncluded({ baseFee }: CurrentFees, { maxFeePerGasWeiMax }: FeeLimits): boolean {
  return eighthUp(baseFee) <= maxFeePerGasWeiMax;
}

/**
 * Returns the fees of a replacement, or null where the limit is too low. Both fees rise by a quarter, because
 * nodes refuse less than a tenth, and at least to the fees that the chain needs now.
 */
export function bumpedFees(last: Fees, current: Fees, limits: FeeLimits): Fees | null {
  const bumped = capped(
    {
      maxFeePerGas: largest(quarterUp(last.maxFeePerGas), current.maxFeePerGas),
      maxPriorityFeePerGas: largest(quarterUp(last.maxPriorityFeePerGas), current.maxPriorityFeePerGas),
    },
    limits,
  );
  const isEnough =
    bumped.maxFeePerGas >= eighthUp(last.maxFeePerGas) &&
    bumped.maxPriorityFeePerGas >= eighthUp(last.maxPriorityFeePerGas);
  return isEnough ? bumped : null;
}

function capped({ maxFeePerGas, maxPriorityFeePerGas }: Fees, { maxFeePerGasWeiMax }: FeeLimits): Fees {
  const fee = maxFeePerGas < maxFeePerGasWeiMax ? maxFeePerGas : maxFeePerGasWeiMax;
  return { maxFeePerGas: fee, maxPriorityFeePerGas: maxPriorityFeePerGas < fee ? maxPriorityFeePerGas : fee };
}

function quarterUp(wei: bigint): bigint {
  return (wei * 5n + 3n) / 4n;
}

function eighthUp(wei: bigint): bigint {
  return (wei * 9n + 7n) / 8n;
}

function largest(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
