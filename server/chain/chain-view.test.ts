import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ask } from '../devnet/deployer.ts';
import type { PaymentRecord } from '../store/store.ts';
import { type Bench, type Settling, startBench } from '../testing/settlement/settlement.ts';
import { fail, ok, type Result } from '../types/result.ts';
import type { Bytes32 } from '../types/units.ts';
import { parseCount, readHead, readIncluded, readMined, readMinedNonce } from './chain-view.ts';
import { findSpender, type SpentPayment } from './find-spender.ts';
import type { Rpc, RpcFault } from './rpc.ts';
import { tracePayment } from './token-logs.ts';

let bench: Bench;
let settling: Settling;
let payment: PaymentRecord;
let expected: SpentPayment;
const unknownHash = `0x${'00'.repeat(32)}` as Bytes32;

beforeAll(async () => {
  bench = await startBench();
  settling = await bench.openSettling();
});
afterAll(() => bench?.stop());
beforeEach(async () => {
  payment = (await settling.executed()).payment;
  expected = { asset: payment.asset, createdAt: payment.createdAt, ...payment.authorization };
});

/** A node that returns the same result for every method. */
function nodeThatSays(response: unknown): Rpc {
  return { call: <T>() => Promise.resolve(ok(response as T)) };
}

describe('readMined', () => {
  it('returns null for a transaction that is not in a block', async () => {
    expect(await readMined(bench.rpc, unknownHash)).toEqual({ ok: true, value: null });
  });

  it('returns the logs and the block of a mined transaction', async () => {
    const txHash = await bench.sendAsThirdParty(bench.encodeTransfer(payment));
    const block = Number(await ask<string>(bench.rpc, 'eth_blockNumber', []));
    const mined = await readIncluded(bench.rpc, txHash);
    if (!mined.ok || mined.value === null) throw new Error('not mined');
    expect(mined.value).toMatchObject({ txHash });
    expect(tracePayment(mined.value.logs, expected)).toBe('paid');
    expect(block - mined.value.block).toBeLessThanOrEqual(1);
  });

  const inBlock = { blockNumber: '0x1', blockHash: unknownHash };
  it.each([
    [{}],
    [{ blockNumber: null, logs: [] }],
    [{ blockNumber: '0x1', logs: null }],
    [{ ...inBlock, logs: [null] }],
    [{ ...inBlock, logs: [{ address: '0x', topics: [null], data: '0x' }] }],
    ['0x1'],
  ])('returns unavailable for the receipt %j', async (response) => {
    const read = await readMined(nodeThatSays(response), unknownHash);
    expect(read).toMatchObject({ ok: false, fault: { kind: 'unavailable' } });
  });
});

