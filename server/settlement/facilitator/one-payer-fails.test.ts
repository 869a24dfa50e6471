import { describe, expect, it } from 'vitest';
import { ask } from '../../devnet/deployer.ts';
import type { FacilitatorConduct } from '../../testing/facilitator/fake-facilitator.ts';
import { patience, settled, useFacilitator } from '../../testing/settlement/facilitator.ts';
import { type Executed, payerFunds, type Settling, token } from '../../testing/settlement/settlement.ts';
import { manualClock, systemClock } from '../../types/clock.ts';
import type { Address, Hex } from '../../types/units.ts';

// A facilitator that fails for one payer does not block other payers. One that fails for all is a health issue
// (D-164).

const scene = useFacilitator();
const { open, settlesAsked } = scene;
const refused = { state: 'refused', reason: 'invalid_transaction_state' };

/** Executes payments of one payer in sequence. */
async function executedBySame({ executed }: Settling, count: number): Promise<readonly Executed[]> {
  const payer = await scene.bench.devnet.fundPayer(payerFunds);
  const payments: Executed[] = [];
  for (let each = 0; each < count; each++)
    payments.push(await executed(undefined, undefined, undefined, payer));
  return payments;
}

async function setCode(payer: Address, code: string): Promise<void> {
  await ask(scene.bench.rpc, 'anvil_setCode', [payer, code]);
}

function settleBadlyFor(payers: readonly Address[], conduct: FacilitatorConduct): void {
  scene.facilitator.conduct = (path, call) => {
    const from = call?.authorization.from.toLowerCase();
    return path === 'settle' && payers.some((payer) => payer === from) ? conduct : 'sound';
  };
}

/** Payments of different payers with that code, for which the facilitator was called and failed. */
async function failedPayments(
  settling: Settling,
  count: number,
  payerCode = '0x',
): Promise<readonly Executed[]> {
  const failing: Executed[] = [];
  for (let each = 0; each < count; each++) {
    const next = await settling.executed();
    await setCode(next.payer.address, payerCode);
    failing.push(next);
  }
  settleBadlyFor(
    failing.map(({ payer }) => payer.address),
    'fails',
  );
  for (const { payment } of failing) void settling.settler.settle(payment);
  await expect.poll(settlesAsked, patience).toBeGreaterThan(count * 2);
  return failing;
}

describe.each([
  // The pauses are long: a payment has no slot during a pause.
  ['fails', { retryMs: 60_000, retryMsMax: 60_000 }],
  // The response never comes: one payer has at most half of the slots.
  ['hangs', { settleTimeoutMs: 60_000 }],
  ['refuses', { retryMs: 60_000, retryMsMax: 60_000 }],
] as const)('A facilitator that %s for one payer', (conduct, limits) => {
  it('settles for the others, however many payments of that payer wait', async () => {
    const settling = await open({ through: { settlementsMax: 2, ...limits } });
    const bad = await executedBySame(settling, 6);
    settleBadlyFor([bad[0]?.payer.address as Address], conduct);
    for (const { payment } of bad) void settling.settler.settle(payment);
    await expect.poll(settlesAsked, patience).toBeGreaterThan(0);
    const good = [await settling.executed(), await settling.executed(), await settling.executed()];
    const settlements = good.map(({ payment }) => settling.settler.settle(payment));
    expect(await Promise.all(settlements)).toEqual(good.map(() => settled));
    for (const { payment } of bad)
      expect(await settling.store.find(payment.id)).toMatchObject({ state: 'executed' });
    expect(await settling.settler.healthIssue()).toBeNull();
  });
});

describe('Payments that failed once', () => {
  it('are all settled through a single slot when the facilitator works again', async () => {
    const settling = await open({ through: { settlementsMax: 1 } });
    const bad = await executedBySame(settling, 6);
    settleBadlyFor([bad[0]?.payer.address as Address], 'fails');
    const settlements = bad.map(({ payment }) => settling.settler.settle(payment));
    await expect.poll(settlesAsked, patience).toBeGreaterThan(6);
    settleBadlyFor([], 'fails');
    expect(await Promise.all(settlements)).toEqual(bad.map(() => settled));
  });
});

