import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { ask } from '../devnet/deployer.ts';
import { delegate, guardedTokenCode } from '../testing/chain/guarded-token.ts';
import { type Bench, price, startBench } from '../testing/settlement/settlement.ts';

// A reorganisation removes a settlement, and a later sale uses its relayer nonce (D-413).

let bench: Bench;
beforeAll(async () => {
  bench = await startBench('kept', guardedTokenCode);
});
afterAll(() => bench?.stop());
afterEach(async () => {
  await ask(bench.rpc, 'evm_setAutomine', [true]);
});

const merchant = () => bench.balanceOf(bench.devnet.payTo);

/** A payment whose settlement was removed, and another one whose transaction has its nonce. */
async function removedAndLater() {
  const settling = await bench.openSettling();
  const removed = await settling.executed();
  expect(await settling.settler.settle(removed.payment)).toMatchObject({ state: 'settled' });
  await ask(bench.rpc, 'anvil_reorg', [1, []]);
  const before = await merchant();
  const later = await settling.executed();
  expect(await settling.settler.settle(later.payment)).toMatchObject({ state: 'settled' });
  const [first, second] = settling.sent();
  expect(second?.nonce).toBe(first?.nonce);
  await settling.close();
  return { settling, removed, before };
}

it('is settled again, although the store is away for a moment when its claim is released', async () => {
  const { settling, removed, before } = await removedAndLater();
  const { requeue } = settling.store;
  let calls = 0;
  settling.store.requeue = async (...parameters) => {
    calls += 1;
    if (calls === 1) throw new Error('the store is away');
    return requeue(...parameters);
  };
  await bench.openSettling({ after: settling, maintenanceMs: 20 });
  await expect.poll(() => calls).toBeGreaterThan(1);
  await expect.poll(() => settling.store.find(removed.payment.id)).toMatchObject({ state: 'settled' });
  expect((await merchant()) - before).toBe(2n * price);
});

it('is settled again, although its next call fails once', async () => {
  const { settling, removed, before } = await removedAndLater();
  const { chainId } = bench.devnet;
  await delegate(bench.rpc, chainId, removed.payer, 'revertsInTransactions');
  await ask(bench.rpc, 'evm_setAutomine', [false]);
  const again = await bench.openSettling({ after: settling, maintenanceMs: 20 });
  await expect.poll(() => again.sent().length).toBe(3);
  await ask(bench.rpc, 'evm_mine', []);
  await expect.poll(() => again.sent().length).toBe(4);
  // Its higher fee puts it before the second transaction in the block.
  await delegate(bench.rpc, chainId, removed.payer, 'accepts');
  await ask(bench.rpc, 'evm_setAutomine', [true]);
  await ask(bench.rpc, 'evm_mine', []);
  await expect.poll(() => settling.store.find(removed.payment.id)).toMatchObject({ state: 'settled' });
  expect((await merchant()) - before).toBe(2n * price);
});
