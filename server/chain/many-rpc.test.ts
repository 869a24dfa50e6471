import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Anvil } from '../devnet/anvil.ts';
import {
  countReads,
  holder,
  type RpcBench,
  read,
  startChain,
  startRpcBench,
  withError,
  withResult,
  zero,
} from '../testing/chain/rpc.ts';
import { lag } from '../testing/settlement/lagging-node.ts';
import type { Conduct } from '../testing/settlement/unreliable-node.ts';
import { systemClock } from '../types/clock.ts';
import type { HttpRpc } from './http-rpc.ts';

// Several endpoints of one real chain: which endpoints a call uses (D-59).

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

describe('Reads', () => {
  it('stay with one endpoint while it is healthy', async () => {
    const rpc = await bench.opened(3);
    for (let call = 0; call < 20; call++) expect(await read(rpc)).toEqual(zero);
    expect(nodes.map(countReads).toSorted((a, b) => a - b)).toEqual([0, 0, 20]);
  });

  it.each<Conduct>(['hangs', 'fails', 'babbles'])(
    'go to the next endpoint when it %s, within the caller’s deadline, and stay there',
    async (conduct) => {
      const rpc = await bench.opened();
      await read(rpc);
      const [first, second] = nodes;
      first.conduct = () => conduct;
      const startedAt = systemClock.monotonicMs();
      expect(await rpc.call('eth_getBalance', [holder, 'latest'], { timeoutMs: 3_000 })).toEqual(zero);
      expect(systemClock.monotonicMs() - startedAt).toBeLessThan(3_000);
      const before = countReads(first);
      for (let call = 0; call < 10; call++) expect(await read(rpc)).toEqual(zero);
      expect(countReads(first)).toBe(before);
      expect(countReads(second)).toBe(11);
    },
  );

  it.each([
    ['no quantity', 'eth_getBalance', [holder, 'latest'], 'lots', '0x0'],
    ['a number for text', 'eth_getBalance', [holder, 'latest'], 7, '0x0'],
    ['no newest block', 'eth_getBlockByNumber', ['latest', false], null, expect.anything()],
    ['another block', 'eth_getBlockByNumber', ['0x1', false], {}, expect.objectContaining({ number: '0x1' })],
    ['no list of logs', 'eth_getLogs', [{}], {}, []],
    [
      'another transaction’s receipt',
      'eth_getTransactionReceipt',
      [`0x${'12'.repeat(32)}`],
      { logs: [] },
      null,
    ],
  ])(
    'count %s as no response, and go to the next endpoint',
    async (_name, method, params, nonsense, response) => {
      const rpc = await bench.opened();
      nodes[0].rewrite = (called, _body, said) => (called === method ? withResult(said, nonsense) : said);
      for (let call = 0; call < 3; call++)
        expect(await rpc.call(method, params)).toEqual({ ok: true, value: response });
      expect(bench.findLogs('RPC endpoint 1 failed')).not.toEqual([]);
    },
  );

  it('take a revert as the result, and use no other endpoint', async () => {
    const rpc = await bench.opened(3);
    const refuse = (_method: string, _body: string, response: string) =>
      withError(response, 3, 'execution reverted: no such block');
    for (const node of nodes) node.rewrite = refuse;
    expect(await read(rpc)).toMatchObject({ ok: false, fault: { kind: 'refused', code: 3 } });
    expect(nodes.map(countReads).reduce((sum, reads) => sum + reads)).toBe(1);
  });

  it.each([
    ['a replica that does not have the block', -32_000, 'header not found'],
    ['a node that has pruned the state', -32_000, 'missing trie node 12ab (path 00)'],
    [
      'ask the next endpoint where %s cannot tell, and keep the endpoint in use',
      -32_601,
      'the method does not exist',
    ],
    ['a node whose history is cut', 4_444, 'pruned history unavailable'],
  ])('ask the next one where %s cannot tell, and keep the endpoint in use', async (_name, code, message) => {
    const rpc = await bench.opened();
    const [first] = nodes;
    first.rewrite = (method, _body, response) =>
      method === 'eth_getBalance' ? withError(response, code, message) : response;
    for (let call = 0; call < 3; call++) expect(await read(rpc)).toEqual(zero);
    expect(bench.logged).toEqual([]);
    // When all endpoints return that error, it is the result.
    nodes[1].rewrite = first.rewrite;
    expect(await read(rpc)).toMatchObject({ ok: false, fault: { kind: 'refused', code, message } });
  });

  it('that their caller aborts are no failure of the endpoint', async () => {
    const rpc = await bench.opened();
    for (const node of nodes) node.conduct = (method) => (method === 'eth_getBalance' ? 'hangs' : 'sound');
    const leaving = new AbortController();
    const waiting = rpc.call('eth_getBalance', [holder, 'latest'], { signal: leaving.signal });
    leaving.abort();
    expect(await waiting).toEqual({
      ok: false,
      fault: { kind: 'unavailable', message: 'the caller no longer waits' },
    });
    expect(bench.logged).toEqual([]);
  });

  it('that a visitor chose are no failure of the endpoint (D-345)', async () => {
    const rpc = await bench.opened();
    for (const node of nodes) node.conduct = (method) => (method === 'eth_getLogs' ? 'fails' : 'sound');
    const asked = await rpc.call('eth_getLogs', [{}], { isForVisitor: true });
    expect(asked).toMatchObject({ ok: false, fault: { kind: 'unavailable' } });
    expect(await read(rpc)).toEqual(zero);
    expect(bench.logged).toEqual([]);
    // The same call of the gateway itself shows that both endpoints fail.
    await rpc.call('eth_getLogs', [{}]);
    expect(bench.findLogs('failed')).toHaveLength(2);
  });
});

