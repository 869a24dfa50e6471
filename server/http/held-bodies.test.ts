import { expect, it } from 'vitest';
import { createHeldBodies } from './held-bodies.ts';

const kib = 1_024;

it('holds bodies up to the limit, and the next ones once a request has ended (D-408)', () => {
  const hold = createHeldBodies(400 * kib);
  const held = ['a', 'b', 'c', 'd'].map((network) => hold(network, 100 * kib));
  expect(held).not.toContain(null);
  expect(hold('e', 100 * kib)).toBeNull();
  // A second call gives nothing back.
  held[0]?.();
  held[0]?.();
  expect(hold('e', 100 * kib)).not.toBeNull();
  expect(hold('f', 100 * kib)).toBeNull();
});

it('lets one network hold a quarter of the limit, or one body (D-408)', () => {
  const hold = createHeldBodies(400 * kib);
  expect(hold('a', 50 * kib)).not.toBeNull();
  expect(hold('a', 50 * kib)).not.toBeNull();
  expect(hold('a', 50 * kib)).toBeNull();
  expect(hold('b', 300 * kib)).not.toBeNull();
  expect(hold('b', 16 * kib)).toBeNull();
});

it('does not count small bodies (D-408)', () => {
  const hold = createHeldBodies(400 * kib);
  expect(hold('a', 400 * kib)).not.toBeNull();
  expect(hold('a', 2 * kib - 1)).not.toBeNull();
  expect(hold('a', 2 * kib)).toBeNull();
});
