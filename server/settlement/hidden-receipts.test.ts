import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ReceiptLog, topic } from '../chain/token-logs.ts';
import { signTransaction } from '../chain/transaction.ts';
import { ask } from '../devnet/deployer.ts';
import { startTestFacilitator } from '../testing/facilitator/fake-facilitator.ts';
import {
  type Bench,
  type Executed,
  price,
  type Settling,
  startBench,
} from '../testing/settlement/settlement.ts';
import { untilSent } from '../testing/settlement/until-sent.ts';
import { systemClock } from '../types/clock.ts';
import { type Bytes32, type Hex, unixSeconds } from '../types/units.ts';

// A node that shows no receipts says nothing about a payment (D-207). Everything else works.

let bench: Bench;
const impatient = { settlementWaitMs: 60, limits: { pollMsMax: 5 } };
const settled = { state: 'settled', txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/) };

beforeAll(async () => {
  bench = await startBench('kept');
});
afterAll(() => bench?.stop());
afterEach(() => {
  heal();
});

const merchant = () => bench.balanceOf(bench.devnet.payTo);

/** Makes the node return nothing for these methods. */
function hide(results: Readonly<Record<string, unknown>>): void {
  bench.node.rewrite = (method, _body, response) =>
    method in results ? JSON.stringify({ ...JSON.parse(response), result: results[method] }) : response;
}

/** Makes the node return receipts without some logs, and no logs to queries unless these are sound. */
function hideLogs(
  isHidden: (topic: string | undefined) => boolean,
  queries: 'sound' | 'empty' = 'empty',
): void {
  bench.node.rewrite = (method, _body, response) => {
    const body = JSON.parse(response);
    if (method === 'eth_getLogs' && queries === 'empty') return JSON.stringify({ ...body, result: [] });
    if (method !== 'eth_getTransactionReceipt' || body.result === null) return response;
    const logs = body.result.logs.filter(({ topics }: ReceiptLog) => !isHidden(topics[0]));
    return JSON.stringify({ ...body, result: { ...body.result, logs } });
  };
}
const receipts = { eth_getTransactionReceipt: null };
const receiptsAndLogs = { ...receipts, eth_getLogs: [] };

function heal(): void {
  bench.node.conduct = () => 'sound';
  bench.node.rewrite = (_method, _body, response) => response;
}

async function isBlocked({ store }: Settling, { payment }: Executed): Promise<boolean> {
  const nonce = `0x${'5b'.repeat(32)}` as Bytes32;
  const authorization = { ...payment.authorization, nonce };
  const now = systemClock.nowSeconds();
  const reserved = await store.reserve({ ...payment, authorization, leaseUntil: now }, null, now);
  return reserved.kind === 'blocked';
}

/** Settles a payment that the gateway cannot see settled, until the gateway lets it wait. */
async function becomesUndecided({ settler, store }: Settling, { payment }: Executed): Promise<void> {
  const asked = async () => {
    expect(await settler.settle((await store.find(payment.id)) ?? payment)).toEqual({ state: 'unknown' });
    return store.find(payment.id);
  };
  await expect
    .poll(asked)
    .toMatchObject({ state: 'failed', failure: 'undecided', completion: '{"content":42}' });
}

/** A payment whose transaction of ours never reached the node, and that a third party spent. */
async function spentByThirdParty(settling: Settling): Promise<Executed> {
  const executed = await settling.executed();
  bench.node.conduct = (method) => (method === 'eth_sendRawTransaction' ? 'fails' : 'sound');
  await settling.settler.settle(executed.payment);
  await untilSent(settling, executed);
  await bench.sendAsThirdParty(bench.encodeTransfer(executed.payment));
  return executed;
}

async function settlesAgain({ settler, store }: Settling, { payment }: Executed): Promise<void> {
  await expect.poll(async () => settler.settle((await store.find(payment.id)) ?? payment)).toEqual(settled);
}

describe('While a node shows no receipts but logs (D-207)', () => {
  it('a payment settles by the logs of its block, and the gateway goes on selling', async () => {
    const settling = await bench.openSettling({ limits: { pollMsMax: 5 }, maintenanceMs: 20 });
    const before = await merchant();
    hide(receipts);
    for (let count = 1n; count <= 2n; count++) {
      const { payment } = await settling.executed();
      expect(await settling.settler.settle(payment)).toEqual(settled);
      expect((await merchant()) - before).toBe(price * count);
    }
    expect(await settling.settler.healthIssue()).toBeNull();
    expect(settling.sent()).toHaveLength(2);
  });

  it('no settlement is reopened, and none becomes final', async () => {
    const settling = await bench.openSettling({ maintenanceMs: 20 });
    const { payment } = await settling.executed();
    expect(await settling.settler.settle(payment)).toEqual(settled);
    hide(receipts);
    await ask(bench.rpc, 'anvil_mine', ['0x80']);
    const rounds = () => bench.node.calls.filter((method) => method === 'eth_getTransactionReceipt').length;
    const before = rounds();
    await expect.poll(rounds).toBeGreaterThan(before + 4);
    expect(await settling.store.find(payment.id)).toMatchObject({ state: 'settled' });
    expect(settling.sent()).toHaveLength(1);
    heal();
    await expect.poll(() => settling.store.find(payment.id)).toMatchObject({ state: 'final' });
  });

  it('a transfer of a third party is refused as such', async () => {
    const settling = await bench.openSettling({ limits: { pollMsMax: 5 } });
    const { payment } = await settling.executed();
    await bench.sendAsThirdParty(bench.encodeTransfer(payment));
    hide(receipts);
    expect(await settling.settler.settle(payment)).toEqual({
      state: 'refused',
      reason: 'third_party_sender',
    });
  });

  it('a payment through a facilitator settles', async () => {
    const facilitator = await startTestFacilitator(bench.devnet);
    const settling = await bench.openSettling({ through: { url: facilitator.url } });
    hide(receipts);
    expect(await settling.settler.settle((await settling.executed()).payment)).toEqual(settled);
    await settling.close();
    await facilitator.close();
  });
});

