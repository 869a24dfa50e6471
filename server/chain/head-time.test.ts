import { describe, expect, it } from 'vitest';
import { type Config, configSchema } from '../config/schema.ts';
import { manualClock } from '../types/clock.ts';
import { fail, ok } from '../types/result.ts';
import { headTimeIssue, headTimeLimits } from './head-time.ts';
import type { Rpc } from './rpc.ts';

// D-166: the time of the newest block.

const clock = manualClock(1_800_000_000);
const limits = { ageMaxSeconds: 60, aheadMaxSeconds: 30 };

function issueAt(seconds: number, change: Partial<typeof limits> | { ageMaxSeconds: null } = {}) {
  return headTimeIssue(BigInt(1_800_000_000 + seconds), clock, { ...limits, ...change });
}

describe('The newest block', () => {
  it('is of now, or within the limits', () => {
    expect([issueAt(0), issueAt(-60), issueAt(30)]).toEqual([null, null, null]);
  });

  it('is too old, or ahead of the clock: the issue has the figures and the setting to check', () => {
    expect(issueAt(-61)).toMatch(
      /^the newest block is 61 s old, and advanced\.chainHeadAgeMaxSeconds is 60: check/,
    );
    expect(issueAt(31)).toMatch(/^the newest block is 31 s ahead of the clock .* 30 s are the most: check/);
  });

  it('may have any age without a limit, but not be ahead', () => {
    expect(issueAt(-1_000_000, { ageMaxSeconds: null })).toBeNull();
    expect(issueAt(31, { ageMaxSeconds: null })).not.toBeNull();
  });
});

describe('The limits of a deployment', () => {
  const node = (version: string | null): Rpc => ({
    call: async <T>() => (version === null ? fail({ kind: 'unavailable', message: '' }) : ok(version as T)),
  });
  const config = (change: Partial<Config>) => ({ ...configSchema.parse({}), ...change });
  const chain = {} as NonNullable<Config['chain']>;

  it.each([
    ['a node of a chain', 'op-geth/v1.101411.0', { chain }, 60],
    ['a node that does not return its version', null, { chain }, 60],
    ['anvil', 'anvil/v1.7.1', { chain }, null],
    ['Hardhat', 'HardhatNetwork/2.22.0', { chain }, null],
    ['the devnet', 'op-geth/v1', {}, null],
    ['anvil, with an age from the operator', 'anvil/v1.7.1', { chain, chainHeadAgeMaxSeconds: 5 }, 5],
    ['a chain, with no limit from the operator', 'op-geth/v1', { chain, chainHeadAgeMaxSeconds: null }, null],
  ])('of %s', async (_name, version, change, ageMaxSeconds) => {
    expect(await headTimeLimits(config(change), node(version))).toMatchObject({ ageMaxSeconds });
  });

  it('leave a payment the time of an offer without inference and margin', async () => {
    const aheadMax = async (change: Partial<Config>) =>
      (await headTimeLimits(config(change), node(null))).aheadMaxSeconds;
    expect(await aheadMax({})).toBe(300 - 60 - 30);
    expect(await aheadMax({ offerValiditySeconds: 10 })).toBe(30);
  });
});
