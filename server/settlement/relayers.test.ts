import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { batchGasLimit, singleGas } from '../chain/transfer-batch.ts';
import { ask } from '../devnet/deployer.ts';
import {
  type Bench,
  type Executed,
  price,
  type Settling,
  startBench,
} from '../testing/settlement/settlement.ts';
import { systemClock } from '../types/clock.ts';
import { pause } from '../types/signal.ts';
import type { Address } from '../types/units.ts';

// Several relayers, each with a worker of its own, over one store (D-60).

let bench: Bench;

beforeAll(async () => {
  bench = await startBench();
});
afterAll(() => bench?.stop());
afterEach(() => {
  bench.node.conduct = () => 'sound';
});

const ether = 10n ** 18n;
const merchant = () => bench.balanceOf(bench.devnet.payTo);

async function executedMany(settling: Settling, count: number): Promise<readonly Executed[]> {
  const many: Executed[] = [];
  for (let index = 0; index < count; index++) many.push(await settling.executed());
  return many;
}

function settleAll({ settler }: Settling, many: readonly Executed[]) {
  return Promise.all(many.map(({ payment }) => settler.settle(payment)));
}

async function fund(relayer: Address, wei: bigint): Promise<void> {
  await ask(bench.rpc, 'anvil_setBalance', [relayer, `0x${wei.toString(16)}`]);
}

function listAddresses({ relayers }: Settling): readonly [Address, Address] {
  const [first, second] = relayers;
  if (!first || !second) throw new Error('not two relayers');
  return [first.address, second.address];
}

it('Two relayers settle at the same time, and every payment is paid once', async () => {
  const settling = await bench.openSettling({ gasFundsOfOthers: [ether], limits: { batchMax: 2 } });
  const before = await merchant();
  const many = await executedMany(settling, 12);
  const settlements = await settleAll(settling, many);
  expect(new Set(settlements.map(({ state }) => state))).toEqual(new Set(['settled']));
  expect((await merchant()) - before).toBe(price * 12n);
  for (const address of listAddresses(settling)) {
    const nonces = settling.sent(address).map(({ nonce }) => nonce);
    expect(nonces.length).toBeGreaterThan(0);
    expect(nonces).toEqual(nonces.map((_, index) => index));
  }
});

describe.each(['first', 'second'] as const)('Of two relayers the %s has no ether', (which) => {
  const funds = which === 'first' ? [0n, ether] : [ether, 0n];
  const open = (settlementWaitMs = 5_000) =>
    bench.openSettling({ gasFunds: funds[0] ?? 0n, gasFundsOfOthers: funds.slice(1), settlementWaitMs });
  const findPoor = (settling: Settling) => listAddresses(settling)[which === 'first' ? 0 : 1];

  it('all payments settle through the other, and the warning names the relayer without ether', async () => {
    const settling = await open();
    await expect.poll(() => settling.settler.healthIssue()).toBeNull();
    await expect
      .poll(() => settling.settler.warning?.())
      .toBe(`the relayer ${findPoor(settling)} has too little ether for gas`);
    const before = await merchant();
    const many = await executedMany(settling, 6);
    for (const executed of many)
      expect(await settleAll(settling, [executed])).toMatchObject([{ state: 'settled' }]);
    expect(settling.sent(findPoor(settling))).toEqual([]);
    expect((await merchant()) - before).toBe(price * 6n);
  });

  it('the relayer settles again when it has ether', async () => {
    const settling = await open();
    const [poor, rich] = [
      findPoor(settling),
      listAddresses(settling).find((each) => each !== findPoor(settling)),
    ];
    if (!rich) throw new Error('no other relayer');
    await fund(rich, 0n);
    await fund(poor, ether);
    const executed = await settling.executed();
    await expect.poll(() => settling.settler.settle(executed.payment)).toMatchObject({ state: 'settled' });
    expect(settling.sent(poor)).toHaveLength(1);
    await expect.poll(() => settling.settler.warning?.()).toContain(rich);
  });
});

describe('When no relayer has ether', () => {
  it('payments wait as pending, and settle once when a relayer gets ether', async () => {
    const settling = await bench.openSettling({
      gasFunds: 0n,
      gasFundsOfOthers: [0n],
      settlementWaitMs: 150,
    });
    const [first, second] = listAddresses(settling);
    const before = await merchant();
    const many = await executedMany(settling, 3);
    await expect
      .poll(() => settling.settler.healthIssue())
      .toBe(
        `the relayer ${first} has too little ether for gas; the relayer ${second} has too little ether for gas`,
      );
    expect(await settleAll(settling, many)).toEqual(Array(3).fill({ state: 'unknown' }));
    for (const { payment } of many)
      expect(await settling.store.find(payment.id)).toMatchObject({ state: 'executed' });
    expect([...settling.sent(first), ...settling.sent(second)]).toEqual([]);
    await fund(second, ether);
    for (const { payment } of many) {
      await expect.poll(() => settling.settler.settle(payment)).toMatchObject({ state: 'settled' });
    }
    expect((await merchant()) - before).toBe(price * 3n);
    await expect.poll(() => settling.settler.healthIssue()).toBeNull();
  });

  it('an expired payment is still refused, and the others wait', async () => {
    const settling = await bench.openSettling({ gasFunds: 0n, gasFundsOfOthers: [0n] });
    const waiting = await settling.executed();
    const late = await settling.executed({ validBefore: BigInt(systemClock.nowSeconds()) - 1n });
    expect(await settling.settler.settle(late.payment)).toEqual({
      state: 'refused',
      reason: 'payment_expired',
    });
    expect(await settling.store.find(waiting.payment.id)).toMatchObject({ state: 'executed' });
  });
});

