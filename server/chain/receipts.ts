import { ok, type Result } from '../types/result.ts';
import type { Bytes32 } from '../types/units.ts';
import { listTransactions, parseCount, quantity, readBlock, readMined } from './chain-view.ts';
import type { Rpc, RpcFault } from './rpc.ts';

/** Most blocks that are searched for a transaction. Blocks of a public chain are rarely empty. */
const blocksMax = 32;

/**
 * Returns whether a node shows the receipt of the newest transaction. `none`: no recent block has a transaction.
 */
export async function probeReceipts(rpc: Rpc): Promise<Result<'shown' | 'hidden' | 'none', RpcFault>> {
  let asked = 'latest';
  for (let blocks = 0; blocks < blocksMax; blocks += 1) {
    const block = await readBlock(rpc, asked);
    if (!block.ok) return block;
    const newest = listTransactions(block.value).at(-1);
    if (newest !== undefined) {
      const mined = await readMined(rpc, newest);
      return mined.ok ? ok(mined.value === null ? 'hidden' : 'shown') : mined;
    }
    const number = parseCount(block.value?.number);
    if (number === null || number === 0) return ok('none');
    asked = quantity(number - 1);
  }
  return ok('none');
}

/** Returns whether the node has a transaction in a block, by the transaction itself and not by its receipt. */
export async function isInBlock(rpc: Rpc, txHash: Bytes32): Promise<Result<boolean, RpcFault>> {
  const read = await rpc.call<{ blockHash?: unknown } | null>('eth_getTransactionByHash', [txHash]);
  return read.ok ? ok(typeof read.value?.blockHash === 'string') : read;
}
