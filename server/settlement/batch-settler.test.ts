import { Signature } from 'ethers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readMined } from '../chain/chain-view.ts';
import { tracePayment } from '../chain/token-logs.ts';
import { ask } from '../devnet/deployer.ts';
import { cancelAuthorization } from '../testing/settlement/cancel-authorization.ts';
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
import type { Address, Hex } from '../types/units.ts';

let bench: Bench;
let settling: Settling;

beforeAll(async () => {
  bench = await startBench();
});
afterAll(() => bench?.stop());
beforeEach(async () => {
  settling = await bench.openSettling();
});
afterEach(() => settling.close());

/** The payer's balance, the recipient's income, and the payment state. */
async function standing({ payment, payer }: Executed, merchantBefore: bigint) {
  return {
    left: await bench.balanceOf(payer.address),
    received: (await bench.balanceOf(bench.devnet.payTo)) - merchantBefore,
    state: (await settling.store.find(payment.id))?.state,
  };
}
const unpaid = { left: payerFunds, received: 0n } as const;
const paid = { left: payerFunds - price, received: price, state: 'settled' } as const;
const merchant = () => bench.balanceOf(bench.devnet.payTo);

describe('A settled payment', () => {
  it('is settled by the logs of a mined transaction, and moves exactly the price', async () => {
    const [executed, before] = [await settling.executed(), await merchant()];
    const settlement = await settling.settler.settle(executed.payment);
    if (settlement.state !== 'settled') throw new Error(`not settled but ${settlement.state}`);
    expect(await standing(executed, before)).toEqual(paid);
    const { asset, authorization } = executed.payment;
    const mined = await readMined(bench.rpc, settlement.txHash);
    if (!mined.ok || mined.value === null) throw new Error('not mined');
    expect(tracePayment(mined.value.logs, { asset, ...authorization })).toBe('paid');
    expect(await settling.store.find(executed.payment.id)).toMatchObject({ txHash: settlement.txHash });
  });

  it('may have a signature whose v is 0 or 1, as the client wrote it (D-04)', async () => {
    const parity = (signature: Hex) =>
      `${signature.slice(0, 130)}0${Signature.from(signature).yParity}` as Hex;
    const [executed, before] = [await settling.executed({}, {}, parity), await merchant()];
    expect(executed.payment.signature).toMatch(/0[01]$/);
    expect(await settling.settler.settle(executed.payment)).toMatchObject({ state: 'settled' });
    expect(await standing(executed, before)).toEqual(paid);
  });

  it('shares no relayer nonce: eight at once are sent in order', async () => {
    const many = await Promise.all(Array.from({ length: 8 }, () => settling.executed()));
    const before = await merchant();
    const settlements = await Promise.all(many.map(({ payment }) => settling.settler.settle(payment)));
    expect(settlements.map(({ state }) => state)).toEqual(Array(8).fill('settled'));
    const nonces = settling.sent().map(({ nonce }) => nonce);
    expect(nonces).toEqual(nonces.map((_, index) => index));
    expect((await merchant()) - before).toBe(price * 8n);
  });

  it('is settled once when two requests settle it at once', async () => {
    const [executed, before] = [await settling.executed(), await merchant()];
    const both = [1, 2].map(() => settling.settler.settle(executed.payment));
    const [first, second] = await Promise.all(both);
    expect(second).toEqual(first);
    expect(settling.sent()).toHaveLength(1);
    expect(await standing(executed, before)).toEqual(paid);
  });

  it('returns the same settlement to a request with an older record', async () => {
    const executed = await settling.executed();
    const first = await settling.settler.settle(executed.payment);
    expect(first.state).toBe('settled');
    expect(await settling.settler.settle(executed.payment)).toEqual(first);
  });
});

describe('A payment is refused without a charge', () => {
  it('when the payer cancelled the authorization', async () => {
    const [executed, before] = [await settling.executed(), await merchant()];
    const { payment } = executed;
    await cancelAuthorization(bench, executed);
    const refused = { state: 'refused', reason: 'authorization_canceled' };
    expect(await settling.settler.settle(payment)).toEqual(refused);
    expect(await standing(executed, before)).toEqual({ ...unpaid, state: 'failed' });
    // The second result comes from the store.
    expect(await settling.settler.settle(payment)).toEqual(refused);
  });

  it('when the payer spent the nonce on another recipient', async () => {
    const elsewhere = { to: `0x${'ee'.repeat(20)}` as Address };
    const toOther = await settling.executed({}, elsewhere);
    const authorization = { ...toOther.payment.authorization, ...elsewhere };
    const before = await merchant();
    await bench.sendAsThirdParty(bench.encodeTransfer({ ...toOther.payment, authorization }));
    expect(await settling.settler.settle(toOther.payment)).toEqual({
      state: 'refused',
      reason: 'authorization_used',
    });
    expect(await standing(toOther, before)).toEqual({
      left: payerFunds - price,
      received: 0n,
      state: 'failed',
    });
  });

  it('when the payer has spent the balance', async () => {
    const [executed, before] = [await settling.executed(), await merchant()];
    const { payer, payment } = executed;
    const everything = token.encodeFunctionData('transfer', [`0x${'dd'.repeat(20)}`, payerFunds]) as Hex;
    await bench.sendAsThirdParty(everything, payer.privateKey);
    expect(await settling.settler.settle(payment)).toEqual({
      state: 'refused',
      reason: 'insufficient_funds',
    });
    expect(await standing(executed, before)).toEqual({ left: 0n, received: 0n, state: 'failed' });
  });

  it('when it has expired', async () => {
    const validBefore = BigInt(systemClock.nowSeconds()) - 1n;
    const [executed, before] = [await settling.executed({ validBefore }), await merchant()];
    expect(await settling.settler.settle(executed.payment)).toEqual({
      state: 'refused',
      reason: 'payment_expired',
    });
    expect(await standing(executed, before)).toEqual({ ...unpaid, state: 'expired' });
  });

  it('when the token rejects the transfer, after one transaction (D-136)', async () => {
    const forged = () => `0x${'11'.repeat(64)}1b` as Hex;
    const [executed, before] = [await settling.executed({}, {}, forged), await merchant()];
    const { payment } = executed;
    expect(await settling.settler.settle(payment)).toEqual({
      state: 'refused',
      reason: 'invalid_transaction_state',
    });
    expect(settling.sent()).toHaveLength(1);
    expect(await standing(executed, before)).toEqual({ ...unpaid, state: 'failed' });
  });
});

