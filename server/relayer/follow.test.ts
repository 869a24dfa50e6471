import { expect, test } from 'vitest';
import type { Rpc } from '../chain/rpc.ts';
import type { JournaledTransaction } from '../store/store.ts';
import { manualClock } from '../types/clock.ts';
import { ok } from '../types/result.ts';
import type { Address, Bytes32, Hex } from '../types/units.ts';
import { type FollowPorts, followNonce } from './follow.ts';

const hash = `0x${'aa'.repeat(32)}` as Bytes32;
const blockHash = `0x${'bb'.repeat(32)}`;
const receipt = { blockNumber: '0x1', blockHash, logs: [], status: '0x1' };
const transaction: JournaledTransaction = {
  hash,
  raw: '0x' as Hex,
  relayer: `0x${'cc'.repeat(20)}` as Address,
  relayerNonce: 7,
};

/** A node that shows the receipt from the given read on, and the count of transactions of each read. */
function scriptedNode(receiptFrom: number, counts: (read: number) => number) {
  const reads = { receipts: 0, counts: 0 };
  const rpc: Rpc = {
    async call<T>(method: string) {
      if (method === 'eth_getTransactionReceipt') {
        reads.receipts += 1;
        return ok((reads.receipts >= receiptFrom ? receipt : null) as T);
      }
      if (method === 'eth_getTransactionCount') {
        reads.counts += 1;
        return ok(`0x${counts(reads.counts).toString(16)}` as T);
      }
      return ok({ hash: blockHash } as T);
    },
  };
  return { rpc, reads };
}

/** The longest pause is a minute, so a test that waits for it runs into its deadline. */
function ports(rpc: Rpc, changes: Partial<FollowPorts> = {}): FollowPorts {
  return {
    rpc,
    clock: manualClock(1_800_000_000),
    limits: { pollMs: 1, pollMsMax: 60_000, resendMs: 600_000, stuckMs: 600_000 },
    closing: new AbortController().signal,
    stillHolds: () => Promise.resolve(),
    mayResend: () => Promise.resolve(true),
    send: () => Promise.resolve(true),
    replace: () => Promise.resolve(null),
    ...changes,
  };
}

test('uses a receipt that appears after the transaction count, in the same round', async () => {
  const { rpc, reads } = scriptedNode(2, () => 8);
  expect(await followNonce([transaction], ports(rpc))).toMatchObject({ kind: 'mined', mined: { block: 1 } });
  expect(reads.receipts).toBe(2);
});

test('reads again soon when the count is past the nonce and the receipt is still missing', async () => {
  const { rpc } = scriptedNode(5, () => 8);
  expect(await followNonce([transaction], ports(rpc))).toMatchObject({ kind: 'mined' });
});

test('takes a nonce for lost only when no receipt appears for the longest pause', async () => {
  const clock = manualClock(1_800_000_000);
  const { rpc, reads } = scriptedNode(Number.POSITIVE_INFINITY, () => {
    clock.advance(20);
    return 8;
  });
  expect(await followNonce([transaction], ports(rpc, { clock }))).toEqual({ kind: 'lost' });
  expect(reads.counts).toBe(4);
});

test('does not take a nonce for lost when the count was not past it in between', async () => {
  const clock = manualClock(1_800_000_000);
  const { rpc } = scriptedNode(9, (read) => {
    clock.advance(31);
    return read % 2 === 0 ? 7 : 8;
  });
  expect(await followNonce([transaction], ports(rpc, { clock }))).toMatchObject({ kind: 'mined' });
});

test('sends a transaction again that cannot be replaced, although it is stuck earlier than it is due', async () => {
  const { rpc, reads } = scriptedNode(1_000_000, () => 7);
  const clock = manualClock(1_800_000_000);
  const closing = new AbortController();
  let sends = 0;
  await followNonce(
    [transaction],
    ports(rpc, {
      clock,
      closing: closing.signal,
      limits: { pollMs: 1, pollMsMax: 1, resendMs: 5_000, stuckMs: 1_000 },
      isWorthWaiting: () => {
        clock.advance(1);
        if (reads.receipts > 20) closing.abort();
        return Promise.resolve(true);
      },
      send: () => {
        sends += 1;
        return Promise.resolve(true);
      },
    }),
  );
  expect(sends).toBeGreaterThanOrEqual(3);
});

test('replaces a transaction at once whose fee the node found too low', async () => {
  const { rpc } = scriptedNode(1_000_000, () => 7);
  const closing = new AbortController();
  let replaced = 0;
  await followNonce(
    [transaction],
    ports(rpc, {
      closing: closing.signal,
      isFeeTooLow: () => true,
      replace: (newest) => {
        replaced += 1;
        closing.abort();
        return Promise.resolve({ ...newest, hash: `0x${'dd'.repeat(32)}` as Bytes32 });
      },
    }),
  );
  expect(replaced).toBe(1);
});
