import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Bench, price, type Settling, startBench } from '../../testing/settlement/settlement.ts';
import { systemClock } from '../../types/clock.ts';
import type { Bytes32 } from '../../types/units.ts';

let bench: Bench;
let settling: Settling;

beforeAll(async () => {
  bench = await startBench();
});
afterAll(() => bench?.stop());
beforeEach(async () => {
  settling = await bench.openSettling();
});

const merchant = () => bench.balanceOf(bench.devnet.payTo);

it('A payment that a third party made is settled where the operator takes that for payment (D-138)', async () => {
  const taking = await bench.openSettling({ acceptThirdPartySenders: true });
  const { payment } = await taking.executed();
  const theirs = await bench.sendAsThirdParty(bench.calldataOf(payment));
  expect(await taking.settler.settle(payment)).toEqual({ state: 'settled', txHash: theirs });
});

describe('Made by a third party that was faster, a payment buys nothing: other stores could claim it too (D-138)', () => {
  const thirdParty = { state: 'refused', reason: 'third_party_sender' } as const;

  it('is refused, the merchant keeps the tokens, and the payer owes nothing', async () => {
    const [executed, before] = [await settling.executed(), await merchant()];
    await bench.sendAsThirdParty(bench.calldataOf(executed.payment));
    expect(await settling.settler.settle(executed.payment)).toEqual(thirdParty);
    expect((await merchant()) - before).toBe(price);
    const { asset, authorization } = executed.payment;
    const { id: _, ...claim } = { ...executed.payment, fingerprint: 'two' };
    const nonce = `0x${'5b'.repeat(32)}` as Bytes32;
    const next = { ...claim, asset, authorization: { ...authorization, nonce } };
    const now = systemClock.nowSeconds();
    const reading = { balance: price, block: 1_000_000, readAt: now };
    expect(await settling.store.reserve(next, reading, now)).toMatchObject({ kind: 'reserved' });
  });

  it('is told so when it is sent again, and withheld', async () => {
    const { payment } = await settling.executed();
    await bench.sendAsThirdParty(bench.calldataOf(payment));
    await settling.settler.settle(payment);
    const failed = await settling.store.find(payment.id);
    expect(failed).toMatchObject({ state: 'failed', failure: 'third_party_sender' });
    if (failed) expect(await settling.settler.settle(failed)).toEqual(thirdParty);
  });

  it('also where it was sent from a key of ours and this store has no record of that', async () => {
    const { payment } = await settling.executed();
    await bench.sendAsThirdParty(bench.calldataOf(payment), settling.relayerKey);
    expect(await settling.settler.settle(payment)).toEqual(thirdParty);
  });

  it('never has a transaction that two stores with one relayer key could both have signed', async () => {
    const { payment } = await settling.executed();
    const other = await bench.openSettling();
    expect(await settling.settler.settle(payment)).toMatchObject({ state: 'settled' });
    const [transaction] = settling.sent();
    expect(transaction?.data.startsWith(bench.calldataOf(payment))).toBe(true);
    const mark = transaction?.data.slice(bench.calldataOf(payment).length);
    expect(mark).toMatch(/^[0-9a-f]{16}$/);
    await other.close();
  });
});
