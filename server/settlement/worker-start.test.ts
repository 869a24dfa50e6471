import { describe, expect, it } from 'vitest';
import type { Rpc } from '../chain/rpc.ts';
import { ok } from '../types/result.ts';
import type { Address } from '../types/units.ts';
import { readWorkerStart, type WorkerStartPorts } from './worker-start.ts';

const block = { baseFeePerGas: '0x1', timestamp: '0x1', hash: `0x${'aa'.repeat(32)}`, number: '0x1' };

/** Reads the next nonce of a relayer with these open nonces, on a chain that counts `count` transactions. */
async function readNonce(open: readonly number[], count: number, expected: number): Promise<number | null> {
  const rpc: Rpc = {
    call: async <T>(method: string) =>
      ok((method === 'eth_getTransactionCount' ? `0x${count.toString(16)}` : block) as T),
  };
  const start = await readWorkerStart({
    rpc,
    store: { nextRelayerNonce: async () => expected },
    relayer: `0x${'cc'.repeat(20)}` as Address,
    fees: { maxFeePerGasWeiMax: 100n, priorityFeeWei: 1n },
    gasBalance: { read: async () => ok(1n) },
    open,
    askAgain: () => Promise.resolve(),
  } as unknown as WorkerStartPorts);
  if (!start.ok) throw new Error(start.fault.message);
  return start.value.nonce;
}

describe('The next nonce of a relayer (D-237)', () => {
  it.each([
    { open: [0, 1, 2], count: 0 },
    { open: [0, 1, 2], count: 2 },
    { open: [1, 2], count: 1 },
    { open: [2], count: 3 },
  ])('is that of the journal beside open nonces $open after $count mined ones', async ({ open, count }) => {
    expect(await readNonce(open, count, 3)).toBe(3);
  });

  it.each([
    { words: 'a nonce between them was closed and is not mined', open: [0], count: 0 },
    { words: 'the chain counts fewer than the lowest open nonce', open: [1, 2], count: 0 },
    { words: 'a foreign transaction used the next nonce', open: [2], count: 4 },
  ])('is not known if $words', async ({ open, count }) => {
    expect(await readNonce(open, count, 3)).toBeNull();
  });

  it('is that of the chain without open nonces', async () => {
    expect(await readNonce([], 0, 3)).toBe(0);
  });
});
