import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Anvil } from '../devnet/anvil.ts';
import {
  chainId,
  countReads,
  holder,
  type RpcBench,
  read,
  secret,
  startChain,
  startRpcBench,
  withResult,
  zero,
} from '../testing/chain/rpc.ts';
import { catchUp, lag } from '../testing/settlement/lagging-node.ts';
import type { UnreliableNode } from '../testing/settlement/unreliable-node.ts';
import { systemClock } from '../types/clock.ts';

// Several endpoints of one real chain: which of them the gateway may use (D-59).

let anvil: Anvil;
let bench: RpcBench;
let nodes: RpcBench['nodes'];

beforeAll(async () => {
  anvil = await startChain();
});
afterAll(() => anvil?.stop());
beforeEach(async () => {
  bench = await startRpcBench(anvil);
  ({ nodes } = bench);
});
afterEach(() => bench.close());

/** Makes the node return a newest block that is `blocks` ahead of the chain's. */
function boast(node: UnreliableNode, blocks: number): void {
  node.rewrite = (_method, body, response) => {
    const { result } = JSON.parse(response);
    if (!body.includes('"latest"') || !result?.number) return response;
    return withResult(response, { ...result, number: `0x${(Number(result.number) + blocks).toString(16)}` });
  };
}

describe('An endpoint that failed', () => {
  it('is logged once, probed in the background, and logged once when it works again', async () => {
    const rpc = await bench.opened();
    nodes[0].conduct = () => 'fails';
    await expect.poll(() => bench.findLogs('RPC endpoint 1 failed')).toHaveLength(1);
    const before = countReads(nodes[0]);
    for (let call = 0; call < 10; call++) expect(await read(rpc)).toEqual(zero);
    nodes[0].conduct = () => 'sound';
    await expect.poll(() => bench.findLogs('RPC endpoint 1 works again')).toHaveLength(1);
    expect(countReads(nodes[0])).toBe(before);
    // The gateway may read from it again.
    nodes[1].conduct = () => 'fails';
    expect(await read(rpc)).toEqual(zero);
    expect(bench.findLogs('RPC endpoint 1 failed')).toHaveLength(1);
    expect(bench.logged.join('\n')).not.toContain(secret);
    expect(bench.logged.join('\n')).not.toContain('127.0.0.1');
  });

  it('is probed with growing pauses', async () => {
    await bench.opened();
    const looks: number[] = [];
    nodes[0].conduct = (method) => {
      if (method === 'eth_chainId') looks.push(systemClock.monotonicMs());
      return 'fails';
    };
    await expect.poll(() => looks.length).toBeGreaterThanOrEqual(5);
    const pauses = looks.slice(1, 5).map((at, index) => at - (looks[index] ?? 0));
    // A busy machine makes the pauses longer. Only a millisecond of rounding makes them shorter.
    for (const [index, least] of [40, 80, 80, 80].entries()) expect(pauses[index]).toBeGreaterThan(least - 2);
  });
});

describe('When no endpoint responds', () => {
  it('a call returns one sentence within its deadline, and the first endpoint that works again is used at once', async () => {
    const rpc = await bench.opened(3);
    for (const node of nodes) node.conduct = () => 'hangs';
    const startedAt = systemClock.monotonicMs();
    expect((await rpc.call('eth_getBalance', [holder, 'latest'], { timeoutMs: 300 })).ok).toBe(false);
    // In sequence, each endpoint would have had 2,000 ms.
    expect(systemClock.monotonicMs() - startedAt).toBeLessThan(5_000);
    await expect.poll(() => bench.findLogs('failed')).toHaveLength(3);
    const response = await rpc.call('eth_getBalance', [holder, 'latest'], { timeoutMs: 300 });
    const sentence = /^none of the 3 RPC endpoints is usable \(1: .+; 2: .+; 3: .+\)$/;
    expect(response).toMatchObject({
      fault: { kind: 'unavailable', message: expect.stringMatching(sentence) },
    });
    expect(JSON.stringify(response)).not.toContain(secret);
    nodes[1].conduct = () => 'sound';
    await expect.poll(() => read(rpc)).toEqual(zero);
  });
});

