import { describe, expect, it } from 'vitest';
import type { Report } from '../../engine/report.ts';
import type { ChainEdits } from '../../testing/chain/fake-chain.ts';
import { type NetworkEdits, startNetworks } from '../../testing/chain/networks.ts';
import { type Change, startFakeTarget } from '../../testing/fake-target.ts';
import { judged, listIds } from '../../testing/judged.ts';
import { json, startProxy } from '../../testing/proxy.ts';

/** Payments that got 400 may get another status when they are sent again. */
async function reportOn(
  edits: NetworkEdits,
  change?: Change,
  filter?: string,
  again?: number,
): Promise<Report> {
  await using gateway = await startFakeTarget(change);
  const refused = new Set<unknown>();
  await using proxy = await startProxy(gateway.url, async ({ headers }, forward) => {
    const payment = headers['x-payment'];
    if (again !== undefined && refused.has(payment)) return json(again, {});
    const response = await forward();
    if (payment !== undefined && response.status === 400) refused.add(payment);
    return response;
  });
  await using networks = await startNetworks(proxy.url, edits);
  return await judged(
    { ...gateway, url: networks.url },
    { profiles: ['paid'], filter, chainRpcUrl: networks.chainRpcUrl, sleep: async () => {} },
  );
}

function ofRefused({ results }: Report) {
  return results.find(({ requirement }) => requirement === 'refused.unsettled');
}

/** Returns this status for a payment of one unit less than the offer. */
function answeringLess(status: number): Change {
  return ({ termsFault, paymentRequired, error }) => {
    let isLess = false;
    return {
      termsFault: (authorization, ...of) => {
        isLess = authorization.value === '999';
        return termsFault(authorization, ...of);
      },
      paymentRequired(offer) {
        const wasLess = isLess;
        isLess = false;
        return wasLess ? error(status, 'some_error', 'some_code') : paymentRequired.call(this, offer);
      },
    };
  };
}

describe('a refused payment', () => {
  it('is unused on the test network; a served payment may be refused later', async () => {
    const report = await reportOn({});
    expect(ofRefused(report)).toMatchObject({
      outcome: 'pass',
      detail: expect.stringMatching(/^\d+ payments$/),
    });
    expect(report.results.find(({ requirement }) => requirement === 'payment.nonce-reuse')?.detail).toBe(
      'for the same request: 402; for another request: 402',
    );
  });

  it.each([400, 401, 402])('(%i) that has settled leads to a warning with its nonce', async (status) => {
    const report = await reportOn({ settlesBeside: status }, answeringLess(status));
    expect(listIds(report, 'warn')).toEqual(['refused.unsettled']);
    expect(ofRefused(report)?.detail).toMatch(
      /^expected a refused payment to stay unused \(nonce 0x[0-9a-f]{64}\); got a settled payment \(request \d+: 40[012]/,
    );
    expect(report.exitCode).toBe(0);
  });

  it.each([
    [409, 'warn'],
    [422, 'warn'],
    [200, 'pass'],
    [500, 'pass'],
    [503, 'pass'],
  ] as const)('that gets %i when it is sent again: %s', async (status, outcome) => {
    const report = await reportOn({ settlesBeside: 400 }, undefined, undefined, status);
    expect(report.exchanges.some(({ response }) => response?.status === status)).toBe(true);
    expect(ofRefused(report)?.outcome).toBe(outcome);
  });

  it.each([409, 429, 500, 503])('with %i may have settled', async (status) => {
    const report = await reportOn({ settlesBeside: status }, answeringLess(status));
    expect(report.exchanges.some(({ response }) => response?.status === status)).toBe(true);
    expect(ofRefused(report)?.outcome).toBe('pass');
  });

  it.each([
    [
      'does not report served payments as used',
      { isForgetful: true },
      'does not report a served payment as used',
    ],
    ['is gone', { isGoneSoon: true }, 'the node of --chain-rpc returned an error for eth_call'],
  ] as const satisfies readonly (readonly [string, ChainEdits, string])[])(
    'is inconclusive if the node %s',
    async (_, chain, reason) => {
      const report = await reportOn({ chain, settlesBeside: 400 });
      expect(ofRefused(report)).toMatchObject({
        outcome: 'inconclusive',
        detail: expect.stringContaining(reason),
      });
    },
  );

  it('is not applicable if no payment was refused', async () => {
    expect(ofRefused(await reportOn({}, undefined, 'refused.'))?.outcome).toBe('not-applicable');
  });
});
