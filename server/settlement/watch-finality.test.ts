import { expect, it } from 'vitest';
import type { Rpc } from '../chain/rpc.ts';
import type { Inclusion } from '../types/inclusion.ts';
import { fail, ok } from '../types/result.ts';
import type { Bytes32 } from '../types/units.ts';
import { nothingWatched, watchFinality } from './watch-finality.ts';

// D-445: many settlements between a reorganisation and finality.

const word = (kind: number, at: number) => `0x${kind}${at.toString(16).padStart(63, '0')}` as Bytes32;
const inclusionAt = (at: number): Inclusion => ({ txHash: word(1, at), block: at, blockHash: word(2, at) });

/** A chain with one settlement in each block from 1 on, and the store of a gateway that sent them. */
function openScene(blocks: number) {
  const scene = {
    settled: Array.from({ length: blocks }, (_, at) => inclusionAt(at + 1)),
    removed: new Set<Bytes32>(),
    failing: new Set<Bytes32>(),
    finalized: 0 as number | null,
    reopened: [] as Bytes32[],
    warnings: [] as string[],
    asked: [] as unknown[],
  };
  const rpc: Rpc = {
    async call<T>(method: string, [first]: readonly unknown[]) {
      if (method === 'eth_getBlockByNumber') {
        if (first === 'finalized' && scene.finalized === null) return ok(null as T);
        const number = first === 'finalized' ? scene.finalized : Number(first);
        const quantity = `0x${number?.toString(16)}`;
        return ok({ number: quantity, timestamp: '0x1', hash: word(3, number ?? 0), transactions: [] } as T);
      }
      scene.asked.push(first);
      const txHash = first as Bytes32;
      if (scene.failing.has(txHash)) return fail({ kind: 'unavailable', message: 'no response' } as const);
      if (scene.removed.has(txHash)) return ok(null as T);
      const at = scene.settled.find((inclusion) => inclusion.txHash === txHash);
      return ok({ blockNumber: `0x${at?.block.toString(16)}`, blockHash: at?.blockHash, logs: [] } as T);
    },
  };
  const store = {
    recentInclusions: async (from: number, max: number) =>
      scene.settled
        .filter((each) => each.block >= from)
        .toReversed()
        .slice(0, max),
    inclusionsUpTo: async (block: number, max: number) =>
      scene.settled.filter((each) => each.block <= block).slice(0, max),
    async finalise(block: number) {
      scene.settled = scene.settled.filter((each) => each.block > block);
      return 0;
    },
    async reopen(txHash: Bytes32) {
      scene.reopened.push(txHash);
      scene.settled = scene.settled.filter((each) => each.txHash !== txHash);
      return [];
    },
  };
  let last = nothingWatched;
  const ports = {
    rpc,
    store,
    log: { warn: (_: object, text: string) => void scene.warnings.push(text) },
    work: { notify() {} },
    closing: new AbortController().signal,
  };
  return Object.assign(scene, {
    /** Returns the number of transactions that the round asked for. */
    async round() {
      scene.asked.length = 0;
      last = await watchFinality(ports, last);
      return scene.asked.length;
    },
  });
}

it('The newest of 1,500 settlements that are not final is reopened in the second round after its removal', async () => {
  const scene = openScene(1_500);
  await scene.round();
  const { txHash } = inclusionAt(1_500);
  scene.removed.add(txHash);
  await scene.round();
  expect(scene.reopened).toEqual([]);
  await scene.round();
  expect(scene.reopened).toEqual([txHash]);
});

it('All settlements of the removed blocks are reopened, and no other', async () => {
  const scene = openScene(100);
  await scene.round();
  const removed = [98, 99, 100].map((at) => inclusionAt(at).txHash);
  for (const txHash of removed) scene.removed.add(txHash);
  await scene.round();
  await scene.round();
  expect(scene.reopened.toSorted()).toEqual(removed);
});

it('A round asks for the newest known settlement and for new ones, not for all', async () => {
  const scene = openScene(1_000);
  expect(await scene.round()).toBe(1_000);
  expect(await scene.round()).toBe(1);
  scene.settled.push(inclusionAt(1_001), inclusionAt(1_002));
  expect(await scene.round()).toBe(4);
  expect(await scene.round()).toBe(1);
});

it('A settlement is checked once more before it is final, and one that fails this check stays', async () => {
  const scene = openScene(20);
  await scene.round();
  scene.finalized = 10;
  await scene.round();
  // Between, only the newest known settlement is checked.
  scene.removed.add(inclusionAt(6).txHash);
  await scene.round();
  expect(scene.settled[0]).toEqual(inclusionAt(6));
});

it('The settlements behind a call that failed are checked in the next round', async () => {
  const scene = openScene(200);
  scene.failing.add(inclusionAt(50).txHash);
  const { txHash } = inclusionAt(10);
  scene.removed.add(txHash);
  await scene.round();
  scene.failing.clear();
  await scene.round();
  await scene.round();
  expect(scene.reopened).toEqual([txHash]);
  expect(await scene.round()).toBe(1);
});

it('A call that fails costs neither the other checks nor the finality of the settlements below it', async () => {
  const scene = openScene(100);
  scene.failing.add(inclusionAt(50).txHash);
  await scene.round();
  expect(await scene.round()).toBeLessThan(70);
  scene.finalized = 90;
  await scene.round();
  await scene.round();
  expect(scene.settled[0]).toEqual(inclusionAt(50));
  scene.failing.clear();
  await scene.round();
  await scene.round();
  expect(scene.settled[0]).toEqual(inclusionAt(91));
});

it('A node without finality still shows a reorganisation, makes nothing final, and is logged once', async () => {
  const scene = openScene(3);
  scene.finalized = null;
  await scene.round();
  scene.removed.add(inclusionAt(3).txHash);
  for (let round = 0; round < 3; round++) await scene.round();
  expect(scene.reopened).toEqual([inclusionAt(3).txHash]);
  expect(scene.settled).toHaveLength(2);
  expect(scene.warnings.filter((text) => text.includes('names no finalized block'))).toHaveLength(1);
});
