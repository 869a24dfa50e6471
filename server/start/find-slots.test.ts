import { expect, it } from 'vitest';
import { findSlots } from './find-slots.ts';

const upstream = (works: boolean) => ({ isWorking: () => works });
const entry = { id: 'alder/alder-mini', inferencesMax: null, upstreams: [{}, {}] };

it.each([
  ['both work', [true, true], 128],
  ['one works', [true, false], 64],
  ['none works, so that a request may try one', [false, false], 64],
])('a model has the connections of the upstreams that work: %s (D-313)', (_, works, slots) => {
  expect(findSlots(entry, { upstreams: works.map(upstream) }, 64).max()).toBe(slots);
});

it('models of one engine share its slots, and a limit of the catalog is for one model (D-431)', () => {
  const engine = { upstreams: [upstream(true)] };
  expect(findSlots({ ...entry, id: 'alder/other' }, engine, 64).pool).toBe(findSlots(entry, engine, 64).pool);
  const own = findSlots({ ...entry, inferencesMax: 3 }, engine, 64);
  expect([own.pool, own.max()]).toEqual([entry.id, 3]);
});
