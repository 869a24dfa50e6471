import { expect, it } from 'vitest';
import { createHeldBodies } from './held-bodies.ts';

const kib = 1_024;
const text = (bytes: number) => ({ bytes, values: 0, indexNames: 0 });

it('holds bodies up to the limit, and the next ones once a request has ended (D-408)', () => {
  const hold = createHeldBodies(400 * kib);
  const held = ['a', 'b', 'c', 'd'].map((network) => hold(network, text(100 * kib)));
  expect(held).not.toContain(null);
  expect(hold('e', text(100 * kib))).toBeNull();
  // A second call gives nothing back.
  held[0]?.();
  held[0]?.();
  expect(hold('e', text(100 * kib))).not.toBeNull();
  expect(hold('f', text(100 * kib))).toBeNull();
});

it('lets one network hold a quarter of the limit, or one body (D-408)', () => {
  const hold = createHeldBodies(400 * kib);
  expect(hold('a', text(50 * kib))).not.toBeNull();
  expect(hold('a', text(50 * kib))).not.toBeNull();
  expect(hold('a', text(50 * kib))).toBeNull();
  expect(hold('b', text(300 * kib))).not.toBeNull();
  expect(hold('b', text(16 * kib))).toBeNull();
});

it('does not count small bodies (D-408)', () => {
  const hold = createHeldBodies(400 * kib);
  expect(hold('a', text(400 * kib))).not.toBeNull();
  expect(hold('a', text(2 * kib - 1))).not.toBeNull();
  expect(hold('a', text(2 * kib))).toBeNull();
});

it('counts members and items beside their bytes, up to the limit (D-408)', () => {
  const hold = createHeldBodies(400 * kib);
  expect(hold('a', { ...text(2 * kib - 1), values: 50 * kib })).not.toBeNull();
  expect(hold('b', { ...text(0), values: 1 })).not.toBeNull();
  expect(hold('c', text(2 * kib))).toBeNull();
});
