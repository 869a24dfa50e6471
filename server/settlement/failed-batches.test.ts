import { Transaction } from 'ethers';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { signTransaction } from '../chain/transaction.ts';
import { ask } from '../devnet/deployer.ts';
import { delegate, guardedTokenCode } from '../testing/chain/guarded-token.ts';
import {
  type Bench,
  type Executed,
  price,
  type Settling,
  startBench,
} from '../testing/settlement/settlement.ts';
import type { Hex } from '../types/units.ts';

// A payment is refused for its own failures only (D-135).

let bench: Bench;
beforeAll(async () => {
  bench = await startBench('pruned', guardedTokenCode);
});
afterAll(() => bench?.stop());
afterEach(async () => {
  bench.node.reword = (_method, body) => body;
  bench.node.rewrite = (_method, _body, response) => response;
  await ask(bench.rpc, 'evm_setAutomine', [true]);
});

async function executedMany(settling: Settling, count: number): Promise<readonly Executed[]> {
  const many: Executed[] = [];
  for (let index = 0; index < count; index++) many.push(await settling.executed());
  return many;
}

it('Batches that the chain undoes as a whole get smaller until they succeed, and every payment settles', async () => {
  const settling = await bench.openSettling({ limits: { noncesMax: 1 } });
  const many = await executedMany(settling, 8);
  const before = await bench.balanceOf(bench.devnet.payTo);
  const undone = undoBatches(settling, 3);
  const settlements = await Promise.all(many.map(({ payment }) => settling.settler.settle(payment)));
  expect(settlements.map(({ state }) => state)).toEqual(Array(8).fill('settled'));
  expect((await bench.balanceOf(bench.devnet.payTo)) - before).toBe(price * 8n);
  // Batches of eight, four and two are undone. A single payment calls the token directly.
  expect(undone()).toBe(3);
  expect(settling.sent()[3]?.to?.toLowerCase()).toBe(bench.devnet.token.address);
});

it('The payments of an undone batch are sent again at once, also by a worker that waits for work', async () => {
  const settling = await bench.openSettling({ limits: { batchMax: 8, idleMs: 60_000 } });
  const many = await executedMany(settling, 8);
  const before = await bench.balanceOf(bench.devnet.payTo);
  const undone = undoBatches(settling, 1);
  await ask(bench.rpc, 'evm_setAutomine', [false]);
  const settled = Promise.all(many.map(({ payment }) => settling.settler.settle(payment)));
  await expect.poll(undone).toBe(1);
  await ask(bench.rpc, 'evm_setAutomine', [true]);
  await ask(bench.rpc, 'evm_mine', []);
  expect((await settled).map(({ state }) => state)).toEqual(Array(8).fill('settled'));
  expect((await bench.balanceOf(bench.devnet.payTo)) - before).toBe(price * 8n);
});

it('A payment that failed in one transaction and succeeds in the next is settled, and its payer pays once', async () => {
  const settling = await bench.openSettling();
  const executed = await settling.executed();
  const { chainId } = bench.devnet;
  await delegate(bench.rpc, chainId, executed.payer, 'revertsInTransactions');
  const before = await bench.balanceOf(bench.devnet.payTo);
  await ask(bench.rpc, 'evm_setAutomine', [false]);
  const settled = settling.settler.settle(executed.payment);
  await expect.poll(() => settling.sent().length).toBe(1);
  await ask(bench.rpc, 'evm_mine', []);
  await expect.poll(() => settling.sent().length).toBe(2);
  // Its higher fee puts it before the second transaction in the block.
  await delegate(bench.rpc, chainId, executed.payer, 'accepts');
  await ask(bench.rpc, 'evm_setAutomine', [true]);
  await ask(bench.rpc, 'evm_mine', []);
  expect(await settled).toMatchObject({ state: 'settled' });
  expect((await bench.balanceOf(bench.devnet.payTo)) - before).toBe(price);
});

/**
 * Replaces the first batches by a reverting transaction of the same relayer nonce, under the hash that the
 * settler knows. Returns a function that counts the replacements.
 */
function undoBatches({ relayerKey }: Settling, count: number): () => number {
  const known = new Map<string, string>();
  bench.node.reword = (method, body) => {
    const call = JSON.parse(body) as { params: string[] };
    const [first = ''] = call.params;
    if (method === 'eth_getTransactionReceipt' && known.has(first))
      return JSON.stringify({ ...call, params: [known.get(first)] });
    if (method !== 'eth_sendRawTransaction') return body;
    const sent = Transaction.from(first);
    const isKnown = known.has(sent.hash ?? '');
    if (sent.to !== null || (!isKnown && known.size === count)) return body;
    const reverting = signTransaction(relayerKey, {
      chainId: Number(sent.chainId),
      nonce: sent.nonce,
      to: null,
      data: '0x5f5ffd' as Hex,
      gasLimit: 100_000n,
      maxFeePerGas: sent.maxFeePerGas ?? 0n,
      maxPriorityFeePerGas: sent.maxPriorityFeePerGas ?? 0n,
    });
    known.set(sent.hash ?? '', reverting.hash);
    return JSON.stringify({ ...call, params: [reverting.raw] });
  };
  bench.node.rewrite = (method, _body, response) => {
    if (method !== 'eth_getTransactionReceipt') return response;
    let text = response;
    for (const [asked, real] of known) text = text.replaceAll(real, asked);
    return text;
  };
  return () => known.size;
}
