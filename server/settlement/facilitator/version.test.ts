import { describe, expect, it } from 'vitest';
import { fail, ok } from '../../types/result.ts';
import type { Facilitator, OfferedKind } from './facilitator.ts';
import { chooseVersion, createVersionChoice } from './version.ts';

const v1 = { x402Version: 1, scheme: 'exact', network: 'base-sepolia' };
const v2 = { x402Version: 2, scheme: 'exact', network: 'eip155:84532' };

/** A facilitator with these kinds; null for one that does not respond. */
function createFacilitator(kinds: readonly OfferedKind[] | null) {
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
    ['the only offered version', [v1], null, 1],
    ['the only offered version', [v2], null, 2],
    ['the newer of two versions', [v1, v2], null, 2],
    ['the version of the settings, of two', [v1, v2], 1, 1],
    ['the newer, for a facilitator with the wildcard network', [v1, { ...v2, network: 'eip155:*' }], null, 2],
  ] as const)('is %s', (_name, kinds, wanted, version) => {
    expect(chooseVersion(kinds, wanted)).toBe(version);
  });

  it.each([
    ['nothing is offered', [], null],
    ['it is offered on another network', [{ ...v2, network: 'eip155:8453' }], null],
    ['the network has the name of the other version', [{ ...v1, network: v2.network }], null],
    ['another scheme is offered', [{ ...v2, scheme: 'upto' }], null],
    ['a later version is offered', [{ ...v2, x402Version: 3 }], null],
    ['the version of the settings is not offered', [v2], 1],
  ] as const)('is null when %s', (_name, kinds, wanted) => {
    expect(chooseVersion(kinds, wanted)).toBeNull();
  });

  it('is read once for several callers, and then kept', async () => {
    const facilitator = createFacilitator([v1]);
    const version = createVersionChoice(facilitator, null);
    expect(await Promise.all([version.current(), version.current(), version.current()])).toEqual([1, 1, 1]);
    expect(await version.current()).toBe(1);
    expect(facilitator.questions).toBe(1);
  });

  it('survives an outage once known, and changes with the offer', async () => {
    const facilitator = createFacilitator([v2]);
    const version = createVersionChoice(facilitator, null);
    expect(await version.healthIssue()).toBeNull();
    facilitator.kinds = null;
    expect(await version.healthIssue()).toBe('the facilitator does not answer: HTTP 503');
    expect(await version.current()).toBe(2);
    facilitator.kinds = [v1];
    expect(await version.healthIssue()).toBeNull();
    expect(await version.current()).toBe(1);
  });

  it('is null while the facilitator does not respond, and read again later', async () => {
    const facilitator = createFacilitator(null);
    const version = createVersionChoice(facilitator, null);
    expect(await version.current()).toBeNull();
    facilitator.kinds = [v2];
    expect(await version.current()).toBe(2);
  });

  it('of the settings is used without a call, and its lack is a health issue', async () => {
    const version = createVersionChoice(createFacilitator([v2]), 1);
    expect(await version.current()).toBe(1);
    expect(await version.healthIssue()).toBe(
      'the facilitator does not offer the scheme exact on base-sepolia in x402 version 1',
    );
  });

  it('is a health issue when none is offered', async () => {
    const version = createVersionChoice(createFacilitator([]), null);
    expect(await version.healthIssue()).toBe(
      'the facilitator does not offer the scheme exact on eip155:84532 or base-sepolia',
    );
    expect(await version.current()).toBeNull();
  });
});
