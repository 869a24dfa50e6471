import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createHttpRpc } from '../chain/http-rpc.ts';
import { openManyRpc } from '../chain/many-rpc.ts';
import { ask } from '../devnet/deployer.ts';
import { catchUp, lag } from '../testing/settlement/lagging-node.ts';
import {
  type Bench,
  type Executed,
  payerFunds,
  price,
  type Settling,
  startBench,
  token,
} from '../testing/settlement/settlement.ts';
import {
  type Conduct,
  startUnreliableNode,
  type UnreliableNode,
} from '../testing/settlement/unreliable-node.ts';
import { systemClock } from '../types/clock.ts';
import type { Hex } from '../types/units.ts';

// One chain through several endpoints, the first of which is faulty. Whatever it returns, the logs decide, and
// each payment settles once (D-59).

let bench: Bench;
let bad: UnreliableNode;
let good: UnreliableNode;
/** The warnings of the log. */
let warnings: string[];

beforeAll(async () => {
  bench = await startBench('kept');
});
afterAll(() => bench?.stop());
beforeEach(async () => {
  warnings = [];
  bad = await startUnreliableNode(bench.devnet.rpcUrl);
  good = await startUnreliableNode(bench.devnet.rpcUrl);
});
afterEach(async () => {
  await bad.close();
  await good.close();
});

const merchant = () => bench.balanceOf(bench.devnet.payTo);

/** Reads start at the first node, and stay there while it seems healthy. */
async function openSettling(
  options: Parameters<Bench['openSettling']>[0] = {},
  urls: readonly string[] = [bad.url, good.url],
): Promise<Settling> {
  const timeoutMs = 1_000;
  const warn = (...said: unknown[]) => void warnings.push(String(said.at(-1)));
  const log = { info: () => {}, warn, error: warn };
  const rpc = await openManyRpc({
    rpcs: urls.map((url) => createHttpRpc({ url, timeoutMs, responseBytesMax: 1_048_576 })),
    chainId: bench.devnet.chainId,
    clock: systemClock,
    log,
    timeoutMs,
    limits: { lagBlocksMax: 5, probeMs: 30, probeTimeoutMs: 300, pauseMs: 20, pauseMsMax: 80 },
  });
  if (!rpc.ok) throw new Error(rpc.fault.join('\n'));
  const settling = await bench.openSettling({ ...options, rpc: rpc.value });
  // A replica that is slightly behind has the relayer's ether too.
  await ask(bench.rpc, 'anvil_mine', ['0x10']);
  return settling;
}

/** Settles three payments in sequence, as a client does that sends again, and checks the transferred tokens. */
async function settlesAll(settling: Settling): Promise<void> {
  const before = await merchant();
  for (let count = 1; count <= 3; count++) {
    const executed = await settling.executed();
    await settles(settling, executed);
    expect((await merchant()) - before).toBe(price * BigInt(count));
  }
  expect(await settling.store.totals()).toEqual(new Map([['settled', { payments: 3, amount: price * 3n }]]));
}

async function settles({ settler }: Settling, { payment }: Executed): Promise<void> {
  await expect
    .poll(() => settler.settle(payment))
    .toEqual({ state: 'settled', txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/) });
}

/** Returns results of a valid shape with wrong contents: random numbers, no receipts and no logs. */
function lie(node: UnreliableNode): void {
  node.rewrite = (method, body, response) => {
    const { result } = JSON.parse(response) as { result?: unknown };
    const said = lies(method, body, result);
    return said === undefined ? response : JSON.stringify({ ...JSON.parse(response), result: said });
  };
}
function lies(method: string, body: string, result: unknown): unknown {
  const state = token.getFunction('authorizationState')?.selector.slice(2) ?? '';
  switch (method) {
    case 'eth_getTransactionReceipt':
      return null;
    case 'eth_getTransactionCount':
      return `0x${randomBytes(2).toString('hex')}`;
    case 'eth_getBalance':
      return `0x${randomBytes(8).toString('hex')}`;
    case 'eth_getLogs':
      return [];
    case 'eth_call':
      return body.includes(state) ? `0x${'0'.repeat(64)}` : `0x${randomBytes(32).toString('hex')}`;
    default:
      return result === undefined ? null : undefined;
  }
}

function conduct(how: UnreliableNode['conduct']): void {
  bad.conduct = how;
}
function forSends(how: Conduct): UnreliableNode['conduct'] {
  return (method) => (method === 'eth_sendRawTransaction' ? how : 'sound');
}

