import { Transaction } from 'ethers';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ask } from '../devnet/deployer.ts';
import type { FundedPayer } from '../devnet/devnet.ts';
import {
  type Bench,
  type Executed,
  price,
  type Settling,
  type SettlingOptions,
  startBench,
  token,
} from '../testing/settlement/settlement.ts';
import type { Hex } from '../types/units.ts';

// A relayer uses the next nonce while its last transaction is still open (D-237).

let bench: Bench;
/** Funding a payer mines a block, so all payers get their tokens before the tests. */
const payers: FundedPayer[] = [];

beforeAll(async () => {
  bench = await startBench('kept');
  for (let count = 0; count < 40; count++) payers.push(await bench.devnet.fundPayer());
});
afterAll(() => bench?.stop());
afterEach(async () => {
  bench.node.conduct = () => 'sound';
  bench.node.reword = (_method, body) => body;
  bench.node.rewrite = (_method, _body, response) => response;
  await mineAll();
});

async function mineAll(): Promise<void> {
  await ask(bench.rpc, 'evm_setAutomine', [true]);
  await ask(bench.rpc, 'evm_mine', []);
}

const merchant = () => bench.balanceOf(bench.devnet.payTo);
const sentNonces = ({ sent }: Settling) => sent().map(({ nonce }) => nonce);

const sendMethod = 'eth_sendRawTransaction';

/** Makes a node accept a transaction and drop it. */
function dropped(method: string, body: string): string {
  return method === sendMethod ? body.replace(method, 'web3_sha3') : body;
}

/** Opens a settler whose payments gather for a millisecond, on a chain that mines when a test says so. */
async function openWithoutMining(limits: SettlingOptions['limits'] = {}): Promise<Settling> {
  const settling = await bench.openSettling({
    settlementWaitMs: 60,
    limits: { nextNonceMs: 1, resendMs: 60_000, ...limits },
  });
  await ask(bench.rpc, 'evm_setAutomine', [false]);
  return settling;
}

function executed(settling: Settling): Promise<Executed> {
  const payer = payers.pop();
  if (payer === undefined) throw new Error('fund more payers');
  return settling.executed({}, {}, (signature) => signature, payer);
}

/** Settles one payment after the other, each in a transaction of its own. */
async function sendEach(settling: Settling, count: number): Promise<readonly Executed[]> {
  const sent: Executed[] = [];
  for (let index = 0; index < count; index++) {
    const next = await executed(settling);
    expect(await settling.settler.settle(next.payment)).toEqual({ state: 'unknown' });
    sent.push(next);
    await expect.poll(() => settling.sent().length).toBe(index + 1);
  }
  return sent;
}

function withResult(result: unknown): (response: string) => string {
  return (response) => JSON.stringify({ ...JSON.parse(response), result });
}

async function expectSettled(settling: Settling, many: readonly Executed[], before: bigint): Promise<void> {
  for (const { payment } of many)
    await expect
      .poll(() => settling.settler.settle(payment), { timeout: 10_000 })
      .toMatchObject({ state: 'settled' });
  expect((await merchant()) - before).toBe(price * BigInt(many.length));
  await expect.poll(() => settling.store.openNonces(settling.relayer)).toEqual([]);
}

