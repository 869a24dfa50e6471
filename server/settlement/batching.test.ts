import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readMined } from '../chain/chain-view.ts';
import { tracePayment } from '../chain/token-logs.ts';
import { ask } from '../devnet/deployer.ts';
import {
  type Bench,
  type Executed,
  payerFunds,
  price,
  type Settling,
  startBench,
  token,
} from '../testing/settlement/settlement.ts';
import { untilSent } from '../testing/settlement/until-sent.ts';
import { manualClock, systemClock } from '../types/clock.ts';
import type { Bytes32, Hex } from '../types/units.ts';

let bench: Bench;

beforeAll(async () => {
  bench = await startBench();
});
afterAll(() => bench?.stop());
afterEach(async () => {
  bench.node.conduct = () => 'sound';
  bench.node.rewrite = (_method, _body, answer) => answer;
  await ask(bench.rpc, 'evm_setAutomine', [true]);
});

const merchant = () => bench.balanceOf(bench.devnet.payTo);

async function executedMany(settling: Settling, count: number): Promise<readonly Executed[]> {
  const many: Executed[] = [];
  for (let index = 0; index < count; index++) many.push(await settling.executed());
  return many;
}

async function isPaidIn({ payment }: Executed, txHash: Bytes32): Promise<boolean> {
  const mined = await readMined(bench.rpc, txHash);
  if (!mined.ok || mined.value === null) return false;
  return tracePayment(mined.value.logs, { asset: payment.asset, ...payment.authorization }) === 'paid';
}

describe('Many at once', () => {
  it('go in few transactions, and the logs pay each of them', async () => {
    const settling = await bench.openSettling();
    const many = await executedMany(settling, 64);
    const before = await merchant();
    const settlements = await Promise.all(many.map(({ payment }) => settling.settler.settle(payment)));
    const hashes = new Set<string>();
    for (const [index, settlement] of settlements.entries()) {
      const executed = many[index];
      if (settlement.state !== 'settled' || !executed) throw new Error(`not settled but ${settlement.state}`);
      expect(await isPaidIn(executed, settlement.txHash)).toBe(true);
      hashes.add(settlement.txHash);
    }
    expect(hashes.size).toBeLessThanOrEqual(4);
    expect(settling.sent()).toHaveLength(hashes.size);
    expect((await merchant()) - before).toBe(price * 64n);
  });

  it('are settled though one of them cannot pay, and that one alone is refused', async () => {
    const settling = await bench.openSettling();
    const [poor, ...others] = await executedMany(settling, 8);
    if (!poor) throw new Error('no payment');
    const before = await merchant();
    const everything = token.encodeFunctionData('transfer', [`0x${'dd'.repeat(20)}`, payerFunds]) as Hex;
    await bench.sendAsThirdParty(everything, poor.payer.privateKey);
    const [refused, ...settled] = await Promise.all(
      [poor, ...others].map(({ payment }) => settling.settler.settle(payment)),
    );
    expect(refused).toEqual({ state: 'refused', reason: 'insufficient_funds' });
    expect(settled.map(({ state }) => state)).toEqual(Array(7).fill('settled'));
    expect(settling.sent()).toHaveLength(1);
    expect((await merchant()) - before).toBe(price * 7n);
    // The payer who left work unpaid is held back.
    const { asset, authorization } = poor.payment;
    const claim = {
      ...poor.payment,
      authorization: { ...authorization, nonce: `0x${'5a'.repeat(32)}` as Bytes32 },
      asset,
      leaseUntil: systemClock.nowSeconds(),
    };
    const reading = { balance: payerFunds, block: 1, readAt: systemClock.nowSeconds() };
    expect(await settling.store.reserve(claim, reading, systemClock.nowSeconds())).toMatchObject({
      kind: 'blocked',
    });
  });

  it('are claimed again after the chain did not answer when they were claimed first', async () => {
    const settling = await bench.openSettling({ settlementWaitMs: 60 });
    const many = await executedMany(settling, 3);
    bench.node.conduct = (method) => (method === 'eth_getTransactionCount' ? 'fails' : 'sound');
    const waited = await Promise.all(many.map(({ payment }) => settling.settler.settle(payment)));
    expect(waited.map(({ state }) => state)).toEqual(['unknown', 'unknown', 'unknown']);
    bench.node.conduct = () => 'sound';
    for (const { payment } of many) {
      await expect.poll(() => settling.settler.settle(payment)).toMatchObject({ state: 'settled' });
    }
  });
});

