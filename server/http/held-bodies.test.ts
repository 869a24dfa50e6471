import { expect, it } from 'vitest';
import { createHeldBodies } from './held-bodies.ts';

const kib = 1_024;
const text = (bytes: number) => ({ bytes, values: 0, indexNames: 0 });

it('holds bodies of several sites, and the next ones once a request has ended (D-408)', () => {
  const hold = createHeldBodies(400 * kib);
  const held = ['a', 'b', 'c'].map((site) => hold(site, text(100 * kib)));
  expect(held).not.toContain(null);
  expect(hold('d', text(100 * kib))).toBeNull();
  // A second call gives nothing back.
  held[0]?.();
  held[0]?.();
  expect(hold('d', text(100 * kib))).not.toBeNull();
  expect(hold('e', text(100 * kib))).toBeNull();
});

it('lets one site hold a quarter of the limit, or one body (D-408)', () => {
  const hold = createHeldBodies(400 * kib);
  expect(hold('a', text(50 * kib))).not.toBeNull();
  expect(hold('a', text(50 * kib))).not.toBeNull();
  expect(hold('a', text(50 * kib))).toBeNull();
  expect(hold('b', text(150 * kib))).not.toBeNull();
  expect(hold('b', text(16 * kib))).toBeNull();
});

it('leaves room for a further site, however many bodies eight sites send (D-408)', () => {
  const hold = createHeldBodies(64 * 1_024 * kib);
  for (const site of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) while (hold(site, text(64 * kib)));
  for (let count = 0; count < 20; count += 1) expect(hold('home', text(3 * kib))).not.toBeNull();
});

it('holds one body of any size without others (D-408)', () => {
  const hold = createHeldBodies(400 * kib);
  const end = hold('a', text(400 * kib));
  expect(end).not.toBeNull();
  expect(hold('b', text(2 * kib))).toBeNull();
  end?.();
  expect(hold('b', text(2 * kib))).not.toBeNull();
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