describe('A signed transaction', () => {
  const hash = `0x${'aa'.repeat(32)}`;
  const send = (rpc: HttpRpc) => rpc.call('eth_sendRawTransaction', ['0x02c0']);
  /** Accepts the transaction, or refuses it with this error text. */
  const taking = (words?: string) => (method: string, _body: string, response: string) => {
    if (method !== 'eth_sendRawTransaction') return response;
    const { id } = JSON.parse(response);
    return words === undefined
      ? JSON.stringify({ jsonrpc: '2.0', id, result: hash })
      : withError(response, -32_000, words);
  };

  it('goes to all endpoints at once, and the first that accepts it decides the result', async () => {
    const rpc = await bench.opened(3, 10_000);
    nodes[0].conduct = (method) => (method === 'eth_sendRawTransaction' ? 'hangs' : 'sound');
    nodes[1].rewrite = taking('insufficient funds for gas * price + value');
    nodes[2].rewrite = taking();
    const startedAt = systemClock.monotonicMs();
    expect(await send(rpc)).toEqual({ ok: true, value: hash });
    expect(systemClock.monotonicMs() - startedAt).toBeLessThan(10_000);
    await expect.poll(() => nodes.map(({ sent }) => sent.size)).toEqual([1, 1, 1]);
  });

  it('counts as accepted when an endpoint has it already', async () => {
    const rpc = await bench.opened();
    nodes[0].rewrite = taking('nonce too low');
    nodes[1].rewrite = taking('already known');
    expect(await send(rpc)).toMatchObject({ fault: { message: 'already known' } });
  });

  it('is refused when one endpoint refuses and none accepts it, although another does not respond', async () => {
    const rpc = await bench.opened();
    nodes[0].conduct = (method) => (method === 'eth_sendRawTransaction' ? 'fails' : 'sound');
    nodes[1].rewrite = taking('nonce too low');
    expect(await send(rpc)).toMatchObject({ fault: { kind: 'refused', message: 'nonce too low' } });
    nodes[1].conduct = nodes[0].conduct;
    await expect.poll(() => send(rpc)).toMatchObject({ fault: { kind: 'unavailable' } });
  });

  it('also goes to an endpoint that lags', async () => {
    lag(nodes[0], anvil.rpcUrl, 6);
    const rpc = await bench.opened();
    await send(rpc);
    await expect.poll(() => nodes[0].sent.size).toBe(1);
  });
});

describe('A pinned endpoint', () => {
  it('receives every call, and the second is another endpoint', async () => {
    const rpc = await bench.opened(3);
    await read(rpc);
    const pinned = [rpc.pinEndpoint?.(0), rpc.pinEndpoint?.(1), rpc.pinEndpoint?.(1)];
    for (const endpoint of pinned) {
      expect(await endpoint?.call('eth_getBalance', [holder, 'latest'])).toEqual(zero);
      expect(await endpoint?.call('eth_getBalance', [holder, 'latest'])).toEqual(zero);
    }
    expect(nodes.map(countReads)).toEqual([3, 2, 2]);
    for (const node of nodes) node.conduct = () => 'fails';
    expect(await pinned[0]?.call('eth_getBalance', [holder, 'latest'])).toMatchObject({ ok: false });
    expect(nodes.map(countReads).reduce((sum, reads) => sum + reads)).toBe(8);
  });
});
