import { describe, expect, it } from 'vitest';
import { ask } from '../../devnet/deployer.ts';
import type { FacilitatorConduct } from '../../testing/facilitator/fake-facilitator.ts';
import { patience, settled, useFacilitator } from '../../testing/settlement/facilitator.ts';
import { type Executed, price } from '../../testing/settlement/settlement.ts';
import { manualClock, systemClock } from '../../types/clock.ts';

// A failure of a facilitator says nothing about a payment, and no payment is lost when a process ends (D-24,
// D-55).

const scene = useFacilitator();
const { open, onSettle, merchant, settlesAsked, settlesInTheEnd } = scene;

describe.each<FacilitatorConduct>(['hangs', 'fails', 'babbles'])('A facilitator that %s', (conduct) => {
  it('leaves a payment unknown, and settles it once when it works again', async () => {
    const settling = await open({ settlementWaitMs: 600, through: { settleTimeoutMs: 150 } });
    const [executed, before] = [await settling.executed(), await merchant()];
    onSettle(conduct);
    expect(await settling.settler.settle(executed.payment)).toEqual({ state: 'unknown' });
    await expect.poll(settlesAsked, patience).toBeGreaterThan(1);
    expect(await settling.store.find(executed.payment.id)).toMatchObject({ state: 'executed' });
    onSettle('sound');
    await settlesInTheEnd(settling, executed);
    expect((await merchant()) - before).toBe(price);
  });

  it('makes verify unavailable, which says nothing about the payment, and is reported', async () => {
    const settling = await open({ through: { verifyTimeoutMs: 1_000 } });
    const { payment } = await settling.executed();
    expect(await settling.settler.healthIssue()).toBeNull();
    scene.facilitator.conduct = () => conduct;
    expect(await settling.settler.verify(payment)).toEqual({ kind: 'unavailable' });
    expect(await settling.settler.healthIssue()).toMatch(/^the facilitator does not answer: /);
    scene.facilitator.conduct = () => 'sound';
    expect(await settling.settler.verify(payment)).toEqual({ kind: 'acceptable' });
    expect(await settling.settler.healthIssue()).toBeNull();
  });
});

describe.each<FacilitatorConduct>(['hangs', 'fails', 'babbles'])(
  'A facilitator of which one path %s',
  (conduct) => {
    it('is reported when /verify does so for three payers, until /verify responds (D-56)', async () => {
      const { executed, settler } = await open({ through: { verifyTimeoutMs: 200 } });
      const payments = [(await executed()).payment, (await executed()).payment, (await executed()).payment];
      scene.facilitator.conduct = (path) => (path === 'verify' ? conduct : 'sound');
      const verify = () => Promise.all(payments.map((payment) => settler.verify(payment)));
      expect(await verify()).toEqual(Array(3).fill({ kind: 'unavailable' }));
      expect(await settler.healthIssue()).toMatch(/^the facilitator verifies nothing: /);
      scene.facilitator.conduct = () => 'sound';
      expect(await verify()).toEqual(Array(3).fill({ kind: 'acceptable' }));
      expect(await settler.healthIssue()).toBeNull();
    });

    it('is healthy with a warning when /supported does so while /verify responds (D-57)', async () => {
      const { executed, settler } = await open({ through: { verifyTimeoutMs: 1_000 } });
      const { payment } = await executed();
      expect(await settler.verify(payment)).toEqual({ kind: 'acceptable' });
      scene.facilitator.conduct = (path) => (path === 'supported' ? conduct : 'sound');
      expect(await settler.healthIssue()).toBeNull();
      expect(await settler.warning?.()).toMatch(/^the facilitator does not answer: /);
      expect(await settler.verify(payment)).toEqual({ kind: 'acceptable' });
    });
  },
);

