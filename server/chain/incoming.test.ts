import { describe, expect, it } from 'vitest';
import { fail, ok } from '../types/result.ts';
import type { Address } from '../types/units.ts';
import { listIncoming } from './incoming.ts';
import type { Rpc, RpcFault } from './rpc.ts';

const account = { asset: `0x${'a5'.repeat(20)}` as Address, recipient: `0x${'b6'.repeat(20)}` as Address };
const hashOf = (block: number) => `0x${block.toString(16).padStart(64, '0')}`;

/** A node with two transfers in each hundredth block that returns the logs of at most so many blocks. */
function nodeWith(blocksMax: number, fault: RpcFault): Rpc & { readonly asked: [number, number][] } {
  const asked: [number, number][] = [];
  return {
    asked,
    async call<T>(_method: string, params: readonly unknown[]) {
      const [{ fromBlock, toBlock }] = params as [{ fromBlock: string; toBlock: string }];
      const [first, last] = [Number(fromBlock), Number(toBlock)];
      asked.push([first, last]);
      if (last - first + 1 > blocksMax) return fail(fault);
      const blocks = Array.from({ length: last - first + 1 }, (_, at) => first + at).filter(
        (block) => block % 100 === 0,
      );
      return ok(
        blocks.flatMap((block) => [block, block].map((each) => ({ transactionHash: hashOf(each) }))) as T,
      );
    },
  };
}

async function listAll(rpc: Rpc, fromBlock: number, toBlock: number) {
  const found: unknown[] = [];
  for await (const page of listIncoming(rpc, account, fromBlock, toBlock))
    found.push(...(page.ok ? page.value : [page.fault.kind]));
  return found;
}

const refused = { kind: 'refused', code: -32_005, message: 'too many blocks' } as const;

describe('The transactions to an account', () => {
  it('are listed once each, oldest first, in pages of blocks', async () => {
    const node = nodeWith(10_000, refused);
    expect(await listAll(node, 100, 4_200)).toEqual(
      Array.from({ length: 42 }, (_, at) => hashOf(100 * (at + 1))),
    );
    expect(node.asked).toEqual([
      [100, 2_099],
      [2_100, 4_099],
      [4_100, 4_200],
    ]);
  });

  it('are listed from a node that allows few blocks in one query', async () => {
    const node = nodeWith(150, refused);
    expect(await listAll(node, 1, 1_000)).toEqual(
      Array.from({ length: 10 }, (_, at) => hashOf(100 * (at + 1))),
    );
    expect(Math.max(...node.asked.slice(2).map(([first, last]) => last - first + 1))).toBe(125);
  });

  it('end with the fault of a node that does not respond, or that refuses every query', async () => {
    expect(await listAll(nodeWith(0, { kind: 'unavailable', message: 'away' }), 1, 9_000)).toEqual([
      'unavailable',
    ]);
    expect(await listAll(nodeWith(0, refused), 1, 9_000)).toEqual(['refused']);
  });

  it('are none in an empty range', async () => {
    const node = nodeWith(10, refused);
    expect([await listAll(node, 5, 4), node.asked]).toEqual([[], []]);
  });
});
