import { expect, it } from 'vitest';
import { describeMachine, findSlowest } from './machine.ts';

/** Ten probes, which are a span of five seconds. */
const span = (...ms: readonly number[]) => Array.from({ length: 10 }, (_, at) => ms[at] ?? 9);

it('finds the span in which the processor was slowest, by the least time of each (D-385)', () => {
  const slowest = findSlowest(span(1), [...span(1), ...span(9, 2, 7), ...span(1.25)]);
  expect(slowest).toEqual({ atSeconds: 5, speed: 0.5 });
});

it('knows no slowest span of a soak that is shorter than one (D-385)', () => {
  expect(findSlowest(span(1), [1, 1, 1])).toBeNull();
});

it('asks for another run only if the processor was slower than the soak allows (D-385)', () => {
  const describe = (speed: number) =>
    describeMachine({ pauses: [], blocks: [{ atSeconds: 9, ms: 500 }], slowest: { atSeconds: 5, speed } });
  expect(describe(0.7)).toMatch(/500 ms at 9 s.*\n.*0\.70 .* at 5 s\..* Repeat the run/);
  expect(describe(0.95)).not.toContain('Repeat');
});
