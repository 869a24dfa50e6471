import { Transaction } from 'ethers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ask } from '../devnet/deployer.ts';
import type { PaymentRecord } from '../store/store.ts';
import { type Bench, type Settling, startBench } from './settlement-bench.ts';

let bench: Bench;
let settling: Settling;

beforeAll(async () => {
  bench = await startBench();
});
afterAll(() => bench?.stop());
beforeEach(async () => {
  settling = await bench.openSettling();
});
afterEach(async () => {
  bench.node.conduct = () => 'sound';
  await ask(bench.rpc, 'evm_setAutomine', [true]);
  await settling.close();
});

function send({ id, asset }: PaymentRecord, payment: PaymentRecord) {
  return settling.lane.send(id, asset, bench.calldataOf(payment), 150_000n);
}
async function payments(count: number): Promise<PaymentRecord[]> {
  const executed = await Promise.all(Array.from({ length: count }, () => settling.executed()));
  return executed.map(({ payment }) => payment);
}
async function journaled(payment: PaymentRecord) {
  const [transaction] = await settling.store.transactionsOf(payment.id);
  if (transaction === undefined) throw new Error('nothing in the journal');
  return transaction;
}
async function noncesOf(all: readonly PaymentRecord[]): Promise<number[]> {
  return Promise.all(all.map(async (payment) => (await journaled(payment)).relayerNonce));
}

describe('Transactions of one relayer', () => {
  it('leave one after the other, each with the next nonce, without asking the chain for it again', async () => {
    const all = await payments(5);
    bench.node.calls.length = 0;
    const sent = await Promise.all(all.map((payment) => send(payment, payment)));
    expect(sent.every(({ ok }) => ok)).toBe(true);
    expect(await noncesOf(all)).toEqual([0, 1, 2, 3, 4]);
    expect(bench.node.calls.filter((method) => method === 'eth_getTransactionCount')).toHaveLength(1);
  });

  it('are what was asked for: signed by the relayer, to the token, with the gas limit given', async () => {
    const [payment] = (await payments(1)) as [PaymentRecord];
    const sent = await send(payment, payment);
    const { raw, hash, relayer } = await journaled(payment);
    expect(sent).toEqual({ ok: true, value: hash });
    const { from, to, data, gasLimit, chainId, type } = Transaction.from(raw);
    expect([from?.toLowerCase(), to?.toLowerCase()]).toEqual([settling.relayer, payment.asset]);
    expect({ data, gasLimit, chainId, type }).toEqual({
      data: bench.calldataOf(payment),
      gasLimit: 150_000n,
      chainId: 84_532n,
      type: 2,
    });
    expect(relayer).toBe(settling.relayer);
  });

  it('are in the journal before they are on the wire: what cannot be written down is not sent', async () => {
    const [first, second] = (await payments(2)) as [PaymentRecord, PaymentRecord];
    await settling.store.fail(first.id, 'insufficient_funds');
    bench.node.calls.length = 0;
    await expect(send(first, first)).rejects.toThrow();
    expect(bench.node.calls).not.toContain('eth_sendRawTransaction');
    // And the nonce is not lost with it.
    expect(await send(second, second)).toMatchObject({ ok: true });
    expect(await noncesOf([second])).toEqual([0]);
  });
});

describe('A nonce', () => {
  it('of a transaction that the node refused is given to the next one', async () => {
    const [first, second] = (await payments(2)) as [PaymentRecord, PaymentRecord];
    await ask(bench.rpc, 'anvil_setBalance', [settling.relayer, '0x1']);
    expect(await send(first, first)).toMatchObject({ ok: false, fault: { kind: 'refused' } });
    await ask(bench.rpc, 'anvil_setBalance', [settling.relayer, '0xde0b6b3a7640000']);
    expect(await send(second, second)).toMatchObject({ ok: true });
    expect(await noncesOf([first, second])).toEqual([0, 0]);
  });

  it.each([
    ['lost is given to the next one', 'fails', [0, 0]],
    ['taken without an answer is not', 'loses-answer', [0, 1]],
  ] as const)('of a transaction that was %s', async (_name, conduct, nonces) => {
    const [first, second] = (await payments(2)) as [PaymentRecord, PaymentRecord];
    await ask(bench.rpc, 'evm_setAutomine', [false]);
    bench.node.conduct = (method) => (method === 'eth_sendRawTransaction' ? conduct : 'sound');
    expect(await send(first, first)).toMatchObject({ ok: false, fault: { kind: 'unavailable' } });
    bench.node.conduct = () => 'sound';
    expect(await send(second, second)).toMatchObject({ ok: true });
    expect(await noncesOf([first, second])).toEqual(nonces);
  });

  it('is used once the chain has a transaction with it, whichever that is', async () => {
    const [payment] = (await payments(1)) as [PaymentRecord];
    await ask(bench.rpc, 'evm_setAutomine', [false]);
    await send(payment, payment);
    const transaction = await journaled(payment);
    expect(await settling.lane.isNonceUsed(transaction)).toEqual({ ok: true, value: false });
    await ask(bench.rpc, 'evm_mine', []);
    expect(await settling.lane.isNonceUsed(transaction)).toEqual({ ok: true, value: true });
  });
});

describe('Sent again', () => {
  it('a transaction that waits in the pool is content', async () => {
    const [payment] = (await payments(1)) as [PaymentRecord];
    await ask(bench.rpc, 'evm_setAutomine', [false]);
    await send(payment, payment);
    const transaction = await journaled(payment);
    expect(await settling.lane.resend(transaction)).toEqual({ ok: true, value: transaction.hash });
  });

  it('a transaction whose nonce is used is refused', async () => {
    const [payment] = (await payments(1)) as [PaymentRecord];
    await send(payment, payment);
    expect(await settling.lane.resend(await journaled(payment))).toMatchObject({
      fault: { kind: 'refused' },
    });
  });
});

it('A node that cannot be asked for nonce or fees sends nothing and writes nothing down', async () => {
  const [payment] = (await payments(1)) as [PaymentRecord];
  for (const down of ['eth_getTransactionCount', 'eth_getBlockByNumber']) {
    bench.node.conduct = (method) => (method === down ? 'fails' : 'sound');
    expect(await send(payment, payment)).toMatchObject({ ok: false, fault: { kind: 'unavailable' } });
    expect(await settling.store.transactionsOf(payment.id)).toEqual([]);
  }
});