describe.each<FacilitatorConduct>(['settles-and-hangs', 'settles-and-fails'])(
  'A facilitator that %s',
  (conduct) => {
    it('has settled: the payment is found on the chain, without a second transaction', async () => {
      const settling = await open({ through: { settleTimeoutMs: 500 } });
      const [executed, before] = [await settling.executed(), await merchant()];
      onSettle(conduct);
      await settlesInTheEnd(settling, executed);
      expect(scene.facilitator.sent).toHaveLength(1);
      expect((await merchant()) - before).toBe(price);
    });

    it('has settled: the payment is found before a response when the operator accepts third parties (D-138)', async () => {
      const through = { settleTimeoutMs: 60_000 };
      const settling = await open({ through, acceptThirdPartySenders: true });
      const executed = await settling.executed();
      onSettle(conduct);
      await settlesInTheEnd(settling, executed);
      expect(scene.facilitator.sent).toHaveLength(1);
    });
  },
);

describe('A payment that the facilitator settled, and whose window ended while the node shows no logs', () => {
  it('waits without debt, and settles once the node shows them (D-406)', async () => {
    const settling = await open({ settlementWaitMs: 100, through: { settleTimeoutMs: 200 } });
    const { node, rpc } = scene.bench;
    const validBefore = BigInt(systemClock.nowSeconds()) + 600n;
    const { payment, payer } = await settling.executed({ validBefore });
    const settle = async () => settling.settler.settle((await settling.store.find(payment.id)) ?? payment);
    node.rewrite = (method, _body, response) =>
      method === 'eth_getLogs' ? JSON.stringify({ ...JSON.parse(response), result: [] }) : response;
    onSettle('settles-and-hangs');
    expect(await settle()).toEqual({ state: 'unknown' });
    await expect.poll(() => scene.facilitator.sent.length, patience).toBe(1);
    await ask(rpc, 'evm_increaseTime', [700]);
    await ask(rpc, 'evm_mine', []);
    await expect
      .poll(() => settling.store.find(payment.id), patience)
      .toMatchObject({ state: 'failed', failure: 'undecided', completion: '{"content":42}' });
    expect(await settle()).toEqual({ state: 'unknown' });
    const next = await settling.executed({}, {}, undefined, payer);
    expect(next.payment.state).toBe('executed');
    node.rewrite = (_method, _body, response) => response;
    await expect.poll(settle, patience).toEqual(settled);
  });
});

describe('While the chain fails and the facilitator works', () => {
  it('a payment is unknown, and settles once when the chain is readable again', async () => {
    const settling = await open({ settlementWaitMs: 200 });
    const [executed, before] = [await settling.executed(), await merchant()];
    scene.bench.node.conduct = () => 'fails';
    expect(await settling.settler.settle(executed.payment)).toEqual({ state: 'unknown' });
    expect(await settling.settler.healthIssue()).toMatch(/^the chain does not answer/);
    expect(await settling.store.find(executed.payment.id)).toMatchObject({ state: 'executed' });
    scene.bench.node.conduct = () => 'sound';
    await settlesInTheEnd(settling, executed);
    expect((await merchant()) - before).toBe(price);
  });
});

describe('Several payments at once', () => {
  it('are sent to the facilitator together, up to the limit', async () => {
    const settling = await open({ through: { settlementsMax: 3 } });
    const many: Executed[] = [];
    for (let index = 0; index < 9; index++) many.push(await settling.executed());
    const before = await merchant();
    // Nothing is mined, so every settlement of the facilitator stays open.
    await ask(scene.bench.rpc, 'evm_setAutomine', [false]);
    const settlements = many.map(({ payment }) => settling.settler.settle(payment));
    await expect.poll(() => scene.facilitator.sent.length, patience).toBe(3);
    expect(settlesAsked()).toBe(3);
    await ask(scene.bench.rpc, 'evm_setAutomine', [true]);
    await ask(scene.bench.rpc, 'evm_mine', []);
    expect(await Promise.all(settlements)).toEqual(Array(9).fill(settled));
    expect(settlesAsked()).toBe(9);
    expect((await merchant()) - before).toBe(price * 9n);
  });

  it('are not blocked by a payment on which the facilitator hangs', async () => {
    const settling = await open({ through: { settlementsMax: 2, settleTimeoutMs: 500 } });
    const bad = await settling.executed();
    const good = [await settling.executed(), await settling.executed(), await settling.executed()];
    scene.facilitator.conduct = (path, call) =>
      path === 'settle' && call?.authorization.nonce === bad.payment.authorization.nonce ? 'hangs' : 'sound';
    const hanging = settling.settler.settle(bad.payment);
    const others = good.map(({ payment }) => settling.settler.settle(payment));
    expect(await Promise.all(others)).toEqual(Array(3).fill(settled));
    scene.facilitator.conduct = () => 'sound';
    expect(await hanging).toEqual(settled);
  });
});

