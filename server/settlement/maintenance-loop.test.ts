import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { ask } from '../devnet/deployer.ts';
import { createLog, type Log } from '../observe/log.ts';
import { changesMax } from '../store/bulk.ts';
import { owedKeepSeconds } from '../store/owed.ts';
import { type Bench, payerFunds, price, startBench } from '../testing/settlement/settlement.ts';
import { manualClock, systemClock } from '../types/clock.ts';
import { type Bytes32, unixSeconds } from '../types/units.ts';

let bench: Bench;

beforeAll(async () => {
  bench = await startBench('kept');
});
afterAll(() => bench?.stop());
afterEach(() => {
  bench.node.rewrite = (_method, _body, response) => response;
});

const merchant = () => bench.balanceOf(bench.devnet.payTo);

it('A settlement that a reorganisation removed is settled again, and store and chain agree', async () => {
  const settling = await bench.openSettling({ maintenanceMs: 20 });
  const executed = await settling.executed();
  const before = await merchant();
  expect(await settling.settler.settle(executed.payment)).toMatchObject({ state: 'settled' });
  expect((await merchant()) - before).toBe(price);
  await ask(bench.rpc, 'anvil_reorg', [1, []]);
  expect(await merchant()).toBe(before);
  await expect.poll(merchant).toBe(before + price);
  await expect.poll(() => settling.store.find(executed.payment.id)).toMatchObject({ state: 'settled' });
  const [inclusion] = await settling.store.recentInclusions(0, 10);
  const block = await ask<{ hash: string }>(bench.rpc, 'eth_getBlockByNumber', [
    `0x${(inclusion?.block ?? 0).toString(16)}`,
    false,
  ]);
  expect(block.hash).toBe(inclusion?.blockHash);
  expect((await settling.store.totals()).get('settled')).toEqual({ payments: 1, amount: price });
});

it('A receipt that is missing once reopens nothing', async () => {
  const settling = await bench.openSettling({ maintenanceMs: 20 });
  const executed = await settling.executed();
  expect(await settling.settler.settle(executed.payment)).toMatchObject({ state: 'settled' });
  let rounds = 0;
  bench.node.rewrite = (method, _body, response) =>
    method === 'eth_getTransactionReceipt' && rounds++ === 0
      ? JSON.stringify({ ...JSON.parse(response), result: null })
      : response;
  await expect.poll(() => rounds).toBeGreaterThan(3);
  expect(await settling.store.find(executed.payment.id)).toMatchObject({ state: 'settled' });
  expect(settling.sent()).toHaveLength(1);
});

it('A settlement is final once the finalized block has passed it', async () => {
  const settling = await bench.openSettling({ maintenanceMs: 20 });
  const executed = await settling.executed();
  expect(await settling.settler.settle(executed.payment)).toMatchObject({ state: 'settled' });
  let told = 0;
  bench.node.rewrite = (_method, body, response) => {
    if (!body.includes('finalized')) return response;
    const { result, ...rest } = JSON.parse(response) as { result: object };
    // A wrong number, once.
    return JSON.stringify({ ...rest, result: { ...result, number: told++ === 0 ? '0xffffffffff' : '0x0' } });
  };
  await expect.poll(() => told).toBeGreaterThan(3);
  expect(await settling.store.find(executed.payment.id)).toMatchObject({ state: 'settled' });
  bench.node.rewrite = (_method, _body, response) => response;
  await ask(bench.rpc, 'anvil_mine', ['0x80']);
  await expect.poll(() => settling.store.find(executed.payment.id)).toMatchObject({ state: 'final' });
});

it('Transactions of final payments are deleted, and the next nonce is right', async () => {
  const settling = await bench.openSettling({ maintenanceMs: 20 });
  let pruned = 0;
  const { pruneJournal } = settling.store;
  Object.assign(settling.store, {
    async pruneJournal(max: number) {
      const count = await pruneJournal(max);
      pruned += count;
      return count;
    },
  });
  for (let nonce = 0; nonce < 3; nonce++) {
    const { payment } = await settling.executed();
    expect(await settling.settler.settle(payment)).toMatchObject({ state: 'settled' });
  }
  expect(pruned).toBe(0);
  await ask(bench.rpc, 'anvil_mine', ['0x80']);
  await expect.poll(() => pruned).toBe(2);
  const { payment } = await settling.executed();
  expect(await settling.settler.settle(payment)).toMatchObject({ state: 'settled' });
  expect(settling.sent().map(({ nonce }) => nonce)).toEqual([0, 1, 2, 3]);
});

it('A round repeats what one call of the store cannot finish (D-393)', async () => {
  const settling = await bench.openSettling({ maintenanceMs: 20 });
  const calls: string[] = [];
  const unfinishedOnce = (name: string, max: number) => async () => {
    calls.push(name);
    return calls.filter((each) => each === name).length === 1 ? max : 0;
  };
  const { store } = settling;
  const names = ['finalise', 'dropCompletionsBefore', 'dropRefusedCompletionsBefore'] as const;
  for (const name of names) Object.assign(store, { [name]: unfinishedOnce(name, changesMax) });
  const pruned = ['pruneJournal', 'pruneJoins', 'pruneReleased'] as const;
  for (const name of pruned) Object.assign(store, { [name]: unfinishedOnce(name, 500) });
  await expect.poll(() => calls.length).toBeGreaterThan(20);
  for (const name of [...names, ...pruned]) {
    const first = calls.indexOf(name);
    expect(calls.slice(first, first + 2)).toEqual([name, name]);
  }
});

