import { createPayerStateReader, type ReadPayerState } from '../chain/payer-state.ts';
import type { Rpc, RpcFault } from '../chain/rpc.ts';
import type { PaymentToken } from '../chain/token.ts';
import type { BalanceReading } from '../store/store.ts';
import type { Clock } from '../types/clock.ts';
import { fail, ok, type Result } from '../types/result.ts';
import type { Address, Bytes32 } from '../types/units.ts';

/** What a payer has, and whether the authorization in question is spent on the chain already. */
type PayerReading = { readonly reading: BalanceReading; readonly isSpent: boolean };

/** Reads a payer for one authorization. */
export type ReadPayer = (payer: Address, nonce: Bytes32) => Promise<Result<PayerReading, RpcFault>>;

/** A block further than this beyond the newest that was believed is asked for twice. */
const leapBlocksMax = 1_000;

/**
 * Reads through Multicall3 where it stands, one by one elsewhere. The age of a reading counts from its end: of a slow
 * node it would otherwise be too old on arrival, for ever.
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
 * The store keeps the reading of the highest block, so a number from nowhere would freeze a payer's balance: one that
 * leaps counts only where the node says it twice.
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
        return fail({ kind: 'unavailable', message: 'the node gives one block number and then another' });
      }
    }
    newest = Math.max(newest, first.value.block);
    return first;
  };
}

/** The block number is read first, so that the balance holds at least everything up to that block. */
function oneByOne(rpc: Rpc, token: PaymentToken): ReadPayerState {
  return async (payer, nonce) => {
    const block = await rpc.call<unknown>('eth_blockNumber', []);
    if (!block.ok) return block;
    if (typeof block.value !== 'string' || !/^0x[0-9a-f]{1,10}$/i.test(block.value)) {
      return fail({ kind: 'unavailable', message: 'the node gives no block number' });
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
