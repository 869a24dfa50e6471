import { describe, expect, it } from 'vitest';
import { fail, ok } from '../../types/result.ts';
import type { Facilitator, OfferedKind } from './facilitator.ts';
import { chooseVersion, createVersionChoice } from './version.ts';

const v1 = { x402Version: 1, scheme: 'exact', network: 'base-sepolia' };
const v2 = { x402Version: 2, scheme: 'exact', network: 'eip155:84532' };

/** Only what it offers is asked of it here; null for nothing at all. */
function facilitatorOf(kinds: readonly OfferedKind[] | null) {
  const nothing = () => Promise.reject(new Error('not asked for here'));
  const facilitator = {
    kinds,
    questions: 0,
    supported: async () => {
      facilitator.questions += 1;
      return facilitator.kinds === null ? fail('HTTP 503') : ok({ kinds: facilitator.kinds, signers: [] });
    },
    verify: nothing,
    settle: nothing,
    close: nothing,
  };
  return facilitator satisfies Facilitator;
}

describe('The version of x402 (D-57)', () => {
  it.each([
    ['the only one that is offered', [v1], null, 1],
    ['the only one that is offered', [v2], null, 2],
    ['the newer of two', [v1, v2], null, 2],
    ['what the settings want, of two', [v1, v2], 1, 1],
    ['the newer, where every chain of this kind is offered', [v1, { ...v2, network: 'eip155:*' }], null, 2],
  ] as const)('is %s', (_name, kinds, wanted, version) => {
    expect(chooseVersion(kinds, wanted)).toBe(version);
  });

  it.each([
    ['nothing is offered', [], null],
    ['it is offered on another network', [{ ...v2, network: 'eip155:8453' }], null],
    ['the network has the name of another version', [{ ...v1, network: v2.network }], null],
    ['another scheme is offered', [{ ...v2, scheme: 'upto' }], null],
    ['a later version is offered', [{ ...v2, x402Version: 3 }], null],
    ['what the settings want is not offered', [v2], 1],
  ] as const)('is none where %s', (_name, kinds, wanted) => {
    expect(chooseVersion(kinds, wanted)).toBeNull();
  });

  it('is asked for once, however many wait for it, and then known', async () => {
    const facilitator = facilitatorOf([v1]);
    const version = createVersionChoice(facilitator, null);
    expect(await Promise.all([version.current(), version.current(), version.current()])).toEqual([1, 1, 1]);
    expect(await version.current()).toBe(1);
    expect(facilitator.questions).toBe(1);
  });

  it('that was known outlives an outage, and is chosen anew when the offer changes', async () => {
    const facilitator = facilitatorOf([v2]);
    const version = createVersionChoice(facilitator, null);
    expect(await version.healthIssue()).toBeNull();
    facilitator.kinds = null;
    expect(await version.healthIssue()).toBe('the facilitator does not answer: HTTP 503');
    expect(await version.current()).toBe(2);
    facilitator.kinds = [v1];
    expect(await version.healthIssue()).toBeNull();
    expect(await version.current()).toBe(1);
  });

  it('is not known of a facilitator that does not answer, and asked for again', async () => {
    const facilitator = facilitatorOf(null);
    const version = createVersionChoice(facilitator, null);
    expect(await version.current()).toBeNull();
    facilitator.kinds = [v2];
    expect(await version.current()).toBe(2);
  });

  it('that the settings want is spoken without asking, and missed in one sentence', async () => {
    const version = createVersionChoice(facilitatorOf([v2]), 1);
    expect(await version.current()).toBe(1);
    expect(await version.healthIssue()).toBe(
      'the facilitator does not offer the scheme exact on base-sepolia in x402 version 1',
    );
  });

  it('that nobody offers is missed in one sentence', async () => {
    const version = createVersionChoice(facilitatorOf([]), null);
    expect(await version.healthIssue()).toBe(
      'the facilitator does not offer the scheme exact on eip155:84532 or base-sepolia',
    );
    expect(await version.current()).toBeNull();
  });
});
