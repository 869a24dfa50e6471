import { expect, test } from 'vitest';
import type { Rpc, RpcFault } from '../chain/rpc.ts';
import { createPaymentToken } from '../chain/token.ts';
import { manualClock } from '../vocabulary/clock.ts';
import { fail, ok } from '../vocabulary/result.ts';
import type { Address } from '../vocabulary/units.ts';
import { createBalanceReader } from './balance.ts';

const payer = `0x${'44'.repeat(20)}` as Address;
const asset = `0x${'aa'.repeat(20)}` as Address;
const down: RpcFault = { kind: 'unavailable', message: 'down' };

/** A node that mines a block, and pays the payer one unit, between any two calls. */
function livelyNode(answers: { block?: unknown; balance?: unknown } = {}): Rpc {
  let block = 100;
  return {
    call: <T>(method: string) => {
      block++;
      const word = `0x${block.toString(16).padStart(64, '0')}`;
      const { [method === 'eth_blockNumber' ? 'block' : 'balance']: said } = answers;
      if (said === down) return Promise.resolve(fail(down));
      return Promise.resolve(
        ok((said ?? (method === 'eth_blockNumber' ? `0x${block.toString(16)}` : word)) as T),
      );
    },
  };
}
function read(rpc: Rpc) {
  return createBalanceReader(rpc, createPaymentToken({ rpc, asset }), manualClock(1_700_000_000))(payer);
}

test('A reading is told with a block that it is not older than: what settles later is surely not in doubt (D-21)', async () => {
  // At block 102 the balance was 102; to say so of block 101 errs on the safe side, the other way round would not.
  expect(await read(livelyNode())).toEqual({
    ok: true,
    value: { balance: 102n, block: 101, readAt: 1_700_000_000 },
  });
});

test.each([
  ['no block number', { block: down }],
  ['a block number of another shape', { block: 7 }],
  ['a block tag as the block number', { block: 'latest' }],
  ['no balance', { balance: down }],
  ['a balance of another shape', { balance: '0x' }],
])('With %s there is no reading, and nobody is poor for it', async (_name, answers) => {
  expect(await read(livelyNode(answers))).toMatchObject({ ok: false, fault: { kind: 'unavailable' } });
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
  const reading = await createBalanceReader(slow, createPaymentToken({ rpc: slow, asset }), clock)(payer);
  expect(reading).toMatchObject({ ok: true, value: { readAt: 1_700_000_010 } });
});
