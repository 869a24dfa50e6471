import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createCountingEngine } from '../testing/counting-engine.ts';
import { manualClock } from '../types/clock.ts';
import { unixSeconds } from '../types/units.ts';
import { createUpstreamHealth } from './upstream-health.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The health of a model with one upstream, whose first probe has this result and whose second one takes long. */
async function healthAfter(first: string | null) {
  const clock = manualClock(unixSeconds(1_800_000_000));
  const second = Promise.withResolvers<string | null>();
  const results = [Promise.resolve(first), second.promise];
  const upstream = {
    probe: { issue: () => results.shift() ?? second.promise },
    breakerIssue: () => null,
    isWorking: () => true,
  };
  const engine = { ...createCountingEngine(), upstreams: [upstream] };
  const health = createUpstreamHealth({
    models: new Map([['one', { engine }]]),
    clock,
    upstreamHealthAgeMaxMs: 1_000,
  });
  await health.check('one');
  clock.advance(3_600);
  const isChecked = vi.fn();
  const check = health.check('one').then((result) => {
    isChecked();
    return result;
  });
  return { health, check, isChecked, respond: second.resolve };
}

it('an upstream that worked counts as working while its probe takes long, and then by its result (D-411)', async () => {
  const { health, check, isChecked, respond } = await healthAfter(null);
  await vi.advanceTimersByTimeAsync(499);
  expect(isChecked).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(await check).toEqual({ issue: null, warning: null });
  respond('refused');
  await vi.advanceTimersByTimeAsync(0);
  expect(await health.check('one')).toEqual({ issue: 'refused', warning: null });
});

it('a check waits for the result of an upstream that did not work (D-411)', async () => {
  const { check, isChecked, respond } = await healthAfter('refused');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(isChecked).not.toHaveBeenCalled();
  respond(null);
  expect(await check).toEqual({ issue: null, warning: null });
});
