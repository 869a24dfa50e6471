import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createCallTurns } from './call-turns.ts';

// One payer or network must not take all calls to a server outside (D-164, D-227).

/** Turns whose calls end only when the test says so. */
function open(callsMax: number) {
  let nowMs = 0;
  const take = createCallTurns(callsMax, () => nowMs);
  const running: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    running,
    advance: (ms: number) => {
      nowMs += ms;
    },
    /** `name` begins with the client, as in `a1`. */
    start: (name: string, timeoutMs = 60_000) =>
      take(name.charAt(0), timeoutMs, (leftMs) => {
        running.push(name);
        return new Promise<number>((resolve) => ends.set(name, () => resolve(leftMs)));
      }),
    async end(name: string) {
      ends.get(name)?.();
      running.splice(running.indexOf(name), 1);
      await nextTurn();
    },
  };
}

it('makes at most half of the calls for one client, and leaves the others to the next client', async () => {
  const { start, running } = open(4);
  for (let each = 1; each <= 5; each++) void start(`a${each}`);
  await nextTurn();
  expect(running).toEqual(['a1', 'a2']);
  for (let each = 1; each <= 3; each++) void start(`b${each}`);
  await nextTurn();
  expect(running).toEqual(['a1', 'a2', 'b1', 'b2']);
});

it('takes the clients in turn, and the calls of a client in their order', async () => {
  const { start, running, end } = open(2);
  const names = ['a1', 'b1', 'a2', 'a3', 'b2', 'c1'];
  for (const name of names) void start(name);
  await nextTurn();
  expect(running).toEqual(['a1', 'b1']);
  await end('a1');
  expect(running).toEqual(['b1', 'a2']);
  await end('a2');
  expect(running).toEqual(['b1', 'c1']);
  await end('b1');
  expect(running).toEqual(['c1', 'b2']);
  await end('c1');
  expect(running).toEqual(['b2', 'a3']);
});

it('ends the wait of a call at its time, makes it never, and goes on with the others', async () => {
  const { start, running, end } = open(2);
  void start('a1');
  expect(await start('a2', 1)).toBeNull();
  void start('a3');
  await nextTurn();
  await end('a1');
  expect(running).toEqual(['a3']);
});

it('passes the time that is left after the wait', async () => {
  const { start, advance, end } = open(2);
  const first = start('a1', 5_000);
  const second = start('a2', 5_000);
  await nextTurn();
  advance(2_000);
  await end('a1');
  await end('a2');
  expect(await Promise.all([first, second])).toEqual([5_000, 3_000]);
});

it('gives the turn of a call that throws to the next one', async () => {
  const take = createCallTurns(1, () => 0);
  const failing = take('a', 1_000, () => Promise.reject(new Error('broken')));
  const next = take('a', 1_000, async () => 'made');
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('made');
});

it('ends the wait of a call that is given up, makes it never, and goes on with the others', async () => {
  const take = createCallTurns(1, () => 0);
  const first = Promise.withResolvers<string>();
  const running = take('a', 60_000, () => first.promise);
  const client = new AbortController();
  let calls = 0;
  const count = async () => calls++;
  const left = take('a', 60_000, count, client.signal);
  const next = take('b', 60_000, async () => 'made');
  client.abort();
  expect(await left).toBeNull();
  first.resolve('first');
  expect([await running, await next, calls]).toEqual(['first', 'made', 0]);
});