describe('A stuck transaction', () => {
  it('is replaced at fees at least an eighth higher under the same nonce, and one of them counts', async () => {
    const settling = await bench.openSettling({ settlementWaitMs: 60, limits: { stuckMs: 80 } });
    const executed = await settling.executed();
    const before = await merchant();
    await ask(bench.rpc, 'evm_setAutomine', [false]);
    expect(await settling.settler.settle(executed.payment)).toEqual({ state: 'unknown' });
    await expect.poll(() => settling.sent().length).toBeGreaterThanOrEqual(2);
    const [first, second] = settling.sent();
    expect(second?.nonce).toBe(first?.nonce);
    for (const fee of ['maxFeePerGas', 'maxPriorityFeePerGas'] as const) {
      expect(Number(second?.[fee])).toBeGreaterThanOrEqual(Number(first?.[fee]) * 1.125);
    }
    await ask(bench.rpc, 'evm_setAutomine', [true]);
    await ask(bench.rpc, 'evm_mine', []);
    await expect.poll(() => settling.settler.settle(executed.payment)).toMatchObject({ state: 'settled' });
    expect((await merchant()) - before).toBe(price);
    expect(await settling.store.openNonces(settling.relayer)).toEqual([]);
  });
});

describe('A relayer nonce', () => {
  it('that somebody else used is lost: the payment goes under the next one, once', async () => {
    const settling = await bench.openSettling({ settlementWaitMs: 60 });
    const executed = await settling.executed();
    const before = await merchant();
    // The node takes nothing, so that the other transaction has the nonce first.
    bench.node.conduct = (method) => (method === 'eth_sendRawTransaction' ? 'fails' : 'sound');
    expect(await settling.settler.settle(executed.payment)).toEqual({ state: 'unknown' });
    await untilSent(settling, executed);
    const nothing = token.encodeFunctionData('transfer', [`0x${'dd'.repeat(20)}`, 0n]) as Hex;
    await bench.sendAsThirdParty(nothing, settling.relayerKey);
    bench.node.conduct = () => 'sound';
    await expect.poll(() => settling.settler.settle(executed.payment)).toMatchObject({ state: 'settled' });
    expect(settling.sent().map(({ nonce }) => nonce)).toEqual([0, 1]);
    expect((await merchant()) - before).toBe(price);
  });

  it('that a node names wrongly again and again leaves a gap: the payment goes under the right one, once', async () => {
    const settling = await bench.openSettling({ settlementWaitMs: 60 });
    const executed = await settling.executed();
    const before = await merchant();
    bench.node.rewrite = (method, _body, answer) =>
      method === 'eth_getTransactionCount' && settling.sent().length === 0
        ? withResult(answer, '0x3')
        : answer;
    await expect.poll(() => settling.settler.settle(executed.payment)).toMatchObject({ state: 'settled' });
    expect(settling.sent().map(({ nonce }) => nonce)).toEqual([3, 0]);
    expect((await merchant()) - before).toBe(price);
    expect(await settling.store.openNonces(settling.relayer)).toEqual([]);
    // The first transaction lies with the node yet, and is mined when its turn comes: nobody pays for it.
    for (const { payment } of await executedMany(settling, 5)) {
      await expect.poll(() => settling.settler.settle(payment)).toMatchObject({ state: 'settled' });
    }
    expect((await merchant()) - before).toBe(price * 6n);
    expect(await settling.store.openNonces(settling.relayer)).toEqual([]);
  });

  it('that a node names once and never again is not used: it would leave a gap', async () => {
    const settling = await bench.openSettling();
    const executed = await settling.executed();
    let told = 0;
    bench.node.rewrite = (method, _body, answer) =>
      method === 'eth_getTransactionCount' && told++ === 0 ? withResult(answer, '0x2710') : answer;
    expect(await settling.settler.settle(executed.payment)).toMatchObject({ state: 'settled' });
    expect(settling.sent().map(({ nonce }) => nonce)).toEqual([0]);
  });
});