describe('While a transaction is open', () => {
  it('later payments are sent with the next nonces, and one block settles all of them', async () => {
    const settling = await openWithoutMining();
    const before = await merchant();
    const many = await sendEach(settling, 3);
    expect(sentNonces(settling)).toEqual([0, 1, 2]);
    await mineAll();
    await expectSettled(settling, many, before);
    expect(sentNonces(settling)).toEqual([0, 1, 2]);
  });

  it('a full transaction makes no payment wait (D-394)', async () => {
    const settling = await openWithoutMining({ batchMax: 1, nextNonceMs: 60_000 });
    const before = await merchant();
    const many = await sendEach(settling, 3);
    expect(sentNonces(settling)).toEqual([0, 1, 2]);
    await mineAll();
    await expectSettled(settling, many, before);
  });

  it.each([
    ['noncesMax is 1', { noncesMax: 1 }],
    ['nextNonceMs has not passed', { nextNonceMs: 60_000 }],
  ])('no second transaction is sent if %s', async (_words, limits) => {
    const settling = await openWithoutMining(limits);
    const before = await merchant();
    const [first] = await sendEach(settling, 1);
    const second = await executed(settling);
    expect(await settling.settler.settle(second.payment)).toEqual({ state: 'unknown' });
    expect(sentNonces(settling)).toEqual([0]);
    await mineAll();
    if (first === undefined) throw new Error('no payment');
    await expectSettled(settling, [first, second], before);
    expect(sentNonces(settling)).toEqual([0, 1]);
  });

  it('the gas balance covers every open transaction, or a payment waits', async () => {
    const wei = await oneTransactionWei();
    const settling = await bench.openSettling({
      settlementWaitMs: 60,
      gasFunds: wei + wei / 2n,
      limits: { nextNonceMs: 1 },
    });
    await ask(bench.rpc, 'evm_setAutomine', [false]);
    const before = await merchant();
    const many = await sendEach(settling, 1);
    const second = await executed(settling);
    expect(await settling.settler.settle(second.payment)).toEqual({ state: 'unknown' });
    expect(sentNonces(settling)).toEqual([0]);
    await mineAll();
    await expectSettled(settling, [...many, second], before);
  });
});

/** The most that a transaction with one payment costs now, in wei. */
async function oneTransactionWei(): Promise<bigint> {
  const settling = await openWithoutMining();
  const [executed] = await sendEach(settling, 1);
  const [sent] = settling.sent();
  await mineAll();
  if (executed === undefined || sent === undefined) throw new Error('no transaction');
  await expectSettled(settling, [executed], (await merchant()) - price);
  return sent.gasLimit * (sent.maxFeePerGas ?? 0n);
}