describe('A payment that is valid from the next second', () => {
  it('waits, because the token rejects it in the second of validAfter', async () => {
    // The clock is ten seconds behind the chain, so that only the clock decides.
    const clock = manualClock(systemClock.nowSeconds() - 10);
    const waiting = await bench.openSettling({ clock, limits: { idleMs: 20 } });
    const executed = await waiting.executed({ validAfter: BigInt(clock.nowSeconds()) });
    const settlement = waiting.settler.settle(executed.payment);
    // A send takes three calls. Ten calls have ended, and nothing was sent.
    for (let round = 0; round < 5; round++) expect(await waiting.settler.healthIssue()).toBeNull();
    expect(waiting.sent()).toEqual([]);
    clock.advance(1);
    expect(await settlement).toMatchObject({ state: 'settled' });
    expect(waiting.sent()).toHaveLength(1);
  });

  it('does not delay the end of the gateway', async () => {
    const clock = manualClock(systemClock.nowSeconds() - 10);
    const waiting = await bench.openSettling({ clock, limits: { idleMs: 20 } });
    const executed = await waiting.executed({ validAfter: BigInt(clock.nowSeconds()) });
    const settlement = waiting.settler.settle(executed.payment);
    await waiting.settler.close();
    expect(await settlement).toEqual({ state: 'unknown' });
    expect(await waiting.store.find(executed.payment.id)).toMatchObject({ state: 'executed' });
  });
});

describe('A settlement is unknown, which is not failure (D-24)', () => {
  afterEach(() => ask(bench.rpc, 'evm_setAutomine', [true]));

  async function stopMining(): Promise<void> {
    await ask(bench.rpc, 'evm_setAutomine', [false]);
  }
  async function mineAgain(): Promise<void> {
    await ask(bench.rpc, 'evm_setAutomine', [true]);
    await ask(bench.rpc, 'evm_mine', []);
  }

  it('while nothing is mined, and settled with one transfer after the transaction is mined', async () => {
    const patient = await bench.openSettling({ settlementWaitMs: 60 });
    const executed = await patient.executed();
    const before = await merchant();
    await stopMining();
    expect(await patient.settler.settle(executed.payment)).toEqual({ state: 'unknown' });
    await untilSent(patient, executed);
    expect(await patient.store.find(executed.payment.id)).toMatchObject({ state: 'submitted' });
    await mineAgain();
    await expect.poll(() => patient.settler.settle(executed.payment)).toMatchObject({ state: 'settled' });
    expect(patient.sent()).toHaveLength(1);
    expect((await merchant()) - before).toBe(price);
  });

  it('and its transaction is sent again unchanged after the node dropped it', async () => {
    const patient = await bench.openSettling({ settlementWaitMs: 60 });
    const executed = await patient.executed();
    await stopMining();
    expect(await patient.settler.settle(executed.payment)).toEqual({ state: 'unknown' });
    await untilSent(patient, executed);
    const [sent] = patient.sent();
    expect(await ask(bench.rpc, 'anvil_dropTransaction', [sent?.hash])).toBe(sent?.hash);
    await mineAgain();
    await expect
      .poll(() => patient.settler.settle(executed.payment))
      .toEqual({ state: 'settled', txHash: sent?.hash });
  });

  it('at a crash, and the next run settles it without a second transfer', async () => {
    const crashed = await bench.openSettling({ settlementWaitMs: 60 });
    const executed = await crashed.executed();
    const before = await merchant();
    await stopMining();
    expect(await crashed.settler.settle(executed.payment)).toEqual({ state: 'unknown' });
    await crashed.settler.close();
    await mineAgain();
    const next = await bench.openSettling({ after: crashed });
    expect(await next.settler.settle(executed.payment)).toMatchObject({ state: 'settled' });
    expect(next.sent()).toHaveLength(1);
    expect((await merchant()) - before).toBe(price);
  });

  it('while the relayer lacks ether, which is reported; with ether, every payment settles', async () => {
    const poor = await bench.openSettling({ settlementWaitMs: 100, gasFunds: 1_000n });
    const both = [await poor.executed(), await poor.executed()];
    const before = await merchant();
    expect(await poor.settler.healthIssue()).toContain(poor.relayer);
    for (const { payment } of both) {
      expect(await poor.settler.settle(payment)).toEqual({ state: 'unknown' });
    }
    await ask(bench.rpc, 'anvil_setBalance', [poor.relayer, '0xde0b6b3a7640000']);
    await expect.poll(() => poor.settler.healthIssue()).toBeNull();
    for (const { payment } of both) {
      await expect.poll(() => poor.settler.settle(payment)).toMatchObject({ state: 'settled' });
    }
    expect((await merchant()) - before).toBe(price * 2n);
  });
});
