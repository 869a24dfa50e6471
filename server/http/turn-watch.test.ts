import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createTurnWatch } from './turn-watch.ts';

it('measures the turn from the first question to its end, and the next turn anew', async () => {
  let nowMs = 1_000;
  const watch = createTurnWatch(() => nowMs);
  expect(watch.lastMs()).toBe(0);
  nowMs += 40;
  expect(watch.lastMs()).toBe(0);
  nowMs += 40;
  await nextTurn();
  expect(watch.lastMs()).toBe(80);
  await nextTurn();
  expect(watch.lastMs()).toBe(0);
});