function withResult(answer: string, result: unknown): string {
  return JSON.stringify({ ...JSON.parse(answer), result });
}

/** The node answers some calls with what it knew before. */
describe('A node that lags', () => {
  it('with the logs of a receipt leads to no refusal and no second transaction', async () => {
    const settling = await bench.openSettling({ settlementWaitMs: 200 });
    const executed = await settling.executed();
    const before = await merchant();
    bench.node.rewrite = (method, _body, answer) => {
      const { result } = JSON.parse(answer) as { result?: object | null };
      return method === 'eth_getTransactionReceipt' && result
        ? withResult(answer, { ...result, logs: [] })
        : answer;
    };
    expect(await settling.settler.settle(executed.payment)).toEqual({ state: 'unknown' });
    bench.node.rewrite = (_method, _body, answer) => answer;
    await expect.poll(() => settling.settler.settle(executed.payment)).toMatchObject({ state: 'settled' });
    expect(settling.sent()).toHaveLength(1);
    expect((await merchant()) - before).toBe(price);
  });

  it('once with everything that speaks for a payment makes nobody poor and sends nothing twice', async () => {
    const settling = await bench.openSettling();
    const executed = await settling.executed();
    const state = token.getFunction('authorizationState')?.selector.slice(2) ?? '';
    let [receipts, states] = [0, 0];
    bench.node.rewrite = (method, body, answer) => {
      const { result } = JSON.parse(answer) as { result?: object | null };
      // The logs stay away until the nonce was asked about: how often a receipt is read in between is not told.
      if (method === 'eth_getTransactionReceipt' && result && states === 0) {
        receipts++;
        return withResult(answer, { ...result, logs: [] });
      }
      const isLie = receipts > 0 && body.includes(state) && states++ === 0;
      return isLie ? withResult(answer, `0x${'0'.repeat(64)}`) : answer;
    };
    expect(await settling.settler.settle(executed.payment)).toMatchObject({ state: 'settled' });
    expect(states).toBeGreaterThan(0);
    expect(settling.sent()).toHaveLength(1);
  });

  it('in a receipt with a block number from nowhere does not settle with it', async () => {
    const settling = await bench.openSettling();
    const executed = await settling.executed();
    let told = 0;
    bench.node.rewrite = (method, _body, answer) => {
      const { result } = JSON.parse(answer) as { result?: object | null };
      return method === 'eth_getTransactionReceipt' && result && told++ === 0
        ? withResult(answer, { ...result, blockNumber: '0x1fffffffffffff' })
        : answer;
    };
    expect(await settling.settler.settle(executed.payment)).toMatchObject({ state: 'settled' });
    const [inclusion] = await settling.store.settledInclusions(1);
    expect(inclusion?.block).toBeLessThan(100_000);
  });

  it('with its time holds a payment until the chain is past validAfter, not only we', async () => {
    const ahead = manualClock(systemClock.nowSeconds() + 30);
    const settling = await bench.openSettling({ clock: ahead, settlementWaitMs: 100 });
    const executed = await settling.executed({ validAfter: BigInt(ahead.nowSeconds() - 5) });
    expect(await settling.settler.settle(executed.payment)).toEqual({ state: 'unknown' });
    expect(settling.sent()).toEqual([]);
    await ask(bench.rpc, 'evm_increaseTime', [40]);
    await ask(bench.rpc, 'evm_mine', []);
    await expect.poll(() => settling.settler.settle(executed.payment)).toMatchObject({ state: 'settled' });
    expect(settling.sent()).toHaveLength(1);
  });
});
