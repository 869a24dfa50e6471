import { expect, it } from 'vitest';
import { randomAddress } from '../testing/store/claims.ts';
import { manualClock, systemClock } from '../types/clock.ts';
import { createCodelessAccounts } from './codeless-accounts.ts';

it('remembers an account for ten seconds, and 10,000 accounts at most', () => {
  const clock = manualClock(systemClock.nowSeconds());
  const accounts = createCodelessAccounts(clock);
  const [one, other] = [randomAddress(), randomAddress()];
  accounts.note(one);
  expect([accounts.has(one), accounts.has(other)]).toEqual([true, false]);
  clock.advance(11);
  expect(accounts.has(one)).toBe(false);
  accounts.note(one);
  for (let noted = 0; noted < 9_999; noted++) accounts.note(randomAddress());
  expect(accounts.has(one)).toBe(true);
  accounts.note(other);
  expect([accounts.has(one), accounts.has(other)]).toEqual([false, true]);
});