describe('A payer for whom the facilitator fails', () => {
  it('cannot buy until the payment is settled, and other payers can', async () => {
    const settling = await open();
    const [failing] = await failedPayments(settling, 1);
    // The payment is executed after the relayer worker has read the store, so it is verified first.
    const other = await settling.executed();
    await expect
      .poll(() => settling.settler.verify((failing as Executed).payment), patience)
      .toEqual({ kind: 'unavailable' });
    expect(await settling.settler.verify(other.payment)).toEqual({ kind: 'acceptable' });
    expect(await settling.settler.healthIssue()).toBeNull();
    expect(await settling.settler.warning?.()).toMatch(/^the facilitator fails for 1 payer.*HTTP 500/);
    settleBadlyFor([], 'fails');
    expect(await settling.settler.settle((failing as Executed).payment)).toEqual(settled);
    const next = await settling.executed(undefined, undefined, undefined, failing?.payer);
    expect(await settling.settler.verify(next.payment)).toEqual({ kind: 'acceptable' });
    expect(await settling.settler.warning?.()).toBeNull();
  });

  it('owes for a refused payment if a payment of another payer settled meanwhile', async () => {
    const settling = await open({ through: { attemptsMax: 4 } });
    const [bad, good] = [await settling.executed(), await settling.executed()];
    let isOtherSettled = false;
    // A failure without a response is no refusal, so the last refusals come after the other settlement.
    scene.facilitator.conduct = (path, call) => {
      if (path !== 'settle' || call?.authorization.from.toLowerCase() !== bad.payer.address) return 'sound';
      return isOtherSettled || settlesAsked() <= 2 ? 'refuses' : 'fails';
    };
    const settlement = settling.settler.settle(bad.payment);
    await expect.poll(settlesAsked, patience).toBeGreaterThan(1);
    expect(await settling.settler.settle(good.payment)).toEqual(settled);
    isOtherSettled = true;
    expect(await settlement).toEqual(refused);
    const nonce = good.payment.authorization.nonce;
    const claim = { ...bad.payment, authorization: { ...bad.payment.authorization, nonce } };
    const now = systemClock.nowSeconds();
    expect(
      await settling.store.reserve(claim, { balance: payerFunds, block: 9e9, readAt: now }, now),
    ).toMatchObject({
      kind: 'blocked',
    });
  });

  it("cannot buy for a while if none settled, since the fault may be the facilitator's", async () => {
    const clock = manualClock(systemClock.nowSeconds());
    const settling = await open({ clock });
    const bad = await settling.executed();
    settleBadlyFor([bad.payer.address], 'refuses');
    expect(await settling.settler.settle(bad.payment)).toEqual({ ...refused, isExcused: true });
    expect(await settling.settler.verify(bad.payment)).toEqual({ kind: 'unavailable' });
    clock.advance(61);
    expect(await settling.settler.verify(bad.payment)).toEqual({ kind: 'acceptable' });
  });
});

describe('A facilitator that fails for three payers and settles no payment', () => {
  it('is an issue, and gets one new payment at intervals until a payment settles', async () => {
    const clock = manualClock(systemClock.nowSeconds());
    const settling = await open({ clock });
    const failing = await failedPayments(settling, 3);
    const [first, second] = [await settling.executed(), await settling.executed()];
    await expect
      .poll(() => settling.settler.healthIssue(), patience)
      .toMatch(/^the facilitator settles nothing.*3 payers.*HTTP 500/);
    expect(await settling.settler.verify(first.payment)).toEqual({ kind: 'acceptable' });
    expect(await settling.settler.verify(second.payment)).toEqual({ kind: 'unavailable' });
    clock.advance(10);
    expect(await settling.settler.verify(second.payment)).toEqual({ kind: 'acceptable' });
    settleBadlyFor([], 'fails');
    for (const { payment } of failing) expect(await settling.settler.settle(payment)).toEqual(settled);
    expect(await settling.settler.healthIssue()).toBeNull();
    // Two at once: neither is a probe any more.
    const next = [await settling.executed(), await settling.executed()];
    for (const { payment } of next)
      expect(await settling.settler.verify(payment)).toEqual({ kind: 'acceptable' });
  });

  it('gets another payer each time, because a payer may leave before the payment is settled (D-175)', async () => {
    const clock = manualClock(systemClock.nowSeconds());
    const settling = await open({ clock });
    await failedPayments(settling, 3);
    const [leaving, staying] = [await settling.executed(), await settling.executed()];
    await expect.poll(() => settling.settler.healthIssue(), patience).not.toBeNull();
    const verified: string[] = [];
    for (const { payment } of [leaving, leaving, staying]) {
      verified.push((await settling.settler.verify(payment)).kind);
      clock.advance(6);
    }
    expect(verified).toEqual(['acceptable', 'unavailable', 'acceptable']);
  });
});

describe('A facilitator that fails for three payers with code', () => {
  it('is no issue: their code may make the transfers fail, and others can buy (D-175)', async () => {
    const settling = await open();
    await failedPayments(settling, 3, '0x00');
    const others = [await settling.executed(), await settling.executed()];
    await expect
      .poll(() => settling.settler.warning?.(), patience)
      .toMatch(/^the facilitator fails for 3 payers/);
    expect(await settling.settler.healthIssue()).toBeNull();
    for (const { payment } of others)
      expect(await settling.settler.verify(payment)).toEqual({ kind: 'acceptable' });
  });
});

describe('A facilitator that fails for three payers whose tokens were away meanwhile', () => {
  it('is no issue: the tokens are back when the gateway reads the chain, and others can buy (D-175)', async () => {
    const settling = await open({
      through: { settleTimeoutMs: 3_000, retryMs: 60_000, retryMsMax: 60_000 },
    });
    const { bench } = scene;
    const away = token.encodeFunctionData('transfer', [`0x${'dd'.repeat(20)}`, payerFunds]) as Hex;
    const moving = [await settling.executed(), await settling.executed(), await settling.executed()];
    const payers = moving.map(({ payer }) => payer);
    for (const payer of payers) await bench.sendAsThirdParty(away, payer.privateKey);
    settleBadlyFor(
      payers.map(({ address }) => address),
      'hangs',
    );
    for (const { payment } of moving) void settling.settler.settle(payment);
    await expect.poll(settlesAsked, patience).toBe(3);
    for (const { address } of payers) await bench.devnet.mintTo(address, payerFunds);
    const others = [await settling.executed(), await settling.executed()];
    await expect
      .poll(() => settling.settler.warning?.(), patience)
      .toMatch(/^the facilitator fails for 3 payers/);
    expect(await settling.settler.healthIssue()).toBeNull();
    for (const { payment } of others)
      expect(await settling.settler.verify(payment)).toEqual({ kind: 'acceptable' });
  });
});
