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
  bench.node.rewrite = (_method, _body, response) => response;
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

describe('Many payments at once', () => {
  it('share few transactions, and the logs show each payment', async () => {
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

  it('are settled although one payer cannot pay, and only that payment is refused', async () => {
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
    // The payer with an unpaid inference cannot buy.
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

  it('are claimed again after an outage of the chain at the first claim', async () => {
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
  it('is replaced under the same nonce at fees at least an eighth higher, and one transaction counts', async () => {
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
  it('of a foreign transaction is lost: the payment goes under the next nonce, once', async () => {
    const settling = await bench.openSettling({ settlementWaitMs: 60 });
    const executed = await settling.executed();
    const before = await merchant();
    // The node rejects every send, so that the other transaction gets the nonce first.
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

  it('that a node reports wrongly twice leaves a gap: the payment goes under the right nonce, once', async () => {
    const settling = await bench.openSettling({ settlementWaitMs: 60 });
    const executed = await settling.executed();
    const before = await merchant();
    bench.node.rewrite = (method, _body, response) =>
      method === 'eth_getTransactionCount' && settling.sent().length === 0
        ? withResult(response, '0x3')
        : response;
    await expect.poll(() => settling.settler.settle(executed.payment)).toMatchObject({ state: 'settled' });
    expect(settling.sent().map(({ nonce }) => nonce)).toEqual([3, 0]);
    expect((await merchant()) - before).toBe(price);
    expect(await settling.store.openNonces(settling.relayer)).toEqual([]);
    // The node still has the first transaction, and mines it later. The transaction moves nothing.
    for (const { payment } of await executedMany(settling, 5)) {
      await expect.poll(() => settling.settler.settle(payment)).toMatchObject({ state: 'settled' });
    }
    expect((await merchant()) - before).toBe(price * 6n);
    expect(await settling.store.openNonces(settling.relayer)).toEqual([]);
  });

  it('that a node reports wrongly once is not used, because it would leave a gap', async () => {
    const settling = await bench.openSettling();
    const executed = await settling.executed();
    let told = 0;
    bench.node.rewrite = (method, _body, response) =>
      method === 'eth_getTransactionCount' && told++ === 0 ? withResult(response, '0x2710') : response;
    expect(await settling.settler.settle(executed.payment)).toMatchObject({ state: 'settled' });
    expect(settling.sent().map(({ nonce }) => nonce)).toEqual([0]);
  });
});

function withResult(response: string, result: unknown): string {
  return JSON.stringify({ ...JSON.parse(response), result });
}

/** The node answers some calls with an older state. */
describe('A node that lags', () => {
  it('behind the logs of a receipt causes no refusal and no second transaction', async () => {
    const settling = await bench.openSettling({ settlementWaitMs: 200 });
    const executed = await settling.executed();
    const before = await merchant();
    bench.node.rewrite = (method, _body, response) => {
      const { result } = JSON.parse(response) as { result?: object | null };
      return method === 'eth_getTransactionReceipt' && result
        ? withResult(response, { ...result, logs: [] })
        : response;
    };
    // The logs of the block show the payment (D-207).
    await expect.poll(() => settling.settler.settle(executed.payment)).toMatchObject({ state: 'settled' });
    bench.node.rewrite = (_method, _body, response) => response;
    expect(settling.sent()).toHaveLength(1);
    expect((await merchant()) - before).toBe(price);
  });

  it('once with every reading of a payment causes no refusal and no second transaction', async () => {
    const settling = await bench.openSettling();
    const executed = await settling.executed();
    const state = token.getFunction('authorizationState')?.selector.slice(2) ?? '';
    let [receipts, states] = [0, 0];
    bench.node.rewrite = (method, body, response) => {
      const { result } = JSON.parse(response) as { result?: object | null };
      // The logs are missing until the nonce was read, however often the receipt is read before.
      if (method === 'eth_getTransactionReceipt' && result && states === 0) {
        receipts++;
        return withResult(response, { ...result, logs: [] });
      }
      const isLie = receipts > 0 && body.includes(state) && states++ === 0;
      return isLie ? withResult(response, `0x${'0'.repeat(64)}`) : response;
    };
    expect(await settling.settler.settle(executed.payment)).toMatchObject({ state: 'settled' });
    expect(states).toBeGreaterThan(0);
    expect(settling.sent()).toHaveLength(1);
  });

  it('does not settle a payment in a block with an impossible number', async () => {
    const settling = await bench.openSettling();
    const executed = await settling.executed();
    let told = 0;
    bench.node.rewrite = (method, _body, response) => {
      const { result } = JSON.parse(response) as { result?: object | null };
      return method === 'eth_getTransactionReceipt' && result && told++ === 0
        ? withResult(response, { ...result, blockNumber: '0x1fffffffffffff' })
        : response;
    };
    expect(await settling.settler.settle(executed.payment)).toMatchObject({ state: 'settled' });
    const [inclusion] = await settling.store.recentInclusions(0, 1);
    expect(inclusion?.block).toBeLessThan(100_000);
  });

  it('behind our clock makes a payment wait until the chain has passed validAfter', async () => {
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