describe('A process that ends', () => {
  it('leaves unsettled payments to the next process, which settles them once', async () => {
    const first = await open({ settlementWaitMs: 100, through: { settleTimeoutMs: 60_000 } });
    const [executed, before] = [await first.executed(), await merchant()];
    onSettle('hangs');
    expect(await first.settler.settle(executed.payment)).toEqual({ state: 'unknown' });
    await first.close();
    onSettle('sound');
    const next = await scene.bench.openSettling({ after: first, through: { url: scene.facilitator.url } });
    await settlesInTheEnd(next, executed);
    expect((await merchant()) - before).toBe(price);
  });

  it('does not wait for a facilitator that hangs', async () => {
    const settling = await open({ through: { settleTimeoutMs: 60_000 } });
    const { payment } = await settling.executed();
    onSettle('hangs');
    const settlement = settling.settler.settle(payment);
    await expect.poll(settlesAsked).toBe(1);
    await settling.close();
    expect(await settlement).toEqual({ state: 'unknown' });
  });

  it('without releasing its lease keeps its payments until the lease expires', async () => {
    const clock = manualClock(systemClock.nowSeconds());
    const first = await open({ clock, settlementWaitMs: 100, through: { settleTimeoutMs: 60_000 } });
    const executed = await first.executed();
    onSettle('hangs');
    expect(await first.settler.settle(executed.payment)).toEqual({ state: 'unknown' });
    await expect.poll(settlesAsked, patience).toBe(1);
    Object.assign(first.store, { endLease: async () => undefined });
    await first.close();
    onSettle('sound');
    const through = { url: scene.facilitator.url };
    const next = await scene.bench.openSettling({ after: first, through, clock, settlementWaitMs: 100 });
    expect(await next.settler.settle(executed.payment)).toEqual({ state: 'unknown' });
    expect(settlesAsked()).toBe(1);
    clock.advance(31);
    await settlesInTheEnd(next, executed);
    expect(scene.facilitator.sent).toHaveLength(1);
  });

  it('makes no calls while another process has the lease', async () => {
    const first = await open();
    const through = { url: scene.facilitator.url };
    const second = await scene.bench.openSettling({ after: first, through });
    const executed = await first.executed();
    // The first settler has no lease. The second has the lease and settles the payment.
    const both = [second.settler.settle(executed.payment), first.settler.settle(executed.payment)];
    expect(await Promise.all(both)).toEqual([settled, settled]);
    expect(settlesAsked()).toBe(1);
  });
});

it('A settlement that a reorganisation removed is settled again through the facilitator', async () => {
  const settling = await open({ maintenanceMs: 20 });
  const [executed, before] = [await settling.executed(), await merchant()];
  expect(await settling.settler.settle(executed.payment)).toEqual(settled);
  await ask(scene.bench.rpc, 'anvil_reorg', [1, []]);
  expect(await merchant()).toBe(before);
  await expect.poll(merchant, patience).toBe(before + price);
  await expect
    .poll(() => settling.store.find(executed.payment.id), patience)
    .toMatchObject({ state: 'settled' });
});
