import { inferenceLedgerAbi } from '@paid-inference/contract/ledger';
import { Interface, id } from 'ethers';
import { describe, expect, it } from 'vitest';
import type { Rpc, RpcCallOptions } from '../chain/rpc.ts';
import { fail, ok } from '../types/result.ts';
import type { Address } from '../types/units.ts';
import { nonceUse, proofRecord, type SiteEvent } from './node-calls.ts';
import { nodeRoute } from './nodes.ts';

const contract = `0x${'ab'.repeat(20)}` as Address;
const other = `0x${'cd'.repeat(20)}`;
const hash = `0x${'12'.repeat(32)}`;
const range = { fromBlock: '0x0', toBlock: 'latest' };
const used = id('AuthorizationUsed(address,bytes32)');
const moved = id('Transfer(address,address,uint256)');
const recorded = new Interface(inferenceLedgerAbi).getEvent('InferenceRecorded')?.topicHash ?? '';

function createNode(
  call: (method: string) => Promise<unknown> = async () => ok('0x1'),
  event: SiteEvent = nonceUse,
) {
  const calls: [method: string, params: readonly unknown[]][] = [];
  const options: (RpcCallOptions | undefined)[] = [];
  const rpc: Rpc = {
    async call<T>(method: string, params: readonly unknown[], how?: RpcCallOptions) {
      calls.push([method, params]);
      options.push(how);
      return (await call(method)) as Awaited<ReturnType<Rpc['call']>> & { value: T };
    },
  };
  const { respond } = nodeRoute({ rpc, contract }, event, async () => null);
  const ask = (body: unknown, network = '127.0.0.1') => respond({ headers: {}, network, query: {}, body });
  return { calls, options, ask };
}

const call = { to: contract, data: '0x06fdde03' };
/** A token may run code of an account that the data names. */
const checkedCall = { ...call, gas: '0x7a120' };
const upper = contract.toUpperCase().replace('0X', '0x');

