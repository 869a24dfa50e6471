import { fail, ok, type Result } from '../types/result.ts';
import { type Address, type Bytes32, parseBytes32 } from '../types/units.ts';
import { blocksPerQuery, garbage, quantity } from './chain-view.ts';
import type { Rpc, RpcFault } from './rpc.ts';
import { topic } from './token-logs.ts';
import { addressWord } from './word.ts';

type Incoming = { readonly asset: Address; readonly recipient: Address };

/**
 * Lists the transactions that moved tokens to an account, oldest first, in pages of blocks. A fault ends the list.
 * Nodes refuse a page with too many logs or blocks, so the pages get smaller after a refusal.
 */
export async function* listIncoming(
  rpc: Rpc,
  account: Incoming,
  fromBlock: number,
  toBlock: number,
): AsyncGenerator<Result<readonly Bytes32[], RpcFault>, void> {
  let blocks = blocksPerQuery;
  for (let first = fromBlock; first <= toBlock; ) {
    const last = Math.min(toBlock, first + blocks - 1);
    const page = await readPage(rpc, account, first, last);
    if (!page.ok && page.fault.kind === 'refused' && blocks > 1) {
      blocks = Math.ceil(blocks / 4);
      continue;
    }
    yield page;
    if (!page.ok) return;
    first = last + 1;
  }
}

async function readPage(
  rpc: Rpc,
  { asset, recipient }: Incoming,
  fromBlock: number,
  toBlock: number,
): Promise<Result<readonly Bytes32[], RpcFault>> {
  const topics = [topic.transfer, null, `0x${addressWord(recipient)}`];
  const filter = { address: asset, fromBlock: quantity(fromBlock), toBlock: quantity(toBlock), topics };
  const logs = await rpc.call<unknown>('eth_getLogs', [filter]);
  if (!logs.ok) return logs;
  if (!Array.isArray(logs.value)) return garbage('no list of logs');
  const hashes = logs.value.map((log) => parseBytes32(String(log?.transactionHash)));
  const known = hashes.filter((hash) => hash !== null);
  if (known.length < hashes.length)
    return fail({ kind: 'unavailable', message: 'the node gives logs without a transaction' });
  return ok([...new Set(known)]);
}
