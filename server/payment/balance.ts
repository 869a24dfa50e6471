import type { Rpc, RpcFault } from '../chain/rpc.ts';
import type { PaymentToken } from '../chain/token.ts';
import type { BalanceReading } from '../store/store.ts';
import type { Clock } from '../vocabulary/clock.ts';
import { fail, ok, type Result } from '../vocabulary/result.ts';
import type { Address } from '../vocabulary/units.ts';

/** Reads what a payer has. */
export type ReadBalance = (payer: Address) => Promise<Result<BalanceReading, RpcFault>>;

/** The block number is read before the balance, so that the balance holds at least everything up to that block. */
export function createBalanceReader(rpc: Rpc, token: PaymentToken, clock: Clock): ReadBalance {
  return async (payer) => {
    const block = await rpc.call<unknown>('eth_blockNumber', []);
    if (!block.ok) return block;
    if (typeof block.value !== 'string' || !/^0x[0-9a-f]+$/i.test(block.value)) {
      return fail({ kind: 'unavailable', message: 'the node gives no block number' });
    }
    const balance = await token.balanceOf(payer);
    if (!balance.ok) return balance;
    // The age of a reading counts from its end: of a slow node it would otherwise be too old on arrival, for ever.
    return ok({ balance: balance.value, block: Number(block.value), readAt: clock.nowSeconds() });
  };
}