describe('findSpender', () => {
  const find = (rpc: Rpc = bench.rpc) => findSpender(rpc, bench.token, expected, 10_000);

  it('returns null while the nonce is unspent', async () => {
    expect(await find()).toEqual({ ok: true, value: null });
  });

  it('returns the transaction that spent the nonce, also of a third party', async () => {
    const txHash = await bench.sendAsThirdParty(bench.encodeTransfer(payment));
    expect(await find()).toMatchObject({ ok: true, value: { txHash } });
  });

  it('searches the logs in several queries of a size that nodes allow', async () => {
    const txHash = await bench.sendAsThirdParty(bench.encodeTransfer(payment));
    const newest = Number(await ask<string>(bench.rpc, 'eth_blockNumber', []));
    const spans: number[] = [];
    // The same chain 4,500 empty blocks later.
    const later: Rpc = {
      call: <T>(method: string, params: readonly unknown[]) => {
        if (params[0] === 'latest')
          return Promise.resolve(ok({ number: `0x${(newest + 4_500).toString(16)}`, timestamp: '0x1' } as T));
        if (method !== 'eth_getLogs') return bench.rpc.call<T>(method, params);
        const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
        spans.push(Number(toBlock) - Number(fromBlock) + 1);
        return Number(fromBlock) > newest ? Promise.resolve(ok([] as T)) : bench.rpc.call<T>(method, params);
      },
    };
    expect(await find(later)).toMatchObject({ ok: true, value: { txHash } });
    expect(spans).toHaveLength(3);
    expect(Math.max(...spans)).toBeLessThanOrEqual(2_000);
  });

  it.each([10, 1])(
    'finds the spender through a node that limits a query to %i blocks (D-192)',
    async (blocksMax) => {
      const txHash = await bench.sendAsThirdParty(bench.encodeTransfer(payment));
      const bounded: Rpc = {
        call: <T>(method: string, params: readonly unknown[]) => {
          const { fromBlock, toBlock } = (params[0] ?? {}) as { fromBlock: string; toBlock: string };
          const refusal = { kind: 'refused', code: -32600, message: 'the range is too large' } as const;
          return method === 'eth_getLogs' && Number(toBlock) - Number(fromBlock) >= blocksMax
            ? Promise.resolve(fail(refusal))
            : bench.rpc.call<T>(method, params);
        },
      };
      expect(await find(bounded)).toMatchObject({ ok: true, value: { txHash } });
    },
  );

  it('returns unseen, not unspent, when the logs of a spent nonce are missing', async () => {
    await bench.sendAsThirdParty(bench.encodeTransfer(payment));
    const forgetful: Rpc = {
      call: <T>(method: string, params: readonly unknown[]) =>
        method === 'eth_getLogs' ? Promise.resolve(ok([] as T)) : bench.rpc.call<T>(method, params),
    };
    expect(await find(forgetful)).toEqual({ ok: true, value: 'unseen' });
  });

  /** A node that returns null for these methods. */
  const nodeWithout = (...methods: readonly string[]): Rpc => ({
    call: <T>(method: string, params: readonly unknown[]) =>
      methods.includes(method) && params[0] !== 'latest'
        ? Promise.resolve(ok(null as T))
        : bench.rpc.call<T>(method, params),
  });

  it('returns unseen, not unspent, when the receipt and the block of the spender are missing', async () => {
    await bench.sendAsThirdParty(bench.encodeTransfer(payment));
    const forgetful = nodeWithout('eth_getTransactionReceipt', 'eth_getBlockByNumber');
    expect(await find(forgetful)).toEqual({ ok: true, value: 'unseen' });
  });

  it('returns the spender by the logs of its block when only its receipt is missing (D-207)', async () => {
    await bench.sendAsThirdParty(bench.encodeTransfer(payment));
    const whole = await find();
    if (!whole.ok || whole.value === null || whole.value === 'unseen') throw new Error('not found');
    const found = await find(nodeWithout('eth_getTransactionReceipt'));
    if (!found.ok || found.value === null || found.value === 'unseen') throw new Error('not found');
    const { logs, gas, ...inclusion } = found.value;
    expect(gas).toBeNull();
    expect(whole.value).toMatchObject(inclusion);
    expect(tracePayment(logs, expected)).toBe('paid');
    expect(logs).toHaveLength(whole.value.logs.length);
  });

  it.each([['nothing'], [null], [{}]])(
    'returns unavailable when the node returns %j as logs',
    async (logs) => {
      await bench.sendAsThirdParty(bench.encodeTransfer(payment));
      const odd: Rpc = {
        call: <T>(method: string, params: readonly unknown[]) =>
          method === 'eth_getLogs' ? Promise.resolve(ok(logs as T)) : bench.rpc.call<T>(method, params),
      };
      expect(await find(odd)).toMatchObject({ ok: false, fault: { kind: 'unavailable' } });
    },
  );
});

describe('readIncluded', () => {
  it('returns unavailable for a receipt whose block is not in the chain under its number', async () => {
    const txHash = await bench.sendAsThirdParty(bench.encodeTransfer(payment));
    expect(await readIncluded(bench.rpc, txHash)).toMatchObject({ ok: true, value: { txHash } });
    for (const blockNumber of ['0x1fffffffffffff', '0x1', `0x${'ff'.repeat(32)}`]) {
      const odd: Rpc = {
        call: async <T>(method: string, params: readonly unknown[]) => {
          const response = await bench.rpc.call<object>(method, params);
          if (method !== 'eth_getTransactionReceipt' || !response.ok) return response as Result<T, RpcFault>;
          return ok({ ...response.value, blockNumber } as T);
        },
      };
      expect(await readIncluded(odd, txHash)).toMatchObject({ ok: false, fault: { kind: 'unavailable' } });
    }
  });
});

describe('Numbers from a node', () => {
  it('are parsed', async () => {
    const block = await ask<{ timestamp: string }>(bench.rpc, 'eth_getBlockByNumber', ['latest', false]);
    expect(await readHead(bench.rpc)).toMatchObject({
      ok: true,
      value: { seconds: BigInt(block.timestamp) },
    });
    expect(parseCount('0x10')).toBe(16);
  });

  it.each([[null], ['16'], ['0x'], [16], [{}], ['0xffffffffffffffff']])(
    'are rejected as unavailable when the node returns %j',
    async (response) => {
      expect(parseCount(response)).toBeNull();
      expect(await readMinedNonce(nodeThatSays(response), settling.relayer)).toMatchObject({ ok: false });
      expect(await readHead(nodeThatSays({ number: response, timestamp: '0x1' }))).toMatchObject({
        ok: false,
      });
      expect(await readHead(nodeThatSays(null))).toMatchObject({ ok: false });
    },
  );
});
