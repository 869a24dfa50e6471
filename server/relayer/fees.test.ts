import { expect, test } from 'vitest';
import type { Rpc } from '../chain/rpc.ts';
import { ok } from '../types/result.ts';
import { currentFees, mayBeIncluded } from './fees.ts';

const limits = { maxFeePerGasWeiMax: 1_000n, priorityFeeWei: 10n };

/** A node whose newest block is `block`. */
function nodeAt(block: unknown): Rpc {
  return { call: <T>() => Promise.resolve(ok(block as T)) };
}
function at(baseFee: bigint) {
  return currentFees(nodeAt({ baseFeePerGas: `0x${baseFee.toString(16)}` }), limits);
}

test('currentFees returns twice the base fee and the tip', async () => {
  expect(await at(100n)).toMatchObject({
    ok: true,
    value: { baseFee: 100n, maxFeePerGas: 210n, maxPriorityFeePerGas: 10n },
  });
  expect(await at(0n)).toMatchObject({ ok: true, value: { maxFeePerGas: 10n, maxPriorityFeePerGas: 10n } });
});

test("currentFees never exceeds the operator's limit", async () => {
  expect(await at(495n)).toMatchObject({ value: { maxFeePerGas: 1_000n } });
  expect(await at(496n)).toMatchObject({ value: { maxFeePerGas: 1_000n } });
  expect(await at(10n ** 18n)).toMatchObject({ value: { maxFeePerGas: 1_000n, maxPriorityFeePerGas: 10n } });
});

test('The tip is at most the whole fee (EIP-1559)', async () => {
  const generous = { maxFeePerGasWeiMax: 5n, priorityFeeWei: 10n };
  expect(await currentFees(nodeAt({ baseFeePerGas: '0x1' }), generous)).toMatchObject({
    ok: true,
    value: { maxFeePerGas: 5n, maxPriorityFeePerGas: 5n },
  });
});

test('A transaction fits the next block up to eight ninths of the limit, and not above (D-143)', async () => {
  const fits = async (baseFee: bigint) => {
    const fees = await at(baseFee);
    return fees.ok && mayBeIncluded(fees.value, limits);
  };
  expect([await fits(0n), await fits(888n), await fits(889n), await fits(1_001n)]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test.each([[null], [{}], [{ baseFeePerGas: null }], [{ baseFeePerGas: 7 }], [{ baseFeePerGas: '0x' }]])(
  'currentFees returns unavailable for the block %j',
  async (block) => {
    expect(await currentFees(nodeAt(block), limits)).toMatchObject({ fault: { kind: 'unavailable' } });
  },
);
