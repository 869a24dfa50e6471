import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createNextTurns } from './next-turns.ts';

/** The number of calls in each turn, when each call takes this time. */
async function callsInTurns(calls: number, callMs: number): Promise<readonly number[]> {
  let nowMs = 0;
  let made = 0;
  const callSoon = createNextTurns(8, () => nowMs);
  for (let each = 0; each < calls; each += 1)
    callSoon(() => {
      made += 1;
      nowMs += callMs;
    });
  const ofTurns: number[] = [];
  while (made < calls) {
    const before = made;
    await nextTurn();
    ofTurns.push(made - before);
  }
  return ofTurns;
}

it('makes at most so many calls in a turn (D-403)', async () => {
  expect(await callsInTurns(20, 0.01)).toEqual([8, 8, 4]);
});

it('makes fewer calls in a turn when they take long (D-414)', async () => {
  expect(await callsInTurns(6, 0.3)).toEqual([2, 2, 2]);
  expect(await callsInTurns(3, 5)).toEqual([1, 1, 1]);
});
