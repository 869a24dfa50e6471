import { beforeEach, expect, it } from 'vitest';
import { createLog } from '../observe/log.ts';
import { StoreUnavailable } from '../store/store.ts';
import { createDeliveries } from './deliveries.ts';

const written: (readonly number[])[] = [];
let isDown = false;
const store = {
  async recordDeliveries(ids: readonly number[]) {
    if (isDown) throw new StoreUnavailable('down');
    written.push(ids);
  },
};
const create = () => createDeliveries({ store, log: createLog('silent') });

beforeEach(() => {
  written.length = 0;
  isDown = false;
});

it('writes the deliveries of a moment together, after they were noted (D-259)', async () => {
  const deliveries = create();
  deliveries.note(1, 'one');
  deliveries.note(2, 'two');
  deliveries.note(1, 'one');
  expect(written).toEqual([]);
  await expect.poll(() => written).toEqual([[1, 2]]);
  deliveries.note(3, 'three');
  await expect.poll(() => written).toEqual([[1, 2], [3]]);
});

it('writes at once for a purchase that was delivered, and not for another one', async () => {
  const deliveries = create();
  deliveries.note(1, 'one');
  await deliveries.written('two');
  expect(written).toEqual([]);
  await deliveries.written('one');
  expect(written).toEqual([[1]]);
  await deliveries.written('one');
  expect(written).toEqual([[1]]);
});

it('waits for a write that is under way', async () => {
  const writing = Promise.withResolvers<void>();
  const deliveries = createDeliveries({
    log: createLog('silent'),
    store: {
      recordDeliveries: (ids) => writing.promise.then(() => store.recordDeliveries(ids)),
    },
  });
  deliveries.note(1, 'one');
  const first = deliveries.flush();
  const second = deliveries.written('one').then(() => written.length);
  writing.resolve();
  await first;
  expect(await second).toBe(1);
});

it('drops a group that cannot be written, and writes the next one', async () => {
  const deliveries = create();
  isDown = true;
  deliveries.note(1, 'one');
  await deliveries.flush();
  isDown = false;
  deliveries.note(2, 'two');
  await deliveries.flush();
  expect(written).toEqual([[2]]);
});

it('writes everything that waited during a slow write in the next one', async () => {
  const started = Promise.withResolvers<void>();
  const writing = Promise.withResolvers<void>();
  const deliveries = createDeliveries({
    log: createLog('silent'),
    store: {
      async recordDeliveries(ids) {
        started.resolve();
        await writing.promise;
        await store.recordDeliveries(ids);
      },
    },
  });
  deliveries.note(1, 'one');
  const flushes = [deliveries.flush()];
  await started.promise;
  for (const id of [2, 3]) {
    deliveries.note(id, `${id}`);
    flushes.push(deliveries.flush());
  }
  writing.resolve();
  await Promise.all(flushes);
  expect(written).toEqual([[1], [2, 3]]);
});
