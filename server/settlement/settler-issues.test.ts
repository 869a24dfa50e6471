import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ask } from '../devnet/deployer.ts';
import { startTestFacilitator, type TestFacilitator } from '../testing/facilitator/fake-facilitator.ts';
import { type Bench, startBench } from '../testing/settlement/settlement.ts';
import { type Clock, manualClock, systemClock } from '../types/clock.ts';

let bench: Bench;

beforeAll(async () => {
  bench = await startBench();
});
afterAll(() => bench?.stop());
afterEach(() => {
  bench.node.conduct = () => 'sound';
  bench.node.rewrite = (_method, _body, response) => response;
});

async function mineAt(baseFeeGwei: number): Promise<void> {
  await ask(bench.rpc, 'anvil_setNextBlockBaseFeePerGas', [`0x${(baseFeeGwei * 1e9).toString(16)}`]);
  await ask(bench.rpc, 'evm_mine', []);
}

describe('D-143: the health reports', () => {
  // The settings of this test allow 50 gwei.
  it.each([
    [44, null],
    [
      45,
      /^the base fee is 45 gwei, and may be an eighth more in the next block; feeGweiMax \(FEE_GWEI_MAX\) is 50/,
    ],
    [80, /^the base fee is 80 gwei/],
    [1, null],
  ])('a base fee of %i gwei, if it is too high', async (gwei, issue) => {
    const { settler } = await bench.openSettling();
    await mineAt(gwei);
    const found = await settler.healthIssue();
    if (issue === null) expect(found).toBeNull();
    else expect(found).toMatch(issue);
    await mineAt(1);
  });

  it('an endpoint that serves another chain since the start', async () => {
    const { settler } = await bench.openSettling();
    expect(await settler.healthIssue()).toBeNull();
    bench.node.rewrite = (method, _body, response) =>
      method === 'eth_chainId' ? JSON.stringify({ ...JSON.parse(response), result: '0x1' }) : response;
    expect(await settler.healthIssue()).toMatch(
      /^the RPC endpoint serves chain 1, but chain \d+ is configured$/,
    );
  });

  it('no obstacle of a payment that has ended', async () => {
    const { settler, store, executed } = await bench.openSettling({ settlementWaitMs: 60 });
    const { payment } = await executed();
    bench.node.conduct = (method) => (method === 'eth_getTransactionCount' ? 'fails' : 'sound');
    expect(await settler.settle(payment)).toEqual({ state: 'unknown' });
    await expect.poll(() => settler.healthIssue()).toBe('the chain does not answer');
    await store.fail(payment.id, 'authorization_canceled', null);
    await expect.poll(() => settler.healthIssue()).toBeNull();
  });
});

describe.each(['a relayer key', 'a facilitator'])('D-166: with %s, new payments stop', (by) => {
  let facilitator: TestFacilitator;
  beforeAll(async () => {
    facilitator = await startTestFacilitator(bench.devnet);
  });
  afterAll(() => facilitator?.close());

  async function openWith(clock: Clock) {
    const headTime = { ageMaxSeconds: 60, aheadMaxSeconds: 30 };
    const through = by === 'a facilitator' && { through: { url: facilitator.url } };
    const { settler } = await bench.openSettling({ clock, headTime, ...through });
    return { settler, saleIssue: () => settler.saleIssue?.() ?? settler.healthIssue() };
  }

  it.each([
    [61, /^the newest block is \d+ s old/],
    [-90, /^the newest block is \d+ s ahead/],
  ])('while the chain is %i s behind the clock, and the gateway is not ready', async (seconds, issue) => {
    await mineAt(1);
    const clock = manualClock(systemClock.nowSeconds());
    const { settler, saleIssue } = await openWith(clock);
    expect([await settler.healthIssue(), await saleIssue()]).toEqual([null, null]);
    clock.step(seconds);
    expect(await settler.healthIssue()).toMatch(issue);
    bench.node.calls.length = 0;
    expect(await saleIssue()).toMatch(issue);
    const heads = bench.node.calls.filter((method) => method === 'eth_getBlockByNumber');
    expect(heads, 'one reading of the newest block').toHaveLength(1);
    clock.step(-seconds);
    expect([await settler.healthIssue(), await saleIssue()]).toEqual([null, null]);
  });
});
