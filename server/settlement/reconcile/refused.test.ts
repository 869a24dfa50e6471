import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ask } from '../../devnet/deployer.ts';
import type { PaymentRecord } from '../../store/store.ts';
import { cancelAuthorization } from '../../testing/settlement/cancel-authorization.ts';
import {
  type Bench,
  type Executed,
  payerFunds,
  price,
  type Settling,
  startBench,
  token,
} from '../../testing/settlement/settlement.ts';
import type { Authorization } from '../../types/authorization.ts';
import { manualClock, systemClock } from '../../types/clock.ts';
import type { Bytes32, Hex } from '../../types/units.ts';

// A refused payment is still signed, so any account may send it (D-63). Here the operator accepts third
// parties.

let bench: Bench;
let settling: Settling;
let clock: ReturnType<typeof manualClock>;

beforeAll(async () => {
  bench = await startBench('kept');
});
afterAll(() => bench?.stop());
afterEach(async () => {
  bench.node.conduct = () => 'sound';
  bench.node.rewrite = (_method, _body, response) => response;
  await settling.close();
});

const insufficient = { state: 'refused', reason: 'insufficient_funds' } as const;
const answered = { completion: '{"content":42}' };

describe('A payment that failed for lack of funds', () => {
  it('is found settled when a third party sends it after the payer got funds, and the payer owes nothing', async () => {
    const { payment, payer } = await refusedForAnEmptyWallet();
    const before = await bench.balanceOf(bench.devnet.payTo);
    expect(await isBlocked(payment)).toBe(true);
    await bench.devnet.mintTo(payer.address, payerFunds);
    const theirs = await bench.sendAsThirdParty(bench.encodeTransfer(payment));
    clock.advance(31);
    await expectToBecome(payment, { state: 'settled', txHash: theirs, ...answered });
    expect((await bench.balanceOf(bench.devnet.payTo)) - before).toBe(price);
    expect(await isBlocked(payment)).toBe(false);
  });

  it('is settled at once for a payer who sends it again, also if its completion is owed (D-272)', async () => {
    const { payment, payer } = await refusedForAnEmptyWallet(60_000);
    await bench.devnet.mintTo(payer.address, payerFunds);
    const theirs = await bench.sendAsThirdParty(bench.encodeTransfer(payment));
    const failed = await find(payment);
    expect(failed).toMatchObject({ state: 'failed', ...answered });
    const settled = { state: 'settled', txHash: theirs } as const;
    const owed = { ...failed, completion: null, isOwed: true };
    const twice = [settling.settler.settle(failed), settling.settler.settle(owed)];
    expect(await Promise.all(twice)).toEqual([settled, settled]);
  });

  it('stays refused while it is unsent, and is unknown while the chain does not respond', async () => {
    const { payment } = await refusedForAnEmptyWallet();
    const failed = await find(payment);
    expect(await settling.settler.settle(failed)).toEqual(insufficient);
    bench.node.conduct = () => 'fails';
    expect(await settling.settler.settle(failed)).toEqual({ state: 'unknown' });
    expect(await find(payment)).toMatchObject({ state: 'failed', ...answered });
  });

  it('stays open until its window has ended in the finalized chain, and then its completion is deleted', async () => {
    const validBefore = BigInt(systemClock.nowSeconds()) + 600n;
    const { payment } = await refusedForAnEmptyWallet(10, { validBefore });
    await ask(bench.rpc, 'evm_increaseTime', [700]);
    await ask(bench.rpc, 'anvil_mine', ['0x2']);
    await lookedAt();
    expect(await find(payment), 'the newest block is not final').toMatchObject(answered);
    await ask(bench.rpc, 'anvil_mine', ['0x80']);
    // A node that is behind the finalized block lacks later transactions.
    bench.node.rewrite = (method, body, text) =>
      method === 'eth_call' && body.includes('42cbb15c') ? staleBlock(text) : text;
    await lookedAt();
    expect(await find(payment)).toMatchObject(answered);
    bench.node.rewrite = (_method, _body, text) => text;
    clock.advance(31);
    await expectToBecome(payment, { state: 'failed', completion: null });
  });
});

it('Without acceptThirdPartySenders, a payment stays refused, and is closed once that block is final (D-138)', async () => {
  const { payment, payer } = await refusedForAnEmptyWallet(10, {}, false);
  await bench.devnet.mintTo(payer.address, payerFunds);
  await bench.sendAsThirdParty(bench.encodeTransfer(payment));
  const thirdParty = { state: 'refused', reason: 'third_party_sender' };
  expect(await settling.settler.settle(await find(payment))).toEqual(thirdParty);
  await lookedAt();
  expect(await find(payment)).toMatchObject({ state: 'failed', ...answered });
  await ask(bench.rpc, 'anvil_mine', ['0x80']);
  await roundsPass();
  clock.advance(31);
  await expectToBecome(payment, { state: 'failed', completion: null });
});

it('A payment that the token rejected is found settled when another transaction made it', async () => {
  await open();
  let real = '0x' as Hex;
  const executed = await settling.executed({}, {}, (signature) => {
    real = signature;
    return `0x${'11'.repeat(64)}1b` as Hex;
  });
  const { payment } = executed;
  expect(await settling.settler.settle(payment)).toMatchObject({ reason: 'invalid_transaction_state' });
  const theirs = await bench.sendAsThirdParty(bench.encodeTransfer({ ...payment, signature: real }));
  clock.advance(31);
  await expectToBecome(payment, { state: 'settled', txHash: theirs, ...answered });
});

