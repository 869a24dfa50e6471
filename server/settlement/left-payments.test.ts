import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { topic } from '../chain/token-logs.ts';
import { uint256Word } from '../chain/word.ts';
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
import { systemClock } from '../types/clock.ts';
import type { Hex } from '../types/units.ts';

// Payments that a relayer worker leaves to other workers, and payments that must not block others.

let bench: Bench;
beforeAll(async () => {
  bench = await startBench();
});
afterAll(() => bench?.stop());
afterEach(() => {
  bench.node.conduct = () => 'sound';
  bench.node.rewrite = (_method, _body, response) => response;
});

const ether = 10n ** 18n;
const merchant = () => bench.balanceOf(bench.devnet.payTo);
const settleAll = ({ settler }: Settling, many: readonly Executed[]) =>
  Promise.all(many.map(({ payment }) => settler.settle(payment)));
const settled = { state: 'settled' };

async function executedMany(settling: Settling, count: number): Promise<readonly Executed[]> {
  const many: Executed[] = [];
  for (let index = 0; index < count; index++) many.push(await settling.executed());
  return many;
}

async function emptyWallet({ payer }: Executed): Promise<void> {
  const everything = token.encodeFunctionData('transfer', [`0x${'dd'.repeat(20)}`, payerFunds]) as Hex;
  await bench.sendAsThirdParty(everything, payer.privateKey);
}

describe('D-191: a relayer whose transaction nodes reject for lack of ether', () => {
  it('settles its payments once, and only in transactions that the store records', async () => {
    const settling = await bench.openSettling({ limits: { stuckMs: 40 } });
    let sends = 0;
    bench.node.conduct = (method) =>
      method === 'eth_sendRawTransaction' && ++sends <= 4 ? 'wants-ether' : 'sound';
    const before = await merchant();
    const many = await executedMany(settling, 3);
    expect(await settleAll(settling, many)).toEqual(many.map(() => expect.objectContaining(settled)));
    expect(sends).toBeGreaterThan(4);
    expect((await merchant()) - before).toBe(price * 3n);
  });

  it('sends nothing later for a payment that another relayer refused for lack of funds', async () => {
    const settling = await bench.openSettling({ gasFundsOfOthers: [ether] });
    const [poor, rich] = settling.relayers.map(({ address }) => address);
    if (poor === undefined || rich === undefined) throw new Error('not two relayers');
    bench.node.conduct = (method, body) =>
      method === 'eth_sendRawTransaction' &&
      settling.sent(poor).some(({ serialized }) => body.includes(serialized))
        ? 'wants-ether'
        : 'sound';
    const [executed, before] = [await settling.executed(), await merchant()];
    await emptyWallet(executed);
    expect(await settling.settler.settle(executed.payment)).toMatchObject({ reason: 'insufficient_funds' });
    await bench.devnet.mintTo(executed.payer.address, payerFunds);
    bench.node.conduct = () => 'sound';
    const next = await executedMany(settling, 4);
    for (const each of next) expect(await settleAll(settling, [each])).toMatchObject([settled]);
    await expect.poll(() => settling.store.openNonces(poor)).toEqual([]);
    expect(await bench.balanceOf(executed.payer.address)).toBe(payerFunds);
    expect((await merchant()) - before).toBe(price * 4n);
  });
});

describe('D-192: a payment that was spent in a transaction that no log names', () => {
  it('is refused after some rounds, and blocks no other payment', async () => {
    const settling = await bench.openSettling({ limits: { pollMsMax: 5 } });
    bench.node.rewrite = (method, _body, response) =>
      method === 'eth_getLogs' ? JSON.stringify({ ...JSON.parse(response), result: [] }) : response;
    const spent = await settling.executed();
    await cancelAuthorization(bench, spent);
    const others = await executedMany(settling, 3);
    const [first, ...rest] = await settleAll(settling, [spent, ...others]);
    expect(first).toEqual({ state: 'refused', reason: 'authorization_used' });
    expect(rest).toMatchObject([settled, settled, settled]);
  });
});

describe('D-193: a token that moves other tokens than signed', () => {
  it('leaves the payer without debt, and stops new sales', async () => {
    const settling = await bench.openSettling();
    const signed = uint256Word(price);
    bench.node.rewrite = (method, _body, response) =>
      method === 'eth_getTransactionReceipt' && response.includes(topic.transfer)
        ? response.replace(signed, uint256Word((price - 1n) as typeof price))
        : response;
    const executed = await settling.executed();
    expect(await settling.settler.settle(executed.payment)).toEqual({
      state: 'refused',
      reason: 'moved_otherwise',
    });
    expect(await settling.settler.healthIssue()).toMatch(/moved tokens otherwise than was signed/);
    const known = await settling.store.find(executed.payment.id);
    expect(known).toMatchObject({ state: 'failed', failure: 'moved_otherwise' });
  });
});

describe('D-176: payments that are too early for the chain', () => {
  it('do not take the places of payments that the chain would accept', async () => {
    const settling = await bench.openSettling({ limits: { batchMax: 2, pollMsMax: 5 } });
    const now = BigInt(systemClock.nowSeconds());
    const behind = 50n;
    bench.node.rewrite = (method, _body, response) => {
      if (method !== 'eth_getBlockByNumber') return response;
      const parsed = JSON.parse(response);
      parsed.result.timestamp = `0x${(BigInt(parsed.result.timestamp) - behind).toString(16)}`;
      return JSON.stringify(parsed);
    };
    for (let index = 0; index < 4; index++)
      await settling.executed({ validAfter: now - 5n, validBefore: now + 600n });
    const honest = await settling.executed({ validBefore: now + 3_600n });
    expect(await settling.settler.settle(honest.payment)).toMatchObject(settled);
  });
});

describe('D-194: a transaction that nodes accept and do not mine', () => {
  it('is a health issue from its first replacement until it is mined', async () => {
    const settling = await bench.openSettling({ settlementWaitMs: 60, limits: { stuckMs: 60 } });
    await ask(bench.rpc, 'evm_setAutomine', [false]);
    try {
      const executed = await settling.executed();
      expect(await settling.settler.healthIssue()).toBeNull();
      expect(await settling.settler.settle(executed.payment)).toEqual({ state: 'unknown' });
      await expect.poll(() => settling.settler.healthIssue()).toMatch(/^settlements are not mined/);
      await ask(bench.rpc, 'evm_mine', []);
      await expect.poll(() => settling.settler.settle(executed.payment)).toMatchObject(settled);
      await expect.poll(() => settling.settler.healthIssue()).toBeNull();
    } finally {
      await ask(bench.rpc, 'evm_setAutomine', [true]);
    }
  });
});
