import { describe, expect, it } from 'vitest';
import { mustIn } from '../testing/expected.ts';
import type { ChainEdits } from '../testing/fake-chain.ts';
import { idsOf, judged } from '../testing/judged.ts';
import { chainMutants } from '../testing/network-mutants.ts';
import { startNetworks } from '../testing/networks.ts';
import { startStandIn } from '../testing/stand-in.ts';

async function judgedOn(edits: ChainEdits, options = {}) {
  await using gateway = await startStandIn();
  await using networks = await startNetworks(gateway.url, { chain: edits });
  const target = { ...gateway, url: networks.url };
  return await judged(target, {
    profiles: ['paid'],
    filter: 'chain.',
    chainRpcUrl: networks.chainRpcUrl,
    sleep: async () => {},
    ...options,
  });
}

const all = ['chain.authorization-used', 'chain.transaction', 'chain.transfer'];

describe('a payment that was answered with 200', () => {
  it('is seen on the test network: mined, used, and moved to the unit', async () => {
    const report = await judgedOn({});
    expect(idsOf(report, 'pass')).toEqual(all);
    expect(report).toMatchObject({
      verdict: 'conformant',
      profiles: ['paid', 'chain'],
      must: { verified: all.length, total: all.length },
    });
    // Two answers, each with a payment of its own.
    expect(report.spent.payments).toBe(2);
  });

  it.each(chainMutants)('is found out: $id', async ({ edits, kills }) => {
    const report = await judgedOn(edits);
    expect(idsOf(report, 'fail')).toEqual([...kills].sort());
    expect(idsOf(report, 'warn', 'error')).toEqual([]);
  });

  it.each([
    ['is gone', { isGoneSoon: true }, 'the node of --chain-rpc refused eth_getTransactionReceipt'],
    ['still waits for a block', { isStuck: true }, 'was not mined within 30 s'],
    ['is behind', { transaction: () => null, newestBlockAt: 1_700_000_000 }, 'the newest block of the node'],
  ] as const satisfies readonly (readonly [string, ChainEdits, string])[])(
    'is nothing to hold against a target where the node %s',
    async (_, edits, reason) => {
      const report = await judgedOn(edits);
      expect(idsOf(report, 'inconclusive')).toEqual(all);
      expect(idsOf(report, 'fail', 'pass')).toEqual([]);
      expect(report.results.find(({ outcome }) => outcome === 'inconclusive')?.detail).toContain(reason);
      expect(report.exitCode).toBe(3);
    },
  );
});

describe('without a node', () => {
  it('a run is none the less complete: what a chain shows does not arise', async () => {
    await using gateway = await startStandIn();
    const report = await judged(gateway, { profiles: ['paid'] });
    const { results, verdict, must } = report;
    const ofNodes = results.filter(({ profile }) => profile === 'chain' || profile === 'ledger');
    expect(new Set(ofNodes.map(({ outcome }) => outcome))).toEqual(new Set(['not-applicable']));
    expect(ofNodes.find(({ profile }) => profile === 'chain')?.detail).toContain('no chain given');
    expect(verdict).toBe('conformant');
    expect(must.total).toBe(mustIn({ profiles: ['paid'] }));
  });

  it('nothing is paid for what only a node could show', async () => {
    await using gateway = await startStandIn();
    const report = await judged(gateway, { profiles: ['paid'], filter: 'chain.' });
    expect(report.spent.payments).toBe(0);
    expect(report).toMatchObject({ must: { verified: 0, total: 0 }, verdict: 'incomplete' });
  });
});