describe('With a main endpoint that', () => {
  it.each([
    ['lags by less than the bound', () => lag(bad, bench.devnet.rpcUrl, 3)],
    ['lags by more than the bound', () => lag(bad, bench.devnet.rpcUrl, 12)],
    ['returns wrong results', () => lie(bad)],
    ['hangs', () => conduct(() => 'hangs')],
    ['rejects transactions', () => conduct(forSends('fails'))],
    ['loses the response to each transaction', () => conduct(forSends('loses-response'))],
    ['demands ether', () => conduct(forSends('wants-ether'))],
    ['returns other content', () => conduct(() => 'babbles')],
  ])('%s, every payment settles once', async (_name, misbehave) => {
    const settling = await openSettling();
    misbehave();
    await settlesAll(settling);
  });

  it('is down at the start, every payment settles once (D-59)', async () => {
    await settlesAll(await openSettling({}, ['http://127.0.0.1:1', good.url]));
  });

  it('fails while a transaction is open, the other endpoint finds the transaction', async () => {
    const settling = await openSettling();
    bad.conduct = (method) => (method === 'eth_getTransactionReceipt' ? 'hangs' : 'sound');
    await settlesAll(settling);
  });
});

it('With one endpoint that lags, one with wrong results and one that is down, every payment settles through the fourth', async () => {
  const third = await startUnreliableNode(bench.devnet.rpcUrl);
  const settling = await openSettling({}, [bad.url, 'http://127.0.0.1:1', third.url, good.url]);
  lag(third, bench.devnet.rpcUrl, 3);
  lie(bad);
  await settlesAll(settling);
  await third.close();
});

it('While only an endpoint that lags too far responds, a payment waits, and settles when another endpoint works again', async () => {
  const settling = await openSettling({ settlementWaitMs: 100 });
  lag(bad, bench.devnet.rpcUrl, 12);
  // The lag is measured against the sound endpoint, which must have reported a block after the chain went on.
  await expect
    .poll(() => warnings)
    .toContain('RPC endpoint 1 lags behind. The gateway does not read from it.');
  await settles(settling, await settling.executed());
  good.conduct = () => 'fails';
  const executed = await settling.executed();
  expect(await settling.settler.settle(executed.payment)).toEqual({ state: 'unknown' });
  await expect.poll(() => settling.settler.healthIssue()).toMatch(/1: \d+ blocks behind; 2: /);
  good.conduct = () => 'sound';
  await settles(settling, executed);
});

describe('Two endpoints must agree before a payment is refused', () => {
  /** A payment whose transaction moves nothing, because the payer spent the balance before. */
  async function failsOnce(settling: Settling): Promise<Executed> {
    const executed = await settling.executed();
    const everything = token.encodeFunctionData('transfer', [`0x${'dd'.repeat(20)}`, payerFunds]) as Hex;
    await bench.sendAsThirdParty(everything, executed.payer.privateKey);
    return executed;
  }

  it('an endpoint that still shows the old balance delays the refusal, and no longer', async () => {
    const settling = await openSettling({ settlementWaitMs: 300 });
    const executed = await failsOnce(settling);
    lag(bad, bench.devnet.rpcUrl, 3);
    expect(await settling.settler.settle(executed.payment)).toEqual({ state: 'unknown' });
    catchUp(bad);
    await expect
      .poll(() => settling.settler.settle(executed.payment))
      .toEqual({ state: 'refused', reason: 'insufficient_funds' });
  });

  it('an endpoint that shows a full balance as empty does not cause a refusal: the payment is sent again and settles', async () => {
    const settling = await openSettling({ settlementWaitMs: 300 });
    const executed = await failsOnce(settling);
    bad.rewrite = (method, _body, response) =>
      method === 'eth_call'
        ? JSON.stringify({ ...JSON.parse(response), result: `0x${'0'.repeat(64)}` })
        : response;
    await ask(bench.rpc, 'evm_setAutomine', [false]);
    const settlement = settling.settler.settle(executed.payment);
    await expect.poll(() => good.sent.size).toBe(1);
    await ask(bench.rpc, 'evm_setAutomine', [true]);
    await ask(bench.rpc, 'evm_mine', []);
    await bench.devnet.mintTo(executed.payer.address, payerFunds);
    // The other endpoint simulates a success, so the payment is sent once more (D-135).
    await settlement;
    await settles(settling, executed);
    catchUp(bad);
  });
});
