import { describe, expect, it } from 'vitest';
import { createTurns } from './turns.ts';

/** Work that ends when the test ends it. */
function steered() {
  const begun: Array<() => void> = [];
  const work = () => new Promise<string>((resolve) => begun.push(() => resolve('done')));
  return { begun, work };
}

it('runs concurrentMax works at once, in the order of their calls, and queues the next ones', async () => {
  const turns = createTurns({ concurrentMax: 2, waitingMax: 5, waitMs: 5_000 });
  const { begun, work } = steered();
  const all = [1, 2, 3, 4].map(() => turns.take('a', work));
  await Promise.resolve();
  expect(begun).toHaveLength(2);
  begun[0]?.();
  await all[0];
  expect(begun).toHaveLength(3);
  begun[1]?.();
  begun[2]?.();
  await Promise.all([all[1], all[2]]);
  begun[3]?.();
  expect(await Promise.all(all)).toEqual(Array(4).fill({ ok: true, value: 'done' }));
});

it('returns busy at once when waitingMax works wait, and starts nothing', async () => {
  const turns = createTurns({ concurrentMax: 1, waitingMax: 1, waitMs: 5_000 });
  const { begun, work } = steered();
  const first = turns.take('a', work);
  const second = turns.take('a', work);
  expect(await turns.take('a', work)).toEqual({ ok: false, fault: 'busy' });
  expect(begun).toHaveLength(1);
  begun[0]?.();
  await first;
  begun[1]?.();
  await second;
});

it('returns busy after waitMs, and passes the turn to the next', async () => {
  const turns = createTurns({ concurrentMax: 1, waitingMax: 2, waitMs: 20 });
  const { begun, work } = steered();
  const first = turns.take('a', work);
  expect(await turns.take('a', work)).toEqual({ ok: false, fault: 'busy' });
  begun[0]?.();
  await first;
  const next = turns.take('a', work);
  begun[1]?.();
  expect(await next).toEqual({ ok: true, value: 'done' });
});

it('frees the turn of work that throws', async () => {
  const turns = createTurns({ concurrentMax: 1, waitingMax: 0, waitMs: 20 });
  const broken = turns.take('a', () => Promise.reject(new Error('broken')));
  await expect(broken).rejects.toThrow('broken');
  expect(await turns.take('a', async () => 'done')).toEqual({ ok: true, value: 'done' });
});

describe('D-223: works of several networks', () => {
  it('take turns, so that the works of one network do not delay that of another', async () => {
    const turns = createTurns({ concurrentMax: 1, waitingMax: 9, waitMs: 5_000 });
    const order: string[] = [];
    const work = (name: string) => async () => void order.push(name);
    const first = Array.from({ length: 5 }, () => turns.take('a', work('a')));
    const second = ['b', 'b', 'c'].map((network) => turns.take(network, work(network)));
    await Promise.all([...first, ...second]);
    expect(order).toEqual(['a', 'a', 'b', 'c', 'a', 'b', 'a', 'a']);
  });

  it('get the place of the network with the most works in a full queue', async () => {
    const turns = createTurns({ concurrentMax: 1, waitingMax: 3, waitMs: 5_000 });
    const { begun, work } = steered();
    const first = Array.from({ length: 4 }, () => turns.take('a', work));
    const other = turns.take('b', work);
    expect(await first[3]).toEqual({ ok: false, fault: 'busy' });
    expect(await turns.take('a', work)).toEqual({ ok: false, fault: 'busy' });
    const third = turns.take('c', work);
    expect(await first[2]).toEqual({ ok: false, fault: 'busy' });
    expect(await turns.take('d', work)).toEqual({ ok: false, fault: 'busy' });
    for (const each of [first[0], first[1], other, third]) {
      begun.shift()?.();
      expect(await each).toEqual({ ok: true, value: 'done' });
    }
  });
});