describe('A call of the page', () => {
  it.each([
    ['eth_chainId', [], []],
    ['eth_blockNumber', [], []],
    ['eth_getBlockByNumber', ['0x1', false], ['0x1', false]],
    ['eth_getTransactionReceipt', [hash], [hash]],
    ['eth_getCode', [upper, 'latest'], [contract, 'latest']],
    ['eth_call', [{ ...call, to: upper }, 'latest'], [checkedCall, 'latest']],
    // An override of the state would let a visitor run any code at the node.
    [
      'eth_call',
      [{ ...call, gas: '0xffffffff' }, 'latest', { [contract]: { code: '0x5b' } }],
      [checkedCall, 'latest'],
    ],
    [
      'eth_getLogs',
      [{ topics: [used.toUpperCase().replace('0X', '0x'), hash, hash, hash], ...range }],
      [{ address: contract, topics: [used, hash, hash], ...range }],
    ],
  ])('%s %j reaches the node with its checked parts alone', async (method, params, forwarded) => {
    const { calls, ask } = createNode();
    expect(await ask({ jsonrpc: '2.0', id: 1, method, params })).toMatchObject({
      status: 200,
      body: { jsonrpc: '2.0', id: 1, result: '0x1' },
    });
    expect(calls).toEqual([[method, forwarded]]);
  });

  it.each([
    ['eth_getBlockByNumber', ['0x1', true]],
    ['eth_getBlockByNumber', ['pending', false]],
    ['eth_getTransactionReceipt', ['0x12']],
    ['eth_getCode', [other, 'latest']],
    ['eth_call', [{ ...call, to: other }, 'latest']],
    ['eth_call', [{ data: '0x' }, 'latest']],
    ['eth_call', [{ to: contract }, 'latest']],
    ['eth_call', [{ to: contract, data: '0x' }, { blockHash: hash }]],
    ['eth_getLogs', [{ address: other, topics: [used, hash, hash], ...range }]],
    ['eth_getLogs', [{ address: [contract, other], topics: [used, hash, hash], ...range }]],
    ['eth_getLogs', [{ topics: [used, hash, hash], blockHash: hash }]],
    ['eth_getLogs', [{ ...range }]],
    ['eth_getLogs', [{ topics: [{ toString: 1 }, hash, hash], ...range }]],
    ['eth_estimateGas', [{ to: contract }]],
    ['debug_traceTransaction', [hash]],
    ['constructor', []],
    [5, []],
    ['eth_chainId', {}],
  ])('%s %j does not reach the node', async (method, params) => {
    const { calls, ask } = createNode();
    // A text as id could be as long as the body, so it is not repeated.
    expect(await ask({ id: 'a', method, params })).toMatchObject({
      body: { id: null, error: { code: -32_601 } },
    });
    expect(calls).toEqual([]);
  });

  it.each([
    ['the payments to a recipient', nonceUse, [moved, null, hash]],
    ['the payments of a payer to a recipient', nonceUse, [moved, hash, hash]],
    ['the nonces of a payer', nonceUse, [used, hash]],
    ['the nonces of a payer and any other', nonceUse, [used, hash, [hash, hash]]],
    ['the proofs of a key', proofRecord, [recorded, null, hash]],
    ['all proofs', proofRecord, [recorded]],
    ['several proofs', proofRecord, [recorded, [hash, hash]]],
  ])('cannot list %s', async (_name, event, topics) => {
    const { calls, ask } = createNode(undefined, event);
    const filter = { address: contract, topics, ...range };
    expect(await ask({ id: 1, method: 'eth_getLogs', params: [filter] })).toMatchObject({
      body: { error: { code: -32_601 } },
    });
    expect(calls).toEqual([]);
  });

  it('finds the record of one proof by its id', async () => {
    const { calls, ask } = createNode(undefined, proofRecord);
    const filter = { address: contract, topics: [recorded, hash], ...range };
    await ask({ id: 1, method: 'eth_getLogs', params: [filter] });
    expect(calls).toEqual([['eth_getLogs', [filter]]]);
  });

  it('gets a block without its transactions, which would lead from block to block to all payments', async () => {
    const block = { number: '0x1', timestamp: '0x2', transactions: [hash] };
    const { ask } = createNode(async () => ok(block));
    const params = ['latest', false];
    expect((await ask({ id: 1, method: 'eth_getBlockByNumber', params })).body).toMatchObject({
      result: { number: '0x1', timestamp: '0x2', transactions: [] },
    });
    const none = createNode(async () => ok(null));
    expect((await none.ask({ id: 1, method: 'eth_getBlockByNumber', params })).body).toMatchObject({
      result: null,
    });
  });

  it('says nothing about the endpoint when it fails (D-345)', async () => {
    const { options, ask } = createNode();
    await ask({ id: 1, method: 'eth_chainId' });
    expect(options).toMatchObject([{ isForVisitor: true }]);
  });

  it('has no more data than the longest call of the verifier', async () => {
    const { calls, ask } = createNode();
    for (const digits of [8_193, 8_192])
      await ask({
        id: 1,
        method: 'eth_call',
        params: [{ ...call, data: `0x${'0'.repeat(digits)}` }, 'latest'],
      });
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

  it('waits for no more than eight others, and four of its network', async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const { calls, ask } = createNode(() => promise);
    const request = { method: 'eth_chainId', params: [] };
    const asked = Array.from({ length: 4 }, (_, id) => ask({ id, ...request }));
    expect((await ask({ id: 4, ...request })).status).toBe(503);
    for (const id of [4, 5, 6, 7, 8, 9]) asked.push(ask({ id, ...request }, `127.0.0.${id}`));
    const late = await Promise.all(asked.slice(8));
    expect(late.map(({ status }) => status)).toEqual([503, 503]);
    resolve(ok('0x1'));
    expect((await Promise.all(asked.slice(0, 8))).map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(calls).toHaveLength(8);
    expect((await ask({ id: 9, ...request })).status).toBe(200);
  });
});
