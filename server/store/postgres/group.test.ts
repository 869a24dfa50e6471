import { expect, it } from 'vitest';
import { StoreUnavailable } from '../store.ts';
import { inGroups } from './group.ts';

const limits = { groupMax: 3, groupsMax: 1, waitingMax: 8 };
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);

it('runs the calls of one turn together, up to the limit, and returns the result of each', async () => {
  const groups: (readonly number[])[] = [];
  const double = inGroups(async (items: readonly number[]) => {
    groups.push(items);
    return items.map((item) => item * 2);
  }, limits);
  expect(await Promise.all(numbers(5).map(double))).toEqual([0, 2, 4, 6, 8]);
  expect(groups).toEqual([
    [0, 1, 2],
    [3, 4],
  ]);
});

it('gathers calls while groups run, and rejects one call too many', async () => {
  const groups: (readonly number[])[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const call = inGroups(
    async (items: readonly number[]) => {
      groups.push(items);
      await promise;
      return items;
    },
    { ...limits, groupMax: 9 },
  );
  const first = call(0);
  await expect.poll(() => groups).toEqual([[0]]);
  const gathered = numbers(8).map(call);
  await expect(call(9)).rejects.toBeInstanceOf(StoreUnavailable);
  resolve();
  expect(await Promise.all([first, ...gathered])).toEqual([0, ...numbers(8)]);
  expect(groups).toEqual([[0], numbers(8)]);
});

it('rejects only the wrong call after a defect, and all calls while the store is unavailable', async () => {
  let runs = 0;
  const call = (fault: Error) =>
    inGroups(async (items: readonly number[]) => {
      runs += 1;
      if (items.includes(1)) throw fault;
      return items;
    }, limits);
  const outcomes = await Promise.allSettled(numbers(3).map(call(new TypeError('a defect'))));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  runs = 0;
  // The outcome of the statement is unknown, so that it must not run again.
  const lost = await Promise.allSettled(numbers(3).map(call(new StoreUnavailable('away'))));
  expect(lost.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(runs).toBe(1);
});