describe('An endpoint that lags', () => {
  it('by more than the bound is not read from until it catches up', async () => {
    lag(nodes[0], anvil.rpcUrl, 6);
    const rpc = await bench.opened();
    expect(bench.findLogs('RPC endpoint 1 lags behind')).toHaveLength(1);
    for (let call = 0; call < 5; call++) expect(await read(rpc)).toEqual(zero);
    expect(countReads(nodes[0])).toBe(0);
    // Also not when every other endpoint has failed, because its state of the chain is old.
    nodes[1].conduct = () => 'fails';
    expect(await read(rpc)).toMatchObject({ ok: false });
    expect(await read(rpc)).toMatchObject({
      fault: { message: expect.stringContaining('1: 6 blocks behind') },
    });
    expect(countReads(nodes[0])).toBe(0);
    lag(nodes[0], anvil.rpcUrl, 5);
    await expect.poll(() => read(rpc)).toEqual(zero);
    expect(bench.findLogs('RPC endpoint 1 has caught up')).toHaveLength(1);
  });

  it('while the gateway reads from it is left for another', async () => {
    const rpc = await bench.opened();
    const [first] = nodes;
    expect(await read(rpc)).toEqual(zero);
    lag(first, anvil.rpcUrl, 6);
    await expect.poll(() => bench.findLogs('lags behind')).toHaveLength(1);
    const before = countReads(first);
    expect(await read(rpc)).toEqual(zero);
    expect(countReads(first)).toBe(before);
  });

  it('is not found by comparison with a block that its endpoint does not have', async () => {
    boast(nodes[1], 1_000_000);
    const rpc = await bench.opened();
    expect(bench.findLogs('lags behind')).toEqual([]);
    expect(bench.findLogs('RPC endpoint 2 failed')).toHaveLength(1);
    expect(await read(rpc)).toEqual(zero);
    catchUp(nodes[1]);
    await expect.poll(() => bench.findLogs('RPC endpoint 2 works again')).toHaveLength(1);
    boast(nodes[1], 1_000_000);
    await expect.poll(() => bench.findLogs('RPC endpoint 2 failed')).toHaveLength(2);
    expect(bench.findLogs('lags behind')).toEqual([]);
  });
});

describe('An endpoint of another chain', () => {
  const serve = (id: string) => (method: string, _body: string, response: string) =>
    method === 'eth_chainId' ? withResult(response, id) : response;

  it('is rejected at the start when it responds', async () => {
    nodes[1].rewrite = serve('0x1');
    expect(await bench.open()).toEqual({
      ok: false,
      fault: [
        `RPC endpoint 2 serves chain 1, and payments are on chain ${chainId}: replace its URL in CHAIN_RPC_URL.`,
      ],
    });
  });

  it('is rejected when it has the same id and another first block', async () => {
    nodes[1].rewrite = (_method, body, response) =>
      body.includes('"0x0"')
        ? withResult(response, { ...JSON.parse(response).result, hash: `0x${'ab'.repeat(32)}` })
        : response;
    expect(await bench.open()).toMatchObject({
      fault: [
        expect.stringMatching(/^RPC endpoint 2 serves a different chain with the id 84532 .*CHAIN_RPC_URL/),
      ],
    });
  });

  it('that was down at the start is never used when it starts', async () => {
    nodes[1].conduct = () => 'fails';
    const rpc = await bench.opened();
    nodes[1].rewrite = serve('0x1');
    nodes[1].conduct = () => 'sound';
    await expect.poll(() => bench.findLogs('RPC endpoint 2 serves chain 1')).toHaveLength(1);
    nodes[0].conduct = () => 'fails';
    expect(await read(rpc)).toMatchObject({ ok: false });
    expect(await rpc.call('eth_sendRawTransaction', ['0x02'])).toMatchObject({ ok: false });
    expect([countReads(nodes[1]), nodes[1].sent.size]).toEqual([0, 0]);
  });
});
