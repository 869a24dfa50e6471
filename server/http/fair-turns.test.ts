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

/** Without a clock, so that a slow machine makes no pause. */
const createTurns = () => createFairTurns(undefined, () => 0);

const large = 20_000;

it('D-173: makes one call of a large body at a time, and takes the networks in rotation', async () => {
  const takeTurn = createTurns();
  const called: string[] = [];
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2'])
    takeTurn(name.charAt(0), large, () => void called.push(name));
  const calls = await callsOfTurns(60, called);
  expect(calls.filter((names) => names !== '')).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
});

it('D-199: leaves eight turns free between two large bodies, because Node accepts one connection a turn', async () => {
  const takeTurn = createTurns();
  const called: string[] = [];
  takeTurn('a', large, () => takeTurn('b', large, () => void called.push('b')));
  takeTurn('a', large, () => void called.push('a'));
  const calls = await callsOfTurns(40, called);
  expect(calls.indexOf('a')).toBeGreaterThan(8);
  expect(calls.indexOf('b') - calls.indexOf('a')).toBe(9);
});

it('D-199: leaves eight turns free also before a body that comes when no other body waits', async () => {
  const takeTurn = createTurns();
  const called: string[] = [];
  takeTurn('a', large, () => void called.push('a'));
  expect(called).toEqual([]);
  await callsOfTurns(2, []);
  expect(called.splice(0)).toEqual(['a']);
  takeTurn('b', large, () => void called.push('b'));
  expect((await callsOfTurns(5, called)).join('')).toBe('');
  expect((await callsOfTurns(10, called)).join('')).toBe('b');
});

it('D-173: makes the calls of 8 KiB in a turn, without free turns, and at least one call', async () => {
  const takeTurn = createTurns();
  const called: string[] = [];
  const sizes = { a1: 4_096, a2: 4_096, b1: 4_096, b2: 1_024, c1: 16_384, c2: 2_048 };
  for (const [name, bytes] of Object.entries(sizes))
    takeTurn(name.charAt(0), bytes, () => void called.push(name));
  const calls = await callsOfTurns(8, called);
  expect(calls.filter((names) => names !== '')).toEqual(['a1,b1', 'c1', 'c2,a2,b2']);
  expect(calls.join(' ').trim()).toBe('a1,b1 c1 c2,a2,b2');
});

it('D-132: leaves no turn free for a call that was taken back, and never makes it', async () => {
  const takeTurn = createTurns();
  const called: string[] = [];
  const calls = ['a1', 'a2', 'a3', 'b1'].map((name) =>
    takeTurn(name.charAt(0), large, () => void called.push(name)),
  );
  for (const takeBack of calls.slice(0, 2)) takeBack();
  const turns = await callsOfTurns(40, called);
  expect(turns.filter((names) => names !== '')).toEqual(['a3', 'b1']);
  expect(turns.indexOf('a3')).toBeLessThan(3);
});

it('D-173: counts the bytes of each network, also of one whose calls come one after the other', async () => {
  const takeTurn = createTurns();
  const called: string[] = [];
  const add = (name: string, bytes: number, then = () => {}) =>
    takeTurn(name.charAt(0), bytes, () => {
      called.push(name);
      then();
    });
  add('a1', 16_000, () => add('a2', 16_000));
  for (const name of ['b1', 'b2', 'b3']) add(name, 9_000);
  await callsOfTurns(20, []);
  expect(called).toEqual(['a1', 'b1', 'b2', 'a2', 'b3']);
});

it('D-173: takes a network again although new networks come all the time', async () => {
  const takeTurn = createTurns();
  const called: string[] = [];
  const addNew = (number: number) =>
    void takeTurn(`new${number}`, large, () => {
      called.push('new');
      addNew(number + 1);
    });
  takeTurn('a', large, () => takeTurn('a', large, () => called.push('a')));
  addNew(1);
  await callsOfTurns(100, []);
  expect(called).toContain('a');
});

it('D-173: a burst of small calls lets no new client wait for those with large ones', async () => {
  const takeTurn = createTurns();
  const called: string[] = [];
  const addLarge = (name: string) =>
    void takeTurn(name, large, () => {
      called.push(name);
      if (called.length < 100) addLarge(name);
    });
  for (const name of ['a', 'b', 'c', 'd', 'a', 'b', 'c', 'd']) addLarge(name);
  for (let sent = 0; sent < 60; sent++) takeTurn('burst', 8_000, () => {});
  await callsOfTurns(70, []);
  const before = called.length;
  takeTurn('e', 9_000, () => void called.push('e'));
  await callsOfTurns(100, []);
  // Each other client comes once at most.
  expect(called.slice(before, before + 5)).toContain('e');
});

it('D-173: makes small calls of others in the free time after a large call', async () => {
  const takeTurn = createFairTurns();
  const called: string[] = [];
  const { promise, resolve } = Promise.withResolvers<number>();
  let endedAt = 0;
  takeTurn('a', large, () => {
    const startedAt = performance.now();
    while (performance.now() < startedAt + 50);
    endedAt = performance.now();
    setTimeout(() => takeTurn('b', 3_000, () => called.push('b')), 5);
  });
  takeTurn('a', large, () => {
    called.push('a2');
    resolve(performance.now());
  });
  expect((await promise) - endedAt).toBeGreaterThan(48);
  expect(called).toEqual(['b', 'a2']);
});

it('D-173: leaves as much time free after a call as it took, if that is more than five milliseconds', async () => {
  const takeTurn = createFairTurns();
  const { promise, resolve } = Promise.withResolvers<number>();
  let endedAt = 0;
  takeTurn('a', large, () => {
    const startedAt = performance.now();
    while (performance.now() < startedAt + 30);
    endedAt = performance.now();
  });
  takeTurn('b', large, () => resolve(performance.now()));
  // A timer may come a millisecond early.
  expect((await promise) - endedAt).toBeGreaterThan(28);
});
