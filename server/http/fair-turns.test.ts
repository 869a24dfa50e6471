import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createFairTurns } from './fair-turns.ts';

/** The calls in some turns of the event loop; '' for a turn without a call. */
async function callsOfTurns(turns: number, called: string[]): Promise<readonly string[]> {
  const calls: string[] = [];
  for (let turn = 0; turn < turns; turn++) {
    await nextTurn();
    calls.push(called.splice(0).join());
  }
  return calls;
}

it('D-173: makes one call at a time, and takes the networks in rotation', async () => {
  const takeTurn = createFairTurns();
  const called: string[] = [];
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2'])
    takeTurn(name.charAt(0), () => void called.push(name));
  const calls = await callsOfTurns(60, called);
  expect(calls.filter((names) => names !== '')).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
});

it('D-199: leaves eight turns free between two calls, because Node accepts one connection a turn', async () => {
  const takeTurn = createFairTurns();
  const called: string[] = [];
  takeTurn('a', () => takeTurn('b', () => void called.push('b')));
  takeTurn('a', () => void called.push('a'));
  const calls = await callsOfTurns(40, called);
  expect(calls.indexOf('a')).toBeGreaterThan(8);
  expect(calls.indexOf('b') - calls.indexOf('a')).toBe(9);
});

it('D-199: leaves eight turns free also before a call that comes when no other call waits', async () => {
  const takeTurn = createFairTurns();
  const called: string[] = [];
  takeTurn('a', () => void called.push('a'));
  expect(called).toEqual([]);
  await callsOfTurns(2, []);
  expect(called.splice(0)).toEqual(['a']);
  takeTurn('b', () => void called.push('b'));
  expect((await callsOfTurns(5, called)).join('')).toBe('');
  expect((await callsOfTurns(10, called)).join('')).toBe('b');
});