describe('Of several open nonces', () => {
  it('the lowest is sent again when the node dropped it, and each payment is charged once', async () => {
    const settling = await openWithoutMining({ resendMs: 100 });
    const before = await merchant();
    let sends = 0;
    bench.node.reword = (method, body) =>
      method === sendMethod && sends++ === 0 ? dropped(method, body) : body;
    const many = await sendEach(settling, 3);
    await mineAll();
    await expectSettled(settling, many, before);
    expect(new Set(sentNonces(settling))).toEqual(new Set([0, 1, 2]));
  });

  it('a foreign transaction may take the lowest, and its payment goes under a later one', async () => {
    const settling = await openWithoutMining({ resendMs: 100 });
    const before = await merchant();
    bench.node.reword = (method, body) => dropped(method, body);
    const many = await sendEach(settling, 2);
    const nothing = token.encodeFunctionData('transfer', [`0x${'dd'.repeat(20)}`, 0n]) as Hex;
    await ask(bench.rpc, 'evm_setAutomine', [true]);
    await bench.sendAsThirdParty(nothing, settling.relayerKey);
    bench.node.reword = (_method, body) => body;
    await expectSettled(settling, many, before);
    expect(Math.max(...sentNonces(settling))).toBe(2);
  });

  it('each is replaced at higher fees when no block takes it', async () => {
    const settling = await openWithoutMining({ stuckMs: 1_500 });
    const before = await merchant();
    const many = await sendEach(settling, 3);
    const fees = (nonce: number) =>
      settling.sent().flatMap((each) => (each.nonce === nonce ? [Number(each.maxFeePerGas)] : []));
    for (const nonce of [0, 1, 2]) {
      await expect.poll(() => fees(nonce).length, { timeout: 5_000 }).toBeGreaterThanOrEqual(2);
      expect(Math.max(...fees(nonce))).toBeGreaterThanOrEqual(Math.min(...fees(nonce)) * 1.125);
    }
    await mineAll();
    await expectSettled(settling, many, before);
  });

  it('those above a gap are given up together, and each payment is charged once', async () => {
    const settling = await openWithoutMining({ resendMs: 200 });
    const before = await merchant();
    const wrongCount = withResult('0x3');
    bench.node.rewrite = (method, _body, response) =>
      method === 'eth_getTransactionCount' ? wrongCount(response) : response;
    let sendsOfTheLast = 0;
    bench.node.conduct = (method, body) => {
      if (method !== sendMethod) return 'sound';
      const [raw] = (JSON.parse(body) as { readonly params: readonly [string] }).params;
      if (Transaction.from(raw).nonce === 5) sendsOfTheLast++;
      return 'sound';
    };
    const many = await sendEach(settling, 3);
    expect(sentNonces(settling)).toEqual([3, 4, 5]);
    bench.node.rewrite = (_method, _body, response) => response;
    await mineAll();
    await expectSettled(settling, many, before);
    expect(sentNonces(settling)).toContain(0);
    // One after the other, the last would be sent six times before its turn.
    expect(sendsOfTheLast).toBeLessThanOrEqual(4);
  });

  it('one above a gap is given up, and its payment is sent at once by a worker that waits for work', async () => {
    const settling = await bench.openSettling({ limits: { nextNonceMs: 1, resendMs: 100, idleMs: 60_000 } });
    const wrongCount = withResult('0x3');
    bench.node.rewrite = (method, _body, response) =>
      method === 'eth_getTransactionCount' ? wrongCount(response) : response;
    const { payment } = await executed(settling);
    const settled = settling.settler.settle(payment);
    await expect.poll(() => sentNonces(settling)).toContain(3);
    bench.node.rewrite = (_method, _body, response) => response;
    expect(await settled).toMatchObject({ state: 'settled' });
    expect(sentNonces(settling).at(-1)).toBe(0);
  });

  it('a higher one that the node refuses is no health issue, and goes out as soon as the lower one is mined', async () => {
    const settling = await openWithoutMining();
    const before = await merchant();
    let sends = 0;
    bench.node.conduct = (method) => (method === sendMethod && sends++ > 0 ? 'fails' : 'sound');
    const many = await sendEach(settling, 2);
    expect(await settling.settler.healthIssue()).toBeNull();
    const third = await executed(settling);
    expect(await settling.settler.settle(third.payment)).toEqual({ state: 'unknown' });
    expect(sentNonces(settling)).toEqual([0, 1]);
    bench.node.conduct = () => 'sound';
    await mineAll();
    await expectSettled(settling, [...many, third], before);
  });

  it('each has the new lease after a step of the worker failed, and the journal keeps its count', async () => {
    const settling = await openWithoutMining();
    const before = await merchant();
    const many = await sendEach(settling, 2);
    vi.spyOn(settling.store, 'openNonces').mockRejectedValueOnce(new Error('the store failed once'));
    const third = await executed(settling);
    expect(await settling.settler.settle(third.payment)).toEqual({ state: 'unknown' });
    await mineAll();
    await expectSettled(settling, [...many, third], before);
    expect(await settling.store.nextRelayerNonce(settling.relayer)).toBe(3);
  });

  it('one that was mined before a restart is not sent again', async () => {
    const settling = await openWithoutMining();
    const before = await merchant();
    const many = await sendEach(settling, 2);
    await settling.settler.close();
    await mineAll();
    const calls = bench.node.calls.length;
    const next = await bench.openSettling({ after: settling, settlementWaitMs: 60 });
    await expectSettled(next, many, before);
    expect(bench.node.calls.slice(calls)).not.toContain(sendMethod);
  });

  it('all are followed again after a restart, and each payment is charged once', async () => {
    const settling = await openWithoutMining();
    const before = await merchant();
    const many = await sendEach(settling, 3);
    await settling.settler.close();
    const next = await bench.openSettling({ after: settling, settlementWaitMs: 60 });
    await mineAll();
    await expectSettled(next, many, before);
  });

  it('two that a reorganisation drops are sent again, and each payment is charged once', async () => {
    const settling = await bench.openSettling({
      settlementWaitMs: 60,
      maintenanceMs: 50,
      limits: { nextNonceMs: 1 },
    });
    const before = await merchant();
    const height = async () => Number(await ask<string>(bench.rpc, 'eth_blockNumber', []));
    const start = await height();
    await ask(bench.rpc, 'evm_setAutomine', [false]);
    const many = await sendEach(settling, 2);
    await mineAll();
    await expectSettled(settling, many, before);
    await ask(bench.rpc, 'anvil_reorg', [(await height()) - start, []]);
    expect(await merchant()).toBe(before);
    await expect.poll(merchant, { timeout: 10_000 }).toBe(before + 2n * price);
    await expectSettled(settling, many, before);
  });
});
