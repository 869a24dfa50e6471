import { createPayerStateReader, type ReadPayerState } from '../chain/payer-state.ts';
import type { Rpc, RpcFault } from '../chain/rpc.ts';
import type { PaymentToken } from '../chain/token.ts';
import type { BalanceReading } from '../store/store.ts';
import type { Clock } from '../types/clock.ts';
import { fail, ok, type Result } from '../types/result.ts';
import type { Address, Bytes32 } from '../types/units.ts';

/** The balance of a payer, and whether the authorization is already used on the chain. */
type PayerReading = { readonly reading: BalanceReading; readonly isSpent: boolean };

/** Reads a payer for one authorization. */
export type ReadPayer = (payer: Address, nonce: Bytes32) => Promise<Result<PayerReading, RpcFault>>;

/** A block number further ahead of the newest known one is read twice. */
const leapBlocksMax = 1_000;

/**
 * Reads through Multicall3 if the chain has it, else with single calls. The age of a reading counts from its
 * end. Otherwise every reading of a slow node would be too old on arrival.
 */
export function createPayerReader(
  { rpc, token, asset, canBatch }: { rpc: Rpc; token: PaymentToken; asset: Address; canBatch: boolean },
  clock: Clock,
): ReadPayer {
  const read = withoutLeaps(canBatch ? createPayerStateReader(rpc, asset) : oneByOne(rpc, token));
  return async (payer, nonce) => {
    const state = await read(payer, nonce);
    if (!state.ok) return state;
    const { balance, block, isSpent } = state.value;
    return ok({ reading: { balance, block, readAt: clock.steadySeconds() }, isSpent });
  };
}

/**
 * Reads again when a block number leaps, and rejects the reading if the node does not confirm it. The store
 * keeps the reading of the highest block, so a wrong number would freeze a payer's balance.
 */
function withoutLeaps(read: ReadPayerState): ReadPayerState {
  let newest = 0;
  return async (payer, nonce) => {
    const first = await read(payer, nonce);
    if (!first.ok) return first;
    if (first.value.block > newest + leapBlocksMax) {
      const second = await read(payer, nonce);
      if (!second.ok) return second;
      if (Math.abs(second.value.block - first.value.block) > leapBlocksMax) {
        return fail({
          kind: 'unavailable',
          message: 'the node returned two block numbers that are far apart',
        });
      }
    }
    newest = Math.max(newest, first.value.block);
    return first;
  };
}

/** Reads the block number first, so that the balance includes every transfer up to that block. */
function oneByOne(rpc: Rpc, token: PaymentToken): ReadPayerState {
  return async (payer, nonce) => {
    const block = await rpc.call<unknown>('eth_blockNumber', []);
    if (!block.ok) return block;
    if (typeof block.value !== 'string' || !/^0x[0-9a-f]{1,10}$/i.test(block.value)) {
      return fail({ kind: 'unavailable', message: 'the node returned no valid block number' });
    }
    const [balance, spent] = await Promise.all([
      token.balanceOf(payer),
      token.authorizationState(payer, nonce),
    ]);
    if (!balance.ok) return balance;
    if (!spent.ok) return spent;
    return ok({ block: Number(block.value), balance: balance.value, isSpent: spent.value });
  };
}
