import { expect, test } from 'vitest';
import type { Rpc, RpcFault } from '../chain/rpc.ts';
import { createPaymentToken } from '../chain/token.ts';
import { manualClock } from '../types/clock.ts';
import { fail, ok } from '../types/result.ts';
import type { Address, Bytes32 } from '../types/units.ts';
import { createPayerReader } from './balance.ts';

// chain/payer-state.test.ts covers the reading with Multicall3; these tests cover the reading without it.
const payer = `0x${'44'.repeat(20)}` as Address;
const asset = `0x${'aa'.repeat(20)}` as Address;
const nonce = `0x${'77'.repeat(32)}` as Bytes32;
const down: RpcFault = { kind: 'unavailable', message: 'down' };

/** A node that mines a block between any two calls. Every response contains the block number. */
function livelyNode(said: unknown = undefined): Rpc {
  let block = 100;
  return {
    call: <T>(method: string, params: readonly unknown[]) => {
      block++;
      const isFlag = JSON.stringify(params).includes('0xe94a0102');
      const word = `0x${(isFlag ? 0 : block).toString(16).padStart(64, '0')}`;
      if (said === down) return Promise.resolve(fail(down));
      return Promise.resolve(
        ok((said ?? (method === 'eth_blockNumber' ? `0x${block.toString(16)}` : word)) as T),
      );
    },
  };
}

function read(rpc: Rpc, clock = manualClock(1_700_000_000)) {
  const token = createPaymentToken({ rpc, asset });
  return createPayerReader({ rpc, token, asset, canBatch: false }, clock)(payer, nonce);
}

test('The block number of a reading is never newer than its balance (D-21)', async () => {
  // The balance 102 belongs to block 102. Block 101 with this balance is safe; a later block would not be.
  expect(await read(livelyNode())).toEqual({
    ok: true,
    value: { reading: { balance: 102n, block: 101, readAt: 1_700_000_000 }, isSpent: false },
  });
});

test.each([
  ['no response', down],
  ['a number', 7],
  ['a block tag', 'latest'],
  ['a block beyond all blocks', `0x${'f'.repeat(20)}`],
])('With %s the reading fails, so no payer is refused for it', async (_name, said) => {
  expect(await read(livelyNode(said))).toMatchObject({ ok: false, fault: { kind: 'unavailable' } });
});

test('The age of a reading counts from its end, so that a slow node does not stop all sales', async () => {
  const clock = manualClock(1_700_000_000);
  const node = livelyNode();
  const slow: Rpc = {
    call: (method, params) => {
      clock.advance(5);
      return node.call(method, params);
    },
  };
  expect(await read(slow, clock)).toMatchObject({ ok: true, value: { reading: { readAt: 1_700_000_015 } } });
});

test('A wrong block number gives no reading: the store would reject every correct one after it', async () => {
  let told = 0;
  const node = livelyNode();
  const odd: Rpc = {
    call: (method, params) =>
      method === 'eth_blockNumber' && told++ === 0
        ? livelyNode('0xffffffff').call(method, params)
        : node.call(method, params),
  };
  const clock = manualClock(1_700_000_000);
  const token = createPaymentToken({ rpc: odd, asset });
  const reader = createPayerReader({ rpc: odd, token, asset, canBatch: false }, clock);
  expect(await reader(payer, nonce)).toMatchObject({ ok: false, fault: { kind: 'unavailable' } });
  expect(await reader(payer, nonce)).toMatchObject({ ok: true, value: { reading: { block: 106 } } });
});
