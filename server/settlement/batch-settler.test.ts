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

/** What a payer still has, what the merchant got since, and where the payment stands. */
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

describe('Settled', () => {
  it('is what the logs of a mined transaction say, and exactly the price has moved', async () => {
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

  it('takes a signature whose v is 0 or 1 as the client wrote it (D-04)', async () => {
    const parity = (signature: Hex) =>
      `${signature.slice(0, 130)}0${Signature.from(signature).yParity}` as Hex;
    const [executed, before] = [await settling.executed({}, {}, parity), await merchant()];
    expect(executed.payment.signature).toMatch(/0[01]$/);
    expect(await settling.settler.settle(executed.payment)).toMatchObject({ state: 'settled' });
    expect(await standing(executed, before)).toEqual(paid);
  });

  it('many at once leave in order, each transaction with a relayer nonce of its own', async () => {
    const many = await Promise.all(Array.from({ length: 8 }, () => settling.executed()));
    const before = await merchant();
    const settlements = await Promise.all(many.map(({ payment }) => settling.settler.settle(payment)));
    expect(settlements.map(({ state }) => state)).toEqual(Array(8).fill('settled'));
    const nonces = settling.sent().map(({ nonce }) => nonce);
    expect(nonces).toEqual(nonces.map((_, index) => index));
    expect((await merchant()) - before).toBe(price * 8n);
  });

  it('asked for twice at once, it is one settlement', async () => {
    const [executed, before] = [await settling.executed(), await merchant()];
    const both = [1, 2].map(() => settling.settler.settle(executed.payment));
    const [first, second] = await Promise.all(both);
    expect(second).toEqual(first);
    expect(settling.sent()).toHaveLength(1);
    expect(await standing(executed, before)).toEqual(paid);
  });

  it('asked for again by somebody who had read the store before, it is the same answer', async () => {
    const executed = await settling.executed();
    const first = await settling.settler.settle(executed.payment);
    expect(first.state).toBe('settled');
    expect(await settling.settler.settle(executed.payment)).toEqual(first);
  });
});

describe('Refused, and nothing was charged', () => {
  it('when the payer took the authorization back', async () => {
    const [executed, before] = [await settling.executed(), await merchant()];
    const { payment } = executed;
    await cancelAuthorization(bench, executed);
    const refused = { state: 'refused', reason: 'authorization_canceled' };
    expect(await settling.settler.settle(payment)).toEqual(refused);
    expect(await standing(executed, before)).toEqual({ ...unpaid, state: 'failed' });
    // Asked again, the answer is the same, from the store.
    expect(await settling.settler.settle(payment)).toEqual(refused);
  });

  it('when the payer spent the nonce on somebody else', async () => {
    const elsewhere = { to: `0x${'ee'.repeat(20)}` as Address };
    const toOther = await settling.executed({}, elsewhere);
    const authorization = { ...toOther.payment.authorization, ...elsewhere };
    const before = await merchant();
    await bench.sendAsThirdParty(bench.calldataOf({ ...toOther.payment, authorization }));
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

  it('when the payer has emptied the wallet', async () => {
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

  it('when its time is over', async () => {
    const validBefore = BigInt(systemClock.nowSeconds()) - 1n;
    const [executed, before] = [await settling.executed({ validBefore }), await merchant()];
    expect(await settling.settler.settle(executed.payment)).toEqual({
      state: 'refused',
      reason: 'payment_expired',
    });
    expect(await standing(executed, before)).toEqual({ ...unpaid, state: 'expired' });
  });

  it('when the token refuses the transfer, after one transaction and not for ever (D-136)', async () => {
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

describe('The second that validAfter names', () => {
  it('is waited out, for the token still refuses in it', async () => {
    // Held ten seconds behind the chain, so that only the clock decides.
    const clock = manualClock(systemClock.nowSeconds() - 10);
    const waiting = await bench.openSettling({ clock, limits: { idleMs: 20 } });
    const executed = await waiting.executed({ validAfter: BigInt(clock.nowSeconds()) });
    const settlement = waiting.settler.settle(executed.payment);
    // Sending takes three calls; ten have come and gone, and nothing was sent.
    for (let round = 0; round < 5; round++) expect(await waiting.settler.healthIssue()).toBeNull();
    expect(waiting.sent()).toEqual([]);
    clock.advance(1);
    expect(await settlement).toMatchObject({ state: 'settled' });
    expect(waiting.sent()).toHaveLength(1);
  });

  it('does not hold up the end of the gateway', async () => {
    const clock = manualClock(systemClock.nowSeconds() - 10);
    const waiting = await bench.openSettling({ clock, limits: { idleMs: 20 } });
    const executed = await waiting.executed({ validAfter: BigInt(clock.nowSeconds()) });
    const settlement = waiting.settler.settle(executed.payment);
    await waiting.settler.close();
    expect(await settlement).toEqual({ state: 'unknown' });
    expect(await waiting.store.find(executed.payment.id)).toMatchObject({ state: 'executed' });
  });
});

describe('Unknown, which is not failure (D-24)', () => {
  afterEach(() => ask(bench.rpc, 'evm_setAutomine', [true]));

  async function stopMining(): Promise<void> {
    await ask(bench.rpc, 'evm_setAutomine', [false]);
  }
  async function mineAgain(): Promise<void> {
    await ask(bench.rpc, 'evm_setAutomine', [true]);
    await ask(bench.rpc, 'evm_mine', []);
  }

  it('while nothing is mined; once it is, asking again gives the settlement, and one transfer was made', async () => {
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

  it('a transaction that the node dropped is sent again, as it was', async () => {
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

  it('after a crash the next run finishes what was sent, without a second transfer', async () => {
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

  it('a relayer without ether sends nothing and says so; with ether again, everything is settled', async () => {
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
