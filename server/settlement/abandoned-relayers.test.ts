import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ask } from '../devnet/deployer.ts';
import {
  type Bench,
  type Executed,
  price,
  type Settling,
  type SettlingOptions,
  startBench,
} from '../testing/settlement/settlement.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await startBench();
});
afterAll(() => bench?.stop());
afterEach(() => ask(bench.rpc, 'evm_setAutomine', [true]));

const merchant = () => bench.balanceOf(bench.devnet.payTo);
const settled = { state: 'settled' };
const quick: SettlingOptions = { maintenanceMs: 20, settlementWaitMs: 50, limits: { idleMs: 20 } };

/** A payment whose transaction was sent and not mined. */
async function underWay(settling: Settling): Promise<Executed> {
  await ask(bench.rpc, 'evm_setAutomine', [false]);
  const executed = await settling.executed();
  expect(await settling.settler.settle(executed.payment)).toEqual({ state: 'unknown' });
  const { id } = executed.payment;
  await expect.poll(() => settling.store.find(id)).toMatchObject({ state: 'submitted' });
  await expect.poll(() => settling.sent()).toHaveLength(1);
  return executed;
}

/** A gateway with another relayer key on the same store. */
const withNewKey = (after: Settling) => bench.openSettling({ ...quick, after, hasNewKey: true });
const stateOf = async ({ store }: Settling, { payment }: Executed) => (await store.find(payment.id))?.state;

describe('D-222: a relayer whose key no gateway has any more', () => {
  it('has its mined payment settled, without a second transaction', async () => {
    const first = await bench.openSettling(quick);
    const executed = await underWay(first);
    const before = await merchant();
    await first.settler.close();
    await ask(bench.rpc, 'evm_mine', []);
    const second = await withNewKey(first);
    await expect.poll(() => stateOf(second, executed)).toBe('settled');
    expect(second.sent()).toEqual([]);
    expect((await merchant()) - before).toBe(price);
    expect(await second.store.openNonces(first.relayer)).toEqual([]);
  });

  it('has its mined payment settled by a gateway with a facilitator instead of a key', async () => {
    const first = await bench.openSettling(quick);
    const executed = await underWay(first);
    await first.settler.close();
    await ask(bench.rpc, 'evm_mine', []);
    const silent = { url: 'http://127.0.0.1:1' };
    const second = await bench.openSettling({ ...quick, after: first, through: silent });
    await expect.poll(() => stateOf(second, executed)).toBe('settled');
  });

  it('leaves a payment that no block has to the new key, and the payer is charged once', async () => {
    const first = await bench.openSettling(quick);
    const executed = await underWay(first);
    const before = await merchant();
    await first.settler.close();
    await ask(bench.rpc, 'anvil_dropAllTransactions', []);
    await ask(bench.rpc, 'evm_setAutomine', [true]);
    const second = await withNewKey(first);
    await expect.poll(() => second.settler.settle(executed.payment)).toMatchObject(settled);
    const [old] = first.sent();
    await ask(bench.rpc, 'eth_sendRawTransaction', [old?.serialized]);
    await ask(bench.rpc, 'evm_mine', []);
    expect((await merchant()) - before).toBe(price);
  });

  it('has its payment settled when the old transaction is mined after the new one was sent', async () => {
    const first = await bench.openSettling(quick);
    const executed = await underWay(first);
    const before = await merchant();
    await first.settler.close();
    const second = await withNewKey(first);
    await expect.poll(() => second.sent().length).toBe(1);
    await ask(bench.rpc, 'evm_mine', []);
    await expect.poll(() => stateOf(second, executed)).toBe('settled');
    expect((await merchant()) - before).toBe(price);
  });

  it('keeps its payments while a running gateway has the key', async () => {
    const first = await bench.openSettling(quick);
    const executed = await underWay(first);
    const leases = vi.spyOn(first.store, 'leaseRelayer');
    const second = await withNewKey(first);
    const refusals = async () => {
      const asked = leases.mock.calls.flatMap(([relayer], at) => (relayer === first.relayer ? [at] : []));
      const given = await Promise.all(asked.map((at) => leases.mock.results[at]?.value));
      return given.filter((lease) => lease === null).length;
    };
    await expect.poll(refusals).toBeGreaterThan(2);
    expect(await stateOf(second, executed)).toBe('submitted');
    await ask(bench.rpc, 'evm_mine', []);
    await expect.poll(() => stateOf(first, executed)).toBe('settled');
    expect(second.sent()).toEqual([]);
  });
});