it('A round deletes the oldest refused completions while all of them have too many bytes (D-384)', async () => {
  const settling = await bench.openSettling({ maintenanceMs: 20 });
  const asked: number[] = [];
  const freed = [6_000, 5_000];
  Object.assign(settling.store, {
    refusedCompletionBytes: async () => 268_435_456 + (asked.length === 0 ? 10_000 : 0),
    dropOldestRefusedCompletions: async (bytes: number) => {
      asked.push(bytes);
      return freed[asked.length - 1] ?? 0;
    },
  });
  await expect.poll(() => asked.length).toBe(2);
  expect(asked).toEqual([10_000, 4_000]);
});

it('A reservation whose process has died is released once its lease has expired, and not before', async () => {
  const clock = manualClock(systemClock.nowSeconds());
  const settling = await bench.openSettling({ maintenanceMs: 10, clock });
  const { payment } = await settling.executed();
  const authorization = {
    ...payment.authorization,
    nonce: `0x${randomBytes(32).toString('hex')}` as Bytes32,
  };
  const claim = { ...payment, authorization, leaseUntil: unixSeconds(clock.nowSeconds() + 60) };
  const reading = { balance: payerFunds, block: 1, readAt: clock.nowSeconds() };
  const reserved = await settling.store.reserve(claim, reading, clock.nowSeconds());
  if (reserved.kind !== 'reserved') throw new Error(`not reserved but ${reserved.kind}`);
  const find = () => settling.store.find(reserved.payment.id);
  const asked = bench.node.calls.length;
  await expect.poll(() => bench.node.calls.length).toBeGreaterThan(asked + 3);
  expect(await find()).toMatchObject({ state: 'reserved' });
  clock.advance(61);
  await expect.poll(find).toMatchObject({ state: 'released' });
});

it('A charged payment whose completion was never made is given up after a week, and logged as a refund (D-272)', async () => {
  const clock = manualClock(systemClock.nowSeconds());
  const logged: unknown[] = [];
  const error = (details: unknown) => void logged.push(details);
  const log = { ...createLog('silent'), error } as unknown as Log;
  const settling = await bench.openSettling({ maintenanceMs: 10, clock, log });
  const { payment } = await settling.executed();
  const nonce = `0x${randomBytes(32).toString('hex')}` as Bytes32;
  const leaseUntil = unixSeconds(clock.nowSeconds() + 60);
  const claim = { ...payment, authorization: { ...payment.authorization, nonce }, leaseUntil };
  const reading = { balance: payerFunds, block: 1, readAt: clock.nowSeconds() };
  const reserved = await settling.store.reserve(claim, reading, clock.nowSeconds());
  if (reserved.kind !== 'reserved') throw new Error(`not reserved but ${reserved.kind}`);
  const { id } = reserved.payment;
  await settling.store.owe(id);
  const blockHash = `0x${randomBytes(32).toString('hex')}` as Bytes32;
  await settling.store.settle([id], { txHash: nonce, block: 1, blockHash });
  await settling.store.finalise(1);
  clock.advance(owedKeepSeconds);
  const asked = bench.node.calls.length;
  await expect.poll(() => bench.node.calls.length).toBeGreaterThan(asked + 3);
  expect(await settling.store.find(id)).toMatchObject({ isOwed: true });
  clock.advance(1);
  await expect.poll(() => settling.store.find(id)).toMatchObject({ state: 'final', isOwed: false });
  const refund = { payment: id, payer: payment.authorization.from, amount: String(price) };
  await expect.poll(() => logged).toEqual([refund]);
});

it('Another settler takes over an expired lease, and finishes the work of the first', async () => {
  const clock = manualClock(systemClock.nowSeconds());
  const first = await bench.openSettling({ clock, settlementWaitMs: 60 });
  const executed = await first.executed();
  const before = await merchant();
  await ask(bench.rpc, 'evm_setAutomine', [false]);
  try {
    expect(await first.settler.settle(executed.payment)).toEqual({ state: 'unknown' });
    await expect.poll(() => first.store.find(executed.payment.id)).toMatchObject({ state: 'submitted' });
    // The process dies without notice, so its lease stays.
    Object.assign(first.store, { endLease: async () => undefined });
    await first.settler.close();
  } finally {
    await ask(bench.rpc, 'evm_setAutomine', [true]);
  }
  await ask(bench.rpc, 'evm_mine', []);
  const next = await bench.openSettling({ after: first, clock, settlementWaitMs: 60 });
  expect(await next.settler.settle(executed.payment)).toEqual({ state: 'unknown' });
  clock.advance(31);
  await expect.poll(() => next.settler.settle(executed.payment)).toMatchObject({ state: 'settled' });
  expect(next.sent()).toHaveLength(1);
  expect((await merchant()) - before).toBe(price);
});
