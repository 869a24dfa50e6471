import { describe, expect, it } from 'vitest';
import type { Rpc, RpcCallOptions } from '../chain/rpc.ts';
import { fail, ok } from '../types/result.ts';
import type { Address } from '../types/units.ts';
import { nodeRoute } from './nodes.ts';

const contract = `0x${'ab'.repeat(20)}` as Address;
const other = `0x${'cd'.repeat(20)}`;
const hash = `0x${'12'.repeat(32)}`;
const read = { to: contract, data: '0x06fdde03' };
const logs = { address: contract, topics: [hash, hash], fromBlock: '0x0', toBlock: 'latest' };
/** JUMPDEST, PUSH0, JUMP: burns all gas of a call. */
const code = '0x5b5f56';

function createNode(call: (method: string) => Promise<unknown> = async () => ok('0x1')) {
  const calls: string[] = [];
  const params: (readonly unknown[])[] = [];
  const options: (RpcCallOptions | undefined)[] = [];
  const rpc: Rpc = {
    async call<T>(method: string, given: readonly unknown[], how?: RpcCallOptions) {
      calls.push(method);
      params.push(given);
      options.push(how);
      return (await call(method)) as Awaited<ReturnType<Rpc['call']>> & { value: T };
    },
  };
  const { respond } = nodeRoute({ rpc, contract }, async () => null);
  const ask = (body: unknown) => respond({ headers: {}, network: '127.0.0.1', query: {}, body });
  return { calls, params, options, ask };
}

describe('A call of the page', () => {
  it.each([
    ['eth_chainId', []],
    ['eth_blockNumber', []],
    ['eth_getBlockByNumber', ['0x1', false]],
    ['eth_getTransactionReceipt', [hash]],
    ['eth_getCode', [contract, 'latest']],
    ['eth_call', [{ to: contract.toUpperCase().replace('0X', '0x'), data: '0x06fdde03' }, 'latest']],
    ['eth_getLogs', [logs]],
  ])('%s reaches the node', async (method, params) => {
    const { calls, ask } = createNode();
    expect(await ask({ jsonrpc: '2.0', id: 1, method, params })).toMatchObject({
      status: 200,
      body: { jsonrpc: '2.0', id: 1, result: '0x1' },
    });
    expect(calls).toEqual([method]);
  });

  it.each([
    ['eth_getBlockByNumber', ['0x1', true]],
    ['eth_getBlockByNumber', ['pending', false]],
    ['eth_getTransactionReceipt', ['0x12']],
    ['eth_getCode', [other, 'latest']],
    ['eth_call', [{ ...read, to: other }, 'latest']],
    ['eth_call', [{ data: '0x' }, 'latest']],
    ['eth_call', [{ to: contract }, 'latest']],
    ['eth_getLogs', [{ ...logs, address: other }]],
    ['eth_getLogs', [{ ...logs, topics: [hash] }]],
    ['eth_getLogs', [{ ...logs, topics: [hash, hash, [hash, hash]] }]],
    ['eth_getLogs', [{ ...logs, topics: [hash, hash, null, null, null] }]],
    ['eth_getLogs', [{ address: contract, topics: [hash, hash] }]],
    ['eth_getLogs', [{ ...logs, address: [contract, other] }]],
    ['eth_estimateGas', [{ to: contract }]],
    ['debug_traceTransaction', [hash]],
    ['constructor', []],
    [5, []],
  ])('%s %j does not reach the node', async (method, params) => {
    const { calls, ask } = createNode();
    expect(await ask({ id: 'a', method, params })).toMatchObject({
      body: { id: 'a', error: { code: -32_601 } },
    });
    expect(calls).toEqual([]);
  });

  it.each([
    [
      'eth_call',
      [{ ...read, from: other, gas: '0x1', authorizationList: [] }, 'latest', { [contract]: { code } }, {}],
      [read, 'latest'],
    ],
    ['eth_getLogs', [{ ...logs, blockHash: hash, more: 1 }, 1], [logs]],
    ['eth_getBlockByNumber', ['0x1', false, 1], ['0x1', false]],
    ['eth_getTransactionReceipt', [hash, 1], [hash]],
    ['eth_getCode', [contract, 'latest', 1], [contract, 'latest']],
    ['eth_chainId', [1], []],
    ['eth_blockNumber', [1], []],
  ])('%s gives the node only the parameters that the gateway checked', async (method, given, passed) => {
    const { params, ask } = createNode();
    await ask({ id: 1, method, params: given });
    expect(params).toEqual([passed]);
  });

  it('says nothing about the endpoint when it fails (D-345)', async () => {
    const { options, ask } = createNode();
    await ask({ id: 1, method: 'eth_chainId' });
    expect(options).toMatchObject([{ isForVisitor: true }]);
  });

  it('has no more data than the longest call of the verifier', async () => {
    const { calls, ask } = createNode();
    const call = (digits: number) => ({ ...read, data: `0x${'0'.repeat(digits)}` });
    for (const digits of [8_193, 8_192])
      await ask({ id: 1, method: 'eth_call', params: [call(digits), 'latest'] });
    expect(calls).toHaveLength(1);
  });

  it('gets the error of the node, with the data of a revert', async () => {
    const { ask } = createNode(async () =>
      fail({ kind: 'refused', code: 3, message: 'reverted', data: '0x08' }),
    );
    expect(await ask({ id: 2, method: 'eth_chainId', params: [] })).toMatchObject({
      status: 200,
      body: { id: 2, error: { code: 3, message: 'reverted', data: '0x08' } },
    });
  });

  it('gets 503 while the node is down, without the reason, which may name it', async () => {
    const { ask } = createNode(async () => fail({ kind: 'unavailable', message: 'node.internal refused' }));
    const reply = await ask({ id: 2, method: 'eth_chainId', params: [] });
    expect(reply.status).toBe(503);
    expect(JSON.stringify(reply)).not.toContain('internal');
  });

  it('waits for no more than eight others', async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const { calls, ask } = createNode(() => promise);
    const asked = Array.from({ length: 10 }, (_, id) => ask({ id, method: 'eth_chainId', params: [] }));
    const late = await Promise.all(asked.slice(8));
    expect(late.map(({ status }) => status)).toEqual([503, 503]);
    resolve(ok('0x1'));
    expect((await Promise.all(asked.slice(0, 8))).map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(calls).toHaveLength(8);
    expect((await ask({ id: 9, method: 'eth_chainId', params: [] })).status).toBe(200);
  });
});
