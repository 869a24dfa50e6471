import { expect, it } from 'vitest';
import { changeAll, changesMax } from './bulk.ts';

it('repeats an operation until it changes fewer rows than it may', async () => {
  const counts = [changesMax, changesMax, changesMax - 1, changesMax];
  await changeAll(async () => counts.shift() ?? 0, new AbortController().signal);
  expect(counts).toEqual([changesMax]);
});

it('stops when the gateway stops', async () => {
  const closing = new AbortController();
  let calls = 0;
  const change = async () => {
    if (++calls === 2) closing.abort();
    return changesMax;
  };
  await changeAll(change, closing.signal);
  expect(calls).toBe(2);
});
