import type { Rpc, RpcFault } from '../chain/rpc.ts';
import { fail, ok, type Result } from '../vocabulary/result.ts';

/** EIP-1559 fees in wei. */
export type Fees = { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint };

export type FeeLimits = {
  readonly maxFeePerGasWeiMax: bigint;
  readonly priorityFeeWei: bigint;
};

/** Twice the base fee and a tip: enough for six full blocks in a row (EIP-1559 moves it by an eighth at most). */
export async function currentFees(rpc: Rpc, limits: FeeLimits): Promise<Result<Fees, RpcFault>> {
  const block = await rpc.call<{ baseFeePerGas?: unknown } | null>('eth_getBlockByNumber', ['latest', false]);
  if (!block.ok) return block;
  const baseFee = block.value?.baseFeePerGas;
  if (typeof baseFee !== 'string' || !/^0x[0-9a-f]+$/i.test(baseFee)) {
    return fail({ kind: 'unavailable', message: 'the node gives no base fee; an EIP-1559 chain is needed' });
  }
  const wanted = 2n * BigInt(baseFee) + limits.priorityFeeWei;
  const maxFeePerGas = wanted < limits.maxFeePerGasWeiMax ? wanted : limits.maxFeePerGasWeiMax;
  const tip = limits.priorityFeeWei < maxFeePerGas ? limits.priorityFeeWei : maxFeePerGas;
  return ok({ maxFeePerGas, maxPriorityFeePerGas: tip });
}