describe('A relayer with ether for some payments only', () => {
  it('settles that many, and leaves the others', async () => {
    const settling = await bench.openSettling({ gasFunds: 0n });
    const many = await executedMany(settling, 4);
    const settled = settleAll(settling, many);
    const block = await ask<{ baseFeePerGas: string }>(bench.rpc, 'eth_getBlockByNumber', ['latest', false]);
    // At this fee a batch of two needs 300,000 units of gas, and one of four 540,000.
    const feePerGas = 2n * BigInt(block.baseFeePerGas) + 10_000_000n;
    await fund(settling.relayer, 400_000n * feePerGas);
    expect((await settled).map(({ state }) => state)).toEqual(Array(4).fill('settled'));
    expect(settling.sent().length).toBeGreaterThanOrEqual(2);
  });
});

describe('A node that demands more ether than the gas costs, as a rollup does', () => {
  /** Lets the node accept transactions of at most so many payments, as if the ether covered no more. */
  function acceptAtMost(payments: number, settling: Settling): void {
    bench.node.conduct = (method, body) => {
      const sent = settling.sent().find(({ serialized }) => body.includes(serialized));
      const isLarge = sent !== undefined && sent.gasLimit > batchGasLimit(payments);
      return method === 'eth_sendRawTransaction' && isLarge ? 'wants-ether' : 'sound';
    };
  }

  it.each([
    [2, [8, 4, 2]],
    [1, [8, 4, 2, 1]],
  ])(
    'settles at most %i payments in a transaction, at once and without a health issue (D-60)',
    async (payments, first) => {
      // A pause would exceed the waiting time of the settlements.
      const settling = await bench.openSettling({ limits: { resendMs: 600_000 } });
      acceptAtMost(payments, settling);
      const before = await merchant();
      const many = await executedMany(settling, 8);
      const issues = new Set<string | null>();
      const settled = settleAll(settling, many);
      const isEnded = settled.then(() => true);
      while (!(await Promise.race([isEnded, pause(20, AbortSignal.timeout(1_000)).then(() => false)])))
        issues.add(await settling.settler.healthIssue());
      expect((await settled).map(({ state }) => state)).toEqual(Array(8).fill('settled'));
      expect((await merchant()) - before).toBe(price * 8n);
      const limits = settling.sent().map(({ gasLimit }) => gasLimit);
      expect(limits.slice(0, first.length)).toEqual(
        first.map((count) => (count === 1 ? singleGas : batchGasLimit(count))),
      );
      expect(issues).toEqual(new Set([null]));
    },
  );

  it('sends as many payments as before once the relayer has more ether (D-60)', async () => {
    const settling = await bench.openSettling();
    acceptAtMost(1, settling);
    const few = await settleAll(settling, await executedMany(settling, 4));
    expect(few.map(({ state }) => state)).toEqual(Array(4).fill('settled'));
    bench.node.conduct = () => 'sound';
    for (let round = 0; round < 3; round++) await settleAll(settling, await executedMany(settling, 1));
    await settleAll(settling, await executedMany(settling, 8));
    expect(settling.sent().at(-1)?.gasLimit).toBe(batchGasLimit(8));
  });

  it('reports a relayer whose ether covers not one payment, until nodes accept a transaction (D-60)', async () => {
    const settling = await bench.openSettling({ settlementWaitMs: 150, limits: { resendMs: 1 } });
    bench.node.conduct = (method) => (method === 'eth_sendRawTransaction' ? 'wants-ether' : 'sound');
    const [first] = await executedMany(settling, 1);
    if (!first) throw new Error('no payment');
    expect(await settling.settler.settle(first.payment)).toEqual({ state: 'unknown' });
    const issue = `the relayer ${settling.relayer} has too little ether for gas`;
    const sent = settling.sent().length;
    // No gap between two tries sells anything.
    while (settling.sent().length < sent + 4) expect(await settling.settler.healthIssue()).toContain(issue);
    bench.node.conduct = () => 'sound';
    await expect.poll(() => settling.settler.settle(first.payment)).toMatchObject({ state: 'settled' });
    expect(await settling.settler.healthIssue()).toBeNull();
  });

  it('causes no loss: payments that a poor relayer signed settle through the other relayer', async () => {
    const settling = await bench.openSettling({ gasFundsOfOthers: [ether] });
    const [poor, rich] = listAddresses(settling);
    bench.node.conduct = (method, body) =>
      method === 'eth_sendRawTransaction' &&
      settling.sent(poor).some(({ serialized }) => body.includes(serialized))
        ? 'wants-ether'
        : 'sound';
    const before = await merchant();
    const many = await executedMany(settling, 6);
    for (const executed of many)
      expect(await settleAll(settling, [executed])).toMatchObject([{ state: 'settled' }]);
    expect(settling.sent(rich).length).toBeGreaterThan(0);
    expect((await merchant()) - before).toBe(price * 6n);
    // The poor relayer still follows its own transaction. With ether it is mined, and moves nothing again.
    bench.node.conduct = () => 'sound';
    await expect.poll(() => settling.store.openNonces(poor)).toEqual([]);
    expect((await merchant()) - before).toBe(price * 6n);
  });
});
