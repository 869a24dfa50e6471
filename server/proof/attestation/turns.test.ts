import { expect, it } from 'vitest';
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
  const all = [1, 2, 3, 4].map(() => turns.take(work));
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
  const first = turns.take(work);
  const second = turns.take(work);
  expect(await turns.take(work)).toEqual({ ok: false, fault: 'busy' });
  expect(begun).toHaveLength(1);
  begun[0]?.();
  await first;
  begun[1]?.();
  await second;
});

it('returns busy after waitMs, and passes the turn to the next', async () => {
  const turns = createTurns({ concurrentMax: 1, waitingMax: 2, waitMs: 20 });
  const { begun, work } = steered();
  const first = turns.take(work);
  expect(await turns.take(work)).toEqual({ ok: false, fault: 'busy' });
  begun[0]?.();
  await first;
  const next = turns.take(work);
  begun[1]?.();
  expect(await next).toEqual({ ok: true, value: 'done' });
});

it('frees the turn of work that throws', async () => {
  const turns = createTurns({ concurrentMax: 1, waitingMax: 0, waitMs: 20 });
  const broken = turns.take(() => Promise.reject(new Error('broken')));
  await expect(broken).rejects.toThrow('broken');
  expect(await turns.take(async () => 'done')).toEqual({ ok: true, value: 'done' });
});
