import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createNextTurns } from './next-turns.ts';

/** The number of calls in each turn, when each call takes this time. */
async function callsInTurns(calls: number, callMs: number): Promise<readonly number[]> {
  let nowMs = 0;
  let made = 0;
  const callSoon = createNextTurns(8, () => nowMs);
  for (let each = 0; each < calls; each += 1)
    callSoon('192.0.2.1', () => {
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

describe('the calls of several sites (D-416)', () => {
  const [busy, other] = ['192.0.2.1', '192.0.2.2'];

  /** Gives the order in which calls with these names are made, one in a turn. */
  async function orderOf(calls: readonly (readonly [site: string, name: string])[]) {
    const order: string[] = [];
    const callSoon = createNextTurns(1);
    for (const [site, name] of calls) callSoon(site, () => order.push(name));
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
    const callSoon = createNextTurns(8);
    let [isOpen, made] = [true, 0];
    const again = () => {
      made += 1;
      if (isOpen) callSoon(busy, again);
    };
    for (let each = 0; each < 250; each += 1) callSoon(busy, again);
    const madeBefore = await new Promise<number>((resolve) => callSoon(other, () => resolve(made)));
    isOpen = false;
    expect(madeBefore).toBe(1);
  });
});
