import { parseQuantity } from '../chain/chain-view.ts';
import type { Rpc, RpcFault } from '../chain/rpc.ts';
import { fail, ok, type Result } from '../types/result.ts';

/** EIP-1559 fees in wei. */
export type Fees = { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint };

export type FeeLimits = {
  readonly maxFeePerGasWeiMax: bigint;
  readonly priorityFeeWei: bigint;
};

/** Fees of now, and what they were reckoned from. */
export type CurrentFees = Fees & {
  readonly baseFee: bigint;
  /** Time of that block; null where the node gives none. */
  readonly seconds: bigint | null;
};

/** Twice the base fee and a tip: enough for six full blocks in a row (EIP-1559 moves it by an eighth at most). */
export async function currentFees(rpc: Rpc, limits: FeeLimits): Promise<Result<CurrentFees, RpcFault>> {
  const block = await rpc.call<{ baseFeePerGas?: unknown; timestamp?: unknown } | null>(
    'eth_getBlockByNumber',
    ['latest', false],
  );
  if (!block.ok) return block;
  const baseFee = parseQuantity(block.value?.baseFeePerGas);
  if (baseFee === null) {
    return fail({ kind: 'unavailable', message: 'the node gives no base fee; an EIP-1559 chain is needed' });
  }
  const wanted = {
    maxFeePerGas: 2n * baseFee + limits.priorityFeeWei,
    maxPriorityFeePerGas: limits.priorityFeeWei,
  };
  return ok({ ...capped(wanted, limits), baseFee, seconds: parseQuantity(block.value?.timestamp) });
}

/** Whether the limit leaves room for the next block, whose base fee may be an eighth higher (EIP-1559). */
export function mayBeIncluded({ baseFee }: CurrentFees, { maxFeePerGasWeiMax }: FeeLimits): boolean {
  return eighthUp(baseFee) <= maxFeePerGasWeiMax;
}

/**
 * The fees of a replacement: both a quarter up, for nodes refuse one of less than a tenth, and at least what the chain
 * asks now. Null where the limit leaves no room for that.
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
