import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createFairTurns } from './fair-turns.ts';

it('D-173: makes one call in each turn of the event loop, and goes round the networks', async () => {
  const takeTurn = createFairTurns();
  const called: string[] = [];
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2'])
    takeTurn(name.charAt(0), () => void called.push(name));
  const turns: string[] = [];
  for (let turn = 0; turn < 8; turn++) {
    await nextTurn();
    turns.push(called.splice(0).join());
  }
  expect(turns.filter((names) => names !== '')).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
});

it('D-173: makes the call of a network that comes later, and no call at once', async () => {
  const takeTurn = createFairTurns();
  const called: string[] = [];
  takeTurn('a', () => takeTurn('b', () => void called.push('b')));
  expect(called).toEqual([]);
  await nextTurn();
  expect(called).toEqual([]);
  await nextTurn();
  expect(called).toEqual(['b']);
});
