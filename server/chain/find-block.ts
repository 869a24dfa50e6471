import { ok, type Result } from '../types/result.ts';
import type { UnixSeconds } from '../types/units.ts';
import { type Head, quantity, readHead } from './chain-view.ts';
import type { Rpc, RpcFault } from './rpc.ts';

/** Finds the first block that is not older than a time, up to `head`. Returns the number after `head` if all are older. */
export async function findBlockAt(
  rpc: Rpc,
  seconds: UnixSeconds,
  head: Head,
): Promise<Result<number, RpcFault>> {
  let [first, end] = [0, head.block + 1];
  while (first < end) {
    const middle = Math.floor((first + end) / 2);
    const block = middle === head.block ? ok(head) : await readHead(rpc, quantity(middle));
    if (!block.ok) return block;
    if (block.value.seconds >= BigInt(seconds)) end = middle;
    else first = middle + 1;
  }
  return ok(first);
}
