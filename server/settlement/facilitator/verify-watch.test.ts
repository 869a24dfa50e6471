import { expect, it } from 'vitest';
import { randomAddress } from '../../testing/store/claims.ts';
import { manualClock } from '../../types/clock.ts';
import { createVerifyWatch } from './verify-watch.ts';

const holdSeconds = 60;

function open() {
  const clock = manualClock(1_700_000_000);
  const watch = createVerifyWatch({ clock, holdSeconds });
  const fail = (payer = randomAddress()) => watch.failed(payer, 'HTTP 500');
  return { clock, watch, fail };
}

it('reports an outage when /verify failed for three payers without a response since, and ends it with a response (D-56)', () => {
  const { watch, fail } = open();
  fail();
  fail();
  expect(watch.healthIssue()).toBeNull();
  expect(watch.warning()).toBe('the facilitator does not verify payments of 2 payers: HTTP 500');
  fail();
  expect(watch.healthIssue()).toBe(
    'the facilitator verifies nothing: the last payments of 3 payers failed: HTTP 500',
  );
  expect(watch.warning()).toBeNull();
  watch.responded();
  expect([watch.healthIssue(), watch.warning()]).toEqual([null, null]);
});

it('warns of one payer, however often /verify fails for it, because the payer may be at fault (D-56)', () => {
  const { watch, fail } = open();
  const payer = randomAddress();
  for (let each = 0; each < 9; each++) fail(payer);
  expect(watch.healthIssue()).toBeNull();
  expect(watch.warning()).toContain('1 payer:');
});

it('forgets failures after a while, because a gateway that is not ready gets no request (D-56)', () => {
  const { clock, watch, fail } = open();
  for (let each = 0; each < 4; each++) fail();
  clock.advance(holdSeconds - 1);
  expect(watch.healthIssue()).not.toBeNull();
  clock.advance(1);
  expect([watch.healthIssue(), watch.warning()]).toEqual([null, null]);
});

it('counts as working only for a while after a response, and not after a failure (D-56)', () => {
  const { clock, watch, fail } = open();
  expect(watch.hasWorked()).toBe(false);
  watch.responded();
  expect(watch.hasWorked()).toBe(true);
  clock.advance(holdSeconds);
  expect(watch.hasWorked()).toBe(false);
  watch.responded();
  fail();
  expect(watch.hasWorked()).toBe(false);
});
