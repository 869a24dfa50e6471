import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Claim, OpenStore, PaymentRecord } from '../store/store.ts';
import type { Address, Bytes32 } from '../types/units.ts';
import { readLargeInTurns } from './large-reads.ts';

const asset = '0xa5' as Address;
const payer = '0xaa' as Address;
const nonce = '0x01' as Bytes32;

/** A store whose payments all have this completion. `turnOfReads` has the turn of each read. */
function openReads(completion: string | null, isFull: (lengthBeingRead: number) => boolean = () => false) {
  let turn = 0;
  const turnOfReads: number[] = [];
  const reading = Promise.withResolvers<void>();
  let readsToDelay = 0;
  const read = () => {
    turnOfReads.push(turn);
    return { completion } as PaymentRecord;
  };
  let isNew = false;
  const reads = {
    lookUp: async () => {
      const found = read();
      if (readsToDelay-- > 0) await reading.promise;
      return found;
    },
    reserve: async () =>
      isNew
        ? { kind: 'reserved', payment: { id: 7 } }
        : { kind: 'known', payment: read(), sameRequest: true },
    execute: async () => undefined,
  } as unknown as Pick<OpenStore, 'lookUp' | 'reserve' | 'execute'>;
  const store = readLargeInTurns(reads, isFull);
  const sell = async (from: Address, made: string) => {
    isNew = true;
    await store.reserve({ authorization: { from, nonce } } as Claim, null, 0 as never);
    isNew = false;
    await store.execute(7, made, null);
  };
  const pass = async (turns: number) => {
    for (const end = turn + turns; turn < end; turn += 1) await nextTurn();
  };
  /** Lets the next `lookUp` end only when the returned function is called. */
  const delayRead = () => {
    readsToDelay = 1;
    return reading.resolve;
  };
  return { store, turnOfReads, pass, sell, delayRead };
}

const gaps = (turns: readonly number[]) => turns.slice(1).map((turn, at) => turn - (turns[at] ?? 0));

it('reads a completion at once until it is known to be large, and then in a turn of its own (D-404)', async () => {
  const { store, turnOfReads, pass } = openReads('x'.repeat(100_000));
  await store.lookUp(asset, payer, nonce);
  expect(turnOfReads).toEqual([0]);
  const claim = { authorization: { from: payer, nonce } } as Claim;
  const reads = [
    store.lookUp(asset, payer, nonce),
    store.reserve(claim, null, 0 as never),
    store.lookUp(asset, payer, nonce),
  ];
  await pass(50);
  await Promise.all(reads);
  expect(turnOfReads).toHaveLength(4);
  expect(Math.min(...gaps(turnOfReads.slice(1)))).toBeGreaterThan(8);
});

it('remembers a large completion that `reserve` returned (D-404)', async () => {
  const { store, turnOfReads, pass } = openReads('x'.repeat(100_000));
  const claim = { authorization: { from: payer, nonce } } as Claim;
  await store.reserve(claim, null, 0 as never);
  const reads = [store.reserve(claim, null, 0 as never), store.reserve(claim, null, 0 as never)];
  await pass(40);
  await Promise.all(reads);
  expect(turnOfReads).toHaveLength(3);
  expect(Math.min(...gaps(turnOfReads.slice(1)))).toBeGreaterThan(8);
});

it('remembers a large completion that was made here (D-404)', async () => {
  const { store, turnOfReads, pass, sell } = openReads('x'.repeat(100_000));
  await sell(payer, 'x'.repeat(100_000));
  const reads = [store.lookUp(asset, payer, nonce), store.lookUp(asset, payer, nonce)];
  await pass(40);
  await Promise.all(reads);
  expect(turnOfReads).toHaveLength(2);
  expect(Math.min(...gaps(turnOfReads))).toBeGreaterThan(8);
});

it('reads no large completion while too many wait for their responses (D-410)', async () => {
  let isFull = true;
  const { store, turnOfReads, pass, sell } = openReads('x'.repeat(100_000), () => isFull);
  await sell(payer, 'x'.repeat(100_000));
  const read = store.lookUp(asset, payer, nonce);
  await pass(40);
  expect(turnOfReads).toEqual([]);
  isFull = false;
  await pass(40);
  await read;
  expect(turnOfReads).toHaveLength(1);
});

it('counts a large completion until it was read (D-410)', async () => {
  const isFull = (lengthBeingRead: number) => lengthBeingRead >= 100_000;
  const { store, turnOfReads, pass, sell, delayRead } = openReads('x'.repeat(100_000), isFull);
  await sell(payer, 'x'.repeat(100_000));
  const endRead = delayRead();
  const reads = [store.lookUp(asset, payer, nonce), store.lookUp(asset, payer, nonce)];
  await pass(40);
  expect(turnOfReads).toHaveLength(1);
  endRead();
  await pass(40);
  await Promise.all(reads);
  expect(turnOfReads).toHaveLength(2);
});

it.each([
  ['a small completion', 'pong', payer],
  ['no completion', null, payer],
  ['a completion of another payer', 'x'.repeat(100_000), '0xbb' as Address],
])('reads %s at once (D-404)', async (_name, completion, other) => {
  const { store, turnOfReads } = openReads(completion);
  await store.lookUp(asset, payer, nonce);
  await Promise.all([store.lookUp(asset, other, nonce), store.lookUp(asset, other, nonce)]);
  expect(turnOfReads).toEqual([0, 0, 0]);
});
