import { describe, expect, it } from 'vitest';
import { settlementSecondsMax } from '../../chain/settlement.ts';
import type { Report } from '../../engine/report.ts';
import { mustIn } from '../../testing/expected.ts';
import type { ChainEdits } from '../../testing/fake-chain.ts';
import { startFakeTarget } from '../../testing/fake-target.ts';
import { idsOf, judged } from '../../testing/judged.ts';
import { chainMutants } from '../../testing/network-mutants.ts';
import { type NetworkEdits, startNetworks } from '../../testing/networks.ts';

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

/** All that is paid for. */
const whole = { filter: undefined };
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
    const report = await judgedOn(edits, whole);
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

/** Payments of a run are sent one after the other, so that a receipt that names an earlier transaction fails by itself too (D-157). */
describe('every payment that was answered with 200', () => {
  const ofAll = (report: Report) =>
    report.results.find(({ requirement }) => requirement === 'served.settled');

  it('is looked for by its own nonce: the transaction of an earlier one is not its own', async () => {
    const borrowed = (hashes: readonly string[]) => hashes.at(hashes.length > 3 ? 0 : -1);
    const report = await judgedOn({}, whole, { shownTxHash: borrowed });
    expect(idsOf(report, 'fail', 'warn')).toEqual(['served.receipt', 'served.settled']);
    expect(ofAll(report)?.detail).toMatch(
      /none in 0x[0-9a-f]{64} \(answer \d+, as chain\.authorization-used\)$/,
    );
  });

  it('may be settled in one transaction with others', async () => {
    const report = await judgedOn({ isOneForAll: true }, whole, { shownTxHash: ([first]) => first });
    expect(idsOf(report, 'fail', 'warn', 'inconclusive', 'error')).toEqual(['served.receipt']);
    expect(ofAll(report)).toMatchObject({ outcome: 'pass', detail: expect.stringMatching(/^\d+ answers$/) });
  });

  it('has its value moved: one transfer is not that of several payments', async () => {
    const edits = { isOneForAll: true, isEachLogOnce: true } as const;
    const report = await judgedOn(edits, whole, { shownTxHash: ([first]) => first });
    expect(idsOf(report, 'fail', 'warn', 'error')).toEqual(['served.receipt', 'served.settled']);
    expect(ofAll(report)?.detail).toMatch(
      /for each of \d+ payments; got "?1 in 0x[0-9a-f]{64} \(answer \d+, as chain\.transfer\)/,
    );
  });

  it('is waited for together with all others, no longer than for one', async () => {
    let seconds = 0;
    const sleep = async (more: number) => {
      seconds += more;
    };
    const report = await judgedOn({ transaction: () => null }, { ...whole, sleep });
    // Two answers are looked at by themselves, then all of them.
    expect(seconds).toBe(3 * settlementSecondsMax);
    expect(report.results.find(({ requirement }) => requirement === 'chain.transaction')?.outcome).toBe(
      'fail',
    );
  });

  it('is nothing to hold against a target where the node is gone', async () => {
    const report = await judgedOn({ isGoneSoon: true }, whole);
    expect(ofAll(report)?.outcome).toBe('inconclusive');
    expect(idsOf(report, 'fail')).toEqual([]);
  });
});

describe('without a node', () => {
  it('a run is none the less complete: what a chain shows does not arise', async () => {
    await using gateway = await startFakeTarget();
    const report = await judged(gateway, { profiles: ['paid'] });
    const { results, verdict, must } = report;
    const ofNodes = results.filter(({ profile }) => profile === 'chain' || profile === 'ledger');
    expect(new Set(ofNodes.map(({ outcome }) => outcome))).toEqual(new Set(['not-applicable']));
    expect(ofNodes.find(({ profile }) => profile === 'chain')?.detail).toContain('no chain given');
    expect(verdict).toBe('conformant');
    expect(must.total).toBe(mustIn({ profiles: ['paid'] }));
  });

  it('nothing is paid for what only a node could show', async () => {
    await using gateway = await startFakeTarget();
    const report = await judged(gateway, { profiles: ['paid'], filter: 'chain.' });
    expect(report.spent.payments).toBe(0);
    expect(report).toMatchObject({ must: { verified: 0, total: 0 }, verdict: 'incomplete' });
  });
});
