import { afterAll, beforeAll, expect, it } from 'vitest';
import { ask } from '../devnet/deployer.ts';
import { type Bench, type Settling, startBench } from '../testing/settlement/settlement.ts';
import { systemClock } from '../types/clock.ts';
import { fail, ok } from '../types/result.ts';
import { findSpender } from './find-spender.ts';
import type { Rpc } from './rpc.ts';

let bench: Bench;
let settling: Settling;
beforeAll(async () => {
  bench = await startBench('kept');
  settling = await bench.openSettling();
});
afterAll(() => bench?.stop());

/** A node that allows ten blocks a query. With 32 queries, the newest 400 blocks are not all searched. */
const bounded: Rpc = {
  call: <T>(method: string, params: readonly unknown[]) => {
    const { fromBlock, toBlock } = (params[0] ?? {}) as { fromBlock: string; toBlock: string };
    return method === 'eth_getLogs' && Number(toBlock) - Number(fromBlock) >= 10
      ? Promise.resolve(fail({ kind: 'refused', code: -32600, message: 'the range is too large' } as const))
      : bench.rpc.call<T>(method, params);
  },
};

it('finds the spender of a payment whose window ended many blocks ago (D-406)', async () => {
  const validBefore = BigInt(systemClock.nowSeconds()) + 100n;
  const { payment } = await settling.executed({ validBefore });
  const txHash = await bench.sendAsThirdParty(bench.encodeTransfer(payment));
  const find = (window: bigint) =>
    findSpender(
      bounded,
      bench.token,
      { asset: payment.asset, ...payment.authorization, validBefore: window },
      10_000,
    );
  // 400 blocks, one a second.
  await ask(bench.rpc, 'anvil_mine', ['0x190', '0x1']);
  expect(await find(validBefore)).toMatchObject({ ok: true, value: { txHash } });
  // While its window is open, the transaction may be in any of the newest blocks.
  expect(await find(validBefore + 10_000n)).toEqual({ ok: true, value: 'unseen' });
});

it('does not know the spender if the node cannot show old blocks (D-406)', async () => {
  const validBefore = BigInt(systemClock.nowSeconds()) + 1_000n;
  const { payment } = await settling.executed({ validBefore });
  await bench.sendAsThirdParty(bench.encodeTransfer(payment));
  await ask(bench.rpc, 'anvil_mine', ['0x190', '0x3']);
  const pruned: Rpc = {
    call: <T>(method: string, params: readonly unknown[]) =>
      method === 'eth_getBlockByNumber' && params[0] !== 'latest'
        ? Promise.resolve(fail({ kind: 'refused', code: -32000, message: 'pruned' } as const))
        : bounded.call<T>(method, params),
  };
  const expected = { asset: payment.asset, ...payment.authorization };
  expect(await findSpender(pruned, bench.token, expected, 10_000)).toEqual(ok('unseen'));
});
