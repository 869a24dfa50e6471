import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createNextTurns } from './next-turns.ts';

/** The number of calls in each turn, when each call takes this time. */
async function callsInTurns(calls: number, callMs: number): Promise<readonly number[]> {
  let nowMs = 0;
  let made = 0;
  const turns = createNextTurns({ callsMax: 8, ms: 0.5 }, () => nowMs);
  for (let each = 0; each < calls; each += 1)
    turns.add('192.0.2.1', () => {
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

it('knows the sites whose calls wait', async () => {
  const turns = createNextTurns({ callsMax: 1, ms: 1 });
  for (const site of ['192.0.2.1', '192.0.2.2']) turns.add(site, () => undefined);
  const has = () => ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map((site) => turns.has(site));
  expect(has()).toEqual([true, true, false]);
  await nextTurn();
  expect(has()).toEqual([false, true, false]);
  await nextTurn();
  expect(has()).toEqual([false, false, false]);
});

it('makes fewer calls in a turn when they take long (D-414)', async () => {
  expect(await callsInTurns(6, 0.3)).toEqual([2, 2, 2]);
  expect(await callsInTurns(3, 5)).toEqual([1, 1, 1]);
});

describe('the calls of several sites (D-416)', () => {
  const [busy, other] = ['192.0.2.1', '192.0.2.2'];

  /** Gives the order in which calls with these names are made, one in a turn. */
  async function orderOf(calls: readonly (readonly [site: string, name: string])[]) {
    const order: string[] = [];
    const turns = createNextTurns({ callsMax: 1, ms: 1 });
    for (const [site, name] of calls) turns.add(site, () => order.push(name));
    while (order.length < calls.length) await nextTurn();
    return order;
  }

  it('take turns', async () => {
    expect(
      await orderOf([
        [busy, 'a1'],
        [busy, 'a2'],
        [busy, 'a3'],
        [other, 'b1'],
        [other, 'b2'],
      ]),
    ).toEqual(['a1', 'b1', 'a2', 'b2', 'a3']);
  });

  it('keep their order within a site', async () => {
    expect(
      await orderOf([
        [busy, 'a1'],
        [busy, 'a2'],
        [busy, 'a3'],
      ]),
    ).toEqual(['a1', 'a2', 'a3']);
  });

  it('do not wait for a site whose calls each add another one', async () => {
    const turns = createNextTurns({ callsMax: 8, ms: 1 });
    let [isOpen, made] = [true, 0];
    const again = () => {
      made += 1;
      if (isOpen) turns.add(busy, again);
    };
    for (let each = 0; each < 250; each += 1) turns.add(busy, again);
    const madeBefore = await new Promise<number>((resolve) => turns.add(other, () => resolve(made)));
    isOpen = false;
    expect(madeBefore).toBe(1);
  });
});
