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

it('A payment made by a third party is settled when the operator accepts third parties (D-138)', async () => {
  const taking = await bench.openSettling({ acceptThirdPartySenders: true });
  const { payment } = await taking.executed();
  const theirs = await bench.sendAsThirdParty(bench.encodeTransfer(payment));
  expect(await taking.settler.settle(payment)).toEqual({ state: 'settled', txHash: theirs });
});

describe('A payment made by a third party buys no completion, because other stores could claim it too (D-138)', () => {
  const thirdParty = { state: 'refused', reason: 'third_party_sender' } as const;

  it('is refused, the recipient keeps the tokens, and the payer owes nothing', async () => {
    const [executed, before] = [await settling.executed(), await merchant()];
    await bench.sendAsThirdParty(bench.encodeTransfer(executed.payment));
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

  it('is refused again when it is sent again', async () => {
    const { payment } = await settling.executed();
    await bench.sendAsThirdParty(bench.encodeTransfer(payment));
    await settling.settler.settle(payment);
    const failed = await settling.store.find(payment.id);
    expect(failed).toMatchObject({ state: 'failed', failure: 'third_party_sender' });
    if (failed) expect(await settling.settler.settle(failed)).toEqual(thirdParty);
  });

  it('is refused when our own key sent it without a record in this store', async () => {
    const { payment } = await settling.executed();
    await bench.sendAsThirdParty(bench.encodeTransfer(payment), settling.relayerKey);
    expect(await settling.settler.settle(payment)).toEqual(thirdParty);
  });

  it('is not signed identically by two stores with one relayer key', async () => {
    const { payment } = await settling.executed();
    const other = await bench.openSettling();
    expect(await settling.settler.settle(payment)).toMatchObject({ state: 'settled' });
    const [transaction] = settling.sent();
    expect(transaction?.data.startsWith(bench.encodeTransfer(payment))).toBe(true);
    const mark = transaction?.data.slice(bench.encodeTransfer(payment).length);
    expect(mark).toMatch(/^[0-9a-f]{16}$/);
    await other.close();
  });
});

it('A third party pays for a completion that was delivered before a reorganisation (D-138)', async () => {
  const { payment } = await settling.executed();
  const removed = {
    txHash: `0x${'a7'.repeat(32)}` as Bytes32,
    block: 1,
    blockHash: `0x${'b7'.repeat(32)}` as Bytes32,
  };
  await settling.store.settle([payment.id], removed);
  await settling.store.reopen(removed.txHash);
  const theirs = await bench.sendAsThirdParty(bench.encodeTransfer(payment));
  const reopened = await settling.store.find(payment.id);
  expect(reopened).toMatchObject({ state: 'executed' });
  if (reopened) expect(await settling.settler.settle(reopened)).toEqual({ state: 'settled', txHash: theirs });
});
