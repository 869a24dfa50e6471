import { afterAll, beforeAll, expect, it } from 'vitest';
import { ask } from '../devnet/deployer.ts';
import { type Bench, type Settling, startBench } from '../testing/settlement/settlement.ts';
import { fail, ok } from '../types/result.ts';
import { unixSeconds } from '../types/units.ts';
import { findSpender } from './find-spender.ts';
import type { Rpc } from './rpc.ts';

let bench: Bench;
let settling: Settling;
beforeAll(async () => {
  bench = await startBench('kept');
  settling = await bench.openSettling();
});
afterAll(() => bench?.stop());

/** Refuses some calls, as a node does that allows ten blocks a query. */
const refusing = (isRefused: (method: string, parameter: unknown) => boolean): Rpc => ({
  call: <T>(method: string, params: readonly unknown[]) =>
    isRefused(method, params[0])
      ? Promise.resolve(fail({ kind: 'refused', code: -32600, message: 'not allowed' } as const))
      : bench.rpc.call<T>(method, params),
});
const isTooLong = (method: string, parameter: unknown): boolean => {
  const { fromBlock, toBlock } = (parameter ?? {}) as { fromBlock: string; toBlock: string };
  return method === 'eth_getLogs' && Number(toBlock) - Number(fromBlock) >= 10;
};

/** A payment that somebody sent, and 400 blocks after it. With 32 queries, the newest 250 of them are searched. */
async function spendLongAgo() {
  const { payment } = await settling.executed();
  const txHash = await bench.sendAsThirdParty(bench.encodeTransfer(payment));
  await ask(bench.rpc, 'anvil_mine', ['0x190', '0x1']);
  const { asset, authorization, createdAt } = payment;
  return { txHash, spent: { asset, createdAt, ...authorization } };
}

it('finds the spender of a payment after many blocks, from the time of the payment on (D-406)', async () => {
  const { txHash, spent } = await spendLongAgo();
  const node = refusing(isTooLong);
  expect(await findSpender(node, bench.token, spent, 10_000)).toMatchObject({ ok: true, value: { txHash } });
  // By a wrong time, it is in neither part.
  const late = { ...spent, createdAt: unixSeconds(spent.createdAt + 250) };
  expect(await findSpender(node, bench.token, late, 10_000)).toEqual(ok('unseen'));
});

it('does not know the spender if the node cannot show old blocks (D-406)', async () => {
  const { spent } = await spendLongAgo();
  const pruned = refusing(
    (method, parameter) =>
      isTooLong(method, parameter) || (method === 'eth_getBlockByNumber' && parameter !== 'latest'),
  );
  expect(await findSpender(pruned, bench.token, spent, 10_000)).toEqual(ok('unseen'));
});
