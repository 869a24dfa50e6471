import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Rpc } from '../chain/rpc.ts';
import { createLog, type Log } from '../observe/log.ts';
import type { Store } from '../store/store.ts';
import { type Bench, startBench } from '../testing/settlement/settlement.ts';
import { ok } from '../types/result.ts';
import { checkRecipient } from './check-recipient.ts';

// Every store needs a recipient of its own (D-138).

let bench: Bench;

beforeAll(async () => {
  bench = await startBench();
});
afterAll(() => bench?.stop());

async function checkAndListWarnings(store: Store, rpc: Rpc = bench.rpc): Promise<readonly unknown[]> {
  const warnings: unknown[] = [];
  const warn = (...words: readonly unknown[]) => warnings.push(words);
  const log = { ...createLog('silent'), warn } as unknown as Log;
  const { address: asset } = bench.devnet.token;
  await checkRecipient({ rpc, store, asset, payTo: bench.devnet.payTo, log });
  return warnings;
}

it('warns once for a new store, and not for a store that sold the payments of its recipient', async () => {
  const settling = await bench.openSettling();
  const { payTo } = bench.devnet;
  expect(await checkAndListWarnings(settling.store)).toEqual([
    [{ payTo }, expect.stringContaining('store is new')],
  ]);
  const { payment } = await settling.executed();
  expect(await settling.settler.settle(payment)).toMatchObject({ state: 'settled' });
  expect(await checkAndListWarnings(settling.store)).toEqual([]);
});

it('warns with a transaction hash when another store uses the recipient', async () => {
  const [one, other] = [await bench.openSettling(), await bench.openSettling()];
  await other.executed();
  const { payment } = await one.executed();
  const settled = await one.settler.settle(payment);
  if (settled.state !== 'settled') throw new Error(`not settled but ${settled.state}`);
  const { txHash } = settled;
  expect(await checkAndListWarnings(other.store)).toEqual([
    [{ payTo: bench.devnet.payTo, txHash }, expect.stringContaining('without a record')],
  ]);
});

it('logs nothing while the chain does not respond and the store is not new', async () => {
  const settling = await bench.openSettling();
  await settling.executed();
  const silent = { call: () => Promise.resolve({ ok: false, fault: { kind: 'unavailable', message: '' } }) };
  const { address: asset } = bench.devnet.token;
  const log = { ...createLog('silent'), warn: () => expect.unreachable() } as unknown as Log;
  const ports = { rpc: silent as unknown as Bench['rpc'], store: settling.store, asset, log };
  await checkRecipient({ ...ports, payTo: bench.devnet.payTo });
});

it('goes on when the node lists entries that are no logs', async () => {
  const settling = await bench.openSettling();
  const odd: Rpc['call'] = async () => ok([null, 5, {}, { transactionHash: null }] as never);
  const call: Rpc['call'] = (method, ...rest) =>
    method === 'eth_getLogs' ? odd(method, ...rest) : bench.rpc.call(method, ...rest);
  const { payTo } = bench.devnet;
  expect(await checkAndListWarnings(settling.store, { call })).toEqual([
    [{ payTo }, expect.stringContaining('store is new')],
  ]);
});