it('A payment that expired by a wrong block time is found settled', async () => {
  await open();
  const { payment } = await settling.executed();
  bench.node.rewrite = (method, body, text) =>
    method === 'eth_getBlockByNumber' && /latest|pending/.test(body) ? inTheFuture(text) : text;
  expect(await settling.settler.settle(payment)).toMatchObject({ reason: 'payment_expired' });
  bench.node.rewrite = (_method, _body, text) => text;
  const theirs = await bench.sendAsThirdParty(bench.encodeTransfer(payment));
  clock.advance(31);
  await expectToBecome(payment, { state: 'settled', txHash: theirs, ...answered });
});

describe('A payment that the payer cancelled', () => {
  it('is searched once before that block is final, and closed after it', async () => {
    const { payment } = await canceled();
    await lookedAt();
    expect(await find(payment)).toMatchObject(answered);
    const searches = () => bench.node.calls.filter((method) => method === 'eth_getLogs').length;
    const before = searches();
    await lookedAt();
    expect(searches()).toBe(before);
    await ask(bench.rpc, 'anvil_mine', ['0x80']);
    await roundsPass();
    clock.advance(31);
    await expectToBecome(payment, { state: 'failed', failure: 'authorization_canceled', completion: null });
  });

  it('is found settled when a reorganisation removes the cancellation', async () => {
    const height = async () => Number(await ask<string>(bench.rpc, 'eth_blockNumber', []));
    const before = await height();
    const { payment } = await canceled();
    // The payer's tokens are as old as the payment, so the reorganisation must not remove them.
    await ask(bench.rpc, 'anvil_reorg', [(await height()) - before - 1, []]);
    const theirs = await bench.sendAsThirdParty(bench.encodeTransfer(payment));
    clock.advance(31);
    await expectToBecome(payment, { state: 'settled', txHash: theirs, ...answered });
  });

  async function canceled(): Promise<Executed> {
    await open();
    const executed = await settling.executed();
    await cancelAuthorization(bench, executed);
    expect(await settling.settler.settle(executed.payment)).toMatchObject({
      reason: 'authorization_canceled',
    });
    return executed;
  }
});

async function open(maintenanceMs = 10, acceptThirdPartySenders = true): Promise<void> {
  clock = manualClock(systemClock.nowSeconds());
  settling = await bench.openSettling({ clock, maintenanceMs, acceptThirdPartySenders });
}

async function refusedForAnEmptyWallet(
  maintenanceMs = 10,
  change: Partial<Authorization> = {},
  acceptThirdPartySenders = true,
): Promise<Executed> {
  await open(maintenanceMs, acceptThirdPartySenders);
  const executed = await settling.executed(change);
  const everything = token.encodeFunctionData('transfer', [`0x${'dd'.repeat(20)}`, payerFunds]) as Hex;
  await bench.sendAsThirdParty(everything, executed.payer.privateKey);
  expect(await settling.settler.settle(executed.payment)).toEqual(insufficient);
  return executed;
}

async function find({ id }: PaymentRecord): Promise<PaymentRecord> {
  const payment = await settling.store.find(id);
  if (payment === null) throw new Error('no payment');
  return payment;
}

async function expectToBecome(payment: PaymentRecord, expected: object): Promise<void> {
  await expect.poll(() => find(payment)).toMatchObject(expected);
}

/**
 * Waits until the maintenance loop has the finalized head of two rounds, and has checked every payment again.
 */
async function lookedAt(): Promise<void> {
  await roundsPass();
  clock.advance(31);
  const checks = () => bench.node.calls.filter((method) => method === 'eth_call').length;
  const before = checks();
  await expect.poll(checks).toBeGreaterThan(before);
  await roundsPass();
}

async function roundsPass(): Promise<void> {
  const rounds = () => bench.node.calls.filter((method) => method === 'eth_getBlockByNumber').length;
  const before = rounds();
  await expect.poll(rounds).toBeGreaterThan(before + 3);
}

async function isBlocked({ authorization, ...payment }: PaymentRecord): Promise<boolean> {
  const nonce = `0x${'5a'.repeat(32)}` as Bytes32;
  const claim = { ...payment, authorization: { ...authorization, nonce }, leaseUntil: clock.nowSeconds() };
  const reserved = await settling.store.reserve(claim, null, clock.nowSeconds());
  return reserved.kind === 'blocked';
}

function inTheFuture(text: string): string {
  const { result, ...rest } = JSON.parse(text) as { result: object };
  return JSON.stringify({ ...rest, result: { ...result, timestamp: '0xffffffffff' } });
}

/** The return data of Multicall3 with block number 1 as its first result. */
function staleBlock(text: string): string {
  const { result, ...rest } = JSON.parse(text) as { result: string };
  const words = result.slice(2).match(/.{64}/g) ?? [];
  const first = 2 + Number.parseInt(words[2] ?? '0', 16) / 32;
  words[first + 3] = '1'.padStart(64, '0');
  return JSON.stringify({ ...rest, result: `0x${words.join('')}` });
}
