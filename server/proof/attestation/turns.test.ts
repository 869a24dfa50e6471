import { expect, it } from 'vitest';
import { createTurns } from './turns.ts';

/** Work that ends when the test says so. */
function steered() {
  const begun: Array<() => void> = [];
  const work = () => new Promise<string>((resolve) => begun.push(() => resolve('done')));
  return { begun, work };
}

it('As many as are allowed run at once, in the order in which they came; the next ones wait', async () => {
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

it('One more than may wait is told at once, and nothing is begun for it', async () => {
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

it('Who waits too long is told so, and its turn goes to the next', async () => {
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

it('Work that throws gives its turn back', async () => {
  const turns = createTurns({ concurrentMax: 1, waitingMax: 0, waitMs: 20 });
  const broken = turns.take(() => Promise.reject(new Error('broken')));
  await expect(broken).rejects.toThrow('broken');
  expect(await turns.take(async () => 'done')).toEqual({ ok: true, value: 'done' });
});
