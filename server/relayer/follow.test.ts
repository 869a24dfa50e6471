import { expect, test } from 'vitest';
import type { Rpc } from '../chain/rpc.ts';
import type { JournaledTransaction } from '../store/store.ts';
import { manualClock } from '../types/clock.ts';
import { ok } from '../types/result.ts';
import type { Address, Bytes32, Hex } from '../types/units.ts';
import { type FollowPorts, followNonce, nextPauseMs } from './follow.ts';

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
function scriptedNode(
  receiptFrom: number,
  counts: (read: number) => number,
  onReceiptRead: () => void = () => undefined,
) {
  const reads = { receipts: 0, counts: 0 };
  const rpc: Rpc = {
    async call<T>(method: string) {
      if (method === 'eth_getTransactionReceipt') {
        reads.receipts += 1;
        onReceiptRead();
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
  const clock = manualClock(1_800_000_000);
  const { rpc, reads } = scriptedNode(
    2,
    () => 8,
    () => clock.advance(30),
  );
  const followed = await followNonce([transaction], ports(rpc, { clock }));
  expect(followed).toMatchObject({ kind: 'mined', mined: { block: 1 } });
  expect(reads).toEqual({ receipts: 2, counts: 1 });
});

test('reads no transaction count before half of the longest pause has passed', async () => {
  const { rpc, reads } = scriptedNode(5, () => 7);
  expect(await followNonce([transaction], ports(rpc))).toMatchObject({ kind: 'mined' });
  expect(reads).toEqual({ receipts: 5, counts: 0 });
});

test('makes each pause a quarter longer, up to the longest pause', () => {
  const limits = { pollMsMax: 1_000 };
  expect(nextPauseMs(400, limits)).toBe(500);
  expect(nextPauseMs(900, limits)).toBe(1_000);
});

test('reads again soon when the count is past the nonce and the receipt is still missing', async () => {
  const clock = manualClock(1_800_000_000);
  const { rpc, reads } = scriptedNode(
    5,
    () => 8,
    () => clock.advance(15),
  );
  expect(await followNonce([transaction], ports(rpc, { clock }))).toMatchObject({ kind: 'mined' });
  expect(reads.counts).toBeGreaterThan(0);
});

test('takes a nonce for lost only when no receipt appears for the longest pause', async () => {
  const clock = manualClock(1_800_000_000);
  const { rpc, reads } = scriptedNode(
    Number.POSITIVE_INFINITY,
    () => 8,
    () => clock.advance(20),
  );
  expect(await followNonce([transaction], ports(rpc, { clock }))).toEqual({ kind: 'lost' });
  // The first round is too early for a count. Each later round reads two receipts and one count.
  expect(reads).toEqual({ receipts: 7, counts: 3 });
});

test('does not take a nonce for lost when the count was not past it in between', async () => {
  const clock = manualClock(1_800_000_000);
  const { rpc, reads } = scriptedNode(
    14,
    (read) => (read % 2 === 0 ? 7 : 8),
    () => clock.advance(31),
  );
  expect(await followNonce([transaction], ports(rpc, { clock }))).toMatchObject({ kind: 'mined' });
  expect(reads.counts).toBeGreaterThan(4);
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