describe('While a node shows neither receipts nor logs (D-207)', () => {
  it('a payment stays unknown without debt, the gateway is not ready, and the payment settles later', async () => {
    const settling = await bench.openSettling(impatient);
    const executed = await settling.executed();
    const before = await merchant();
    expect(await settling.settler.healthIssue()).toBeNull();
    hide(receiptsAndLogs);
    await becomesUndecided(settling, executed);
    expect(await isBlocked(settling, executed)).toBe(false);
    expect(await settling.settler.healthIssue()).toMatch(/^the node shows no receipts/);
    const other = await settling.executed();
    await becomesUndecided(settling, other);
    heal();
    for (const each of [executed, other]) await settlesAgain(settling, each);
    expect(await settling.settler.healthIssue()).toBeNull();
    expect((await merchant()) - before).toBe(price * 2n);
  });

  it('the next process reports it too, and a payment settles by the maintenance loop of a third', async () => {
    const first = await bench.openSettling(impatient);
    const executed = await first.executed();
    hide(receiptsAndLogs);
    await becomesUndecided(first, executed);
    await first.settler.close();
    const second = await bench.openSettling({ ...impatient, after: first });
    await becomesUndecided(second, executed);
    expect(await second.settler.healthIssue()).toMatch(/^the node shows no receipts/);
    await second.settler.close();
    heal();
    const clock = { ...systemClock, steadySeconds: () => unixSeconds(systemClock.steadySeconds() + 60) };
    const next = await bench.openSettling({ after: first, maintenanceMs: 20, clock });
    await expect.poll(() => next.store.find(executed.payment.id)).toMatchObject({ state: 'settled' });
  });
});

describe('While a node shows receipts without logs, and the state shows that our block spent the payment (D-207)', () => {
  it.each([
    ['all logs', () => true],
    ['the logs of authorizations', (name: string | undefined) => name === topic.authorizationUsed],
  ] as const)(
    '%s: the payment waits without debt, the gateway is not ready, and it settles later',
    async (_, isHidden) => {
      const settling = await bench.openSettling(impatient);
      const executed = await settling.executed();
      const before = await merchant();
      hideLogs(isHidden);
      await becomesUndecided(settling, executed);
      expect(await isBlocked(settling, executed)).toBe(false);
      expect(await settling.settler.healthIssue()).toMatch(/^the node shows no logs/);
      heal();
      await settlesAgain(settling, executed);
      expect(await settling.settler.healthIssue()).toBeNull();
      expect((await merchant()) - before).toBe(price);
    },
  );

  it('a payment settles by the logs of its block, if the node shows these', async () => {
    const settling = await bench.openSettling(impatient);
    hideLogs(() => true, 'sound');
    const { payment } = await settling.executed();
    await expect.poll(() => settling.settler.settle(payment)).toEqual(settled);
    expect(await settling.settler.healthIssue()).toBeNull();
  });

  it('a payment that a third party spent in another block is refused, and the gateway stays ready', async () => {
    const settling = await bench.openSettling(impatient);
    const executed = await spentByThirdParty(settling);
    hideLogs(() => true);
    bench.node.conduct = () => 'sound';
    const asked = async () =>
      settling.settler.settle((await settling.store.find(executed.payment.id)) ?? executed.payment);
    await expect.poll(asked).toEqual({ state: 'refused', reason: 'authorization_used' });
    expect(await settling.settler.healthIssue()).toBeNull();
  });
});

describe('A foreign transaction with the nonce of ours, and a third party that spent the payment', () => {
  it('end in a refusal once the node shows receipts, although no log names the spender (D-192, D-207)', async () => {
    const settling = await bench.openSettling(impatient);
    const executed = await spentByThirdParty(settling);
    await useNonce(settling);
    bench.node.conduct = () => 'sound';
    hide(receiptsAndLogs);
    await expect.poll(() => settling.store.find(executed.payment.id)).toMatchObject({ state: 'failed' });
    hide({ eth_getLogs: [] });
    await expect
      .poll(async () =>
        settling.settler.settle((await settling.store.find(executed.payment.id)) ?? executed.payment),
      )
      .toEqual({ state: 'refused', reason: 'authorization_used' });
    expect(await settling.settler.healthIssue()).toBeNull();
  });

  /** Sends nothing from the relayer's account, with the nonce of the gateway's own transaction. */
  async function useNonce({ relayer, relayerKey }: Settling): Promise<void> {
    const { raw } = signTransaction(relayerKey, {
      chainId: bench.devnet.chainId,
      nonce: 0,
      to: relayer,
      data: '0x' as Hex,
      gasLimit: 21_000n,
      maxFeePerGas: 40_000_000_000n,
      maxPriorityFeePerGas: 30_000_000_000n,
    });
    await ask(bench.rpc, 'eth_sendRawTransaction', [raw]);
  }
});

it('A payment of our own transaction is not refused after its window, while receipts and logs are hidden (D-207)', async () => {
  const settling = await bench.openSettling(impatient);
  const validBefore = BigInt(systemClock.nowSeconds()) + 600n;
  const executed = await settling.executed({ validBefore });
  hide(receiptsAndLogs);
  await settling.settler.settle(executed.payment);
  await untilSent(settling, executed);
  await ask(bench.rpc, 'evm_increaseTime', [700]);
  await ask(bench.rpc, 'evm_mine', []);
  await becomesUndecided(settling, executed);
  heal();
  await settlesAgain(settling, executed);
});
