import { describe, expect, it } from 'vitest';
import { settlementSecondsMax } from '../../chain/settlement.ts';
import type { Report } from '../../engine/report.ts';
import type { ChainEdits } from '../../testing/chain/fake-chain.ts';
import { chainMutants } from '../../testing/chain/network-mutants.ts';
import { type NetworkEdits, startNetworks } from '../../testing/chain/networks.ts';
import { mustIn } from '../../testing/expected.ts';
import { startFakeTarget } from '../../testing/fake-target.ts';
import { judged, listIds } from '../../testing/judged.ts';

async function judgedOn(edits: ChainEdits, options = {}, more: NetworkEdits = {}) {
  await using gateway = await startFakeTarget();
  await using networks = await startNetworks(gateway.url, { chain: edits, ...more });
  const target = { ...gateway, url: networks.url };
  return await judged(target, {
    profiles: ['paid'],
    filter: 'chain.',
    chainRpcUrl: networks.chainRpcUrl,
    sleep: async () => {},
    ...options,
  });
}

/** All payments of the run. */
const whole = { filter: undefined };
const all = ['chain.authorization-used', 'chain.transaction', 'chain.transfer'];

describe('a payment with a 200 response', () => {
  it('is checked on the test network: mined, used, exact transfer', async () => {
    const report = await judgedOn({});
    expect(listIds(report, 'pass')).toEqual(all);
    expect(report).toMatchObject({
      verdict: 'conformant',
      profiles: ['paid', 'chain'],
      must: { verified: all.length, total: all.length },
    });
    // Two responses, each with its own payment.
    expect(report.spent.payments).toBe(2);
  });

  it.each(chainMutants)('fails for the mutant $id', async ({ edits, kills }) => {
    const report = await judgedOn(edits, whole);
    expect(listIds(report, 'fail')).toEqual([...kills].sort());
    expect(listIds(report, 'warn', 'error')).toEqual([]);
  });

  it.each([
    [
      'is gone',
      { isGoneSoon: true },
      'the node of --chain-rpc returned an error for eth_getTransactionReceipt',
    ],
    ['has the transaction pending', { isStuck: true }, 'was not mined within 30 s'],
    ['lags', { transaction: () => null, newestBlockAt: 1_700_000_000 }, 'its newest block'],
  ] as const satisfies readonly (readonly [string, ChainEdits, string])[])(
    'is inconclusive if the node %s',
    async (_, edits, reason) => {
      const report = await judgedOn(edits);
      expect(listIds(report, 'inconclusive')).toEqual(all);
      expect(listIds(report, 'fail', 'pass')).toEqual([]);
      expect(report.results.find(({ outcome }) => outcome === 'inconclusive')?.detail).toContain(reason);
      expect(report.exitCode).toBe(3);
    },
  );
});

/** Payments of a run are sequential, so a receipt with an earlier transaction also fails by itself (D-157). */
describe('all payments with a 200 response', () => {
  const ofAll = (report: Report) =>
    report.results.find(({ requirement }) => requirement === 'served.settled');

  it('are checked by their own nonces, so an earlier transaction fails', async () => {
    const borrowed = (hashes: readonly string[]) => hashes.at(hashes.length > 3 ? 0 : -1);
    const report = await judgedOn({}, whole, { shownTxHash: borrowed });
    expect(listIds(report, 'fail', 'warn')).toEqual(['served.receipt', 'served.settled']);
    expect(ofAll(report)?.detail).toMatch(
      /no such event in 0x[0-9a-f]{64} \(request \d+, by the rule of chain\.authorization-used\)$/,
    );
  });

  it('may share one transaction', async () => {
    const report = await judgedOn({ isOneForAll: true }, whole, { shownTxHash: ([first]) => first });
    expect(listIds(report, 'fail', 'warn', 'inconclusive', 'error')).toEqual(['served.receipt']);
    expect(ofAll(report)).toMatchObject({
      outcome: 'pass',
      detail: expect.stringMatching(/^\d+ responses$/),
    });
  });

  it('need one transfer each: a single transfer for several payments fails', async () => {
    const edits = { isOneForAll: true, isEachLogOnce: true } as const;
    const report = await judgedOn(edits, whole, { shownTxHash: ([first]) => first });
    expect(listIds(report, 'fail', 'warn', 'error')).toEqual(['served.receipt', 'served.settled']);
    expect(ofAll(report)?.detail).toMatch(
      /for each of \d+ payments; got "?1 such events in 0x[0-9a-f]{64} \(request \d+, by the rule of chain\.transfer\)/,
    );
  });

  it('share one waiting time', async () => {
    let seconds = 0;
    const sleep = async (more: number) => {
      seconds += more;
    };
    const report = await judgedOn({ transaction: () => null }, { ...whole, sleep });
    // Two responses are checked by themselves, then all of them.
    expect(seconds).toBe(3 * settlementSecondsMax);
    expect(report.results.find(({ requirement }) => requirement === 'chain.transaction')?.outcome).toBe(
      'fail',
    );
  });

  it('are inconclusive if the node fails', async () => {
    const report = await judgedOn({ isGoneSoon: true }, whole);
    expect(ofAll(report)?.outcome).toBe('inconclusive');
    expect(listIds(report, 'fail')).toEqual([]);
  });
});

describe('a run without a node', () => {
  it('is complete, because the checks of the chain are not applicable', async () => {
    await using gateway = await startFakeTarget();
    const report = await judged(gateway, { profiles: ['paid'] });
    const { results, verdict, must } = report;
    const ofNodes = results.filter(({ profile }) => profile === 'chain' || profile === 'ledger');
    expect(new Set(ofNodes.map(({ outcome }) => outcome))).toEqual(new Set(['not-applicable']));
    expect(ofNodes.find(({ profile }) => profile === 'chain')?.detail).toContain(
      'no node of chain 84532 was given',
    );
    expect(verdict).toBe('conformant');
    expect(must.total).toBe(mustIn({ profiles: ['paid'] }));
  });

  it('makes no payment for checks that need a node', async () => {
    await using gateway = await startFakeTarget();
    const report = await judged(gateway, { profiles: ['paid'], filter: 'chain.' });
    expect(report.spent.payments).toBe(0);
    expect(report).toMatchObject({ must: { verified: 0, total: 0 }, verdict: 'incomplete' });
  });
});
