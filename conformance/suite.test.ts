import { describe, expect, it } from 'vitest';
import { canary, mutants } from './testing/broken.ts';
import { idsOf, judged } from './testing/judged.ts';
import { legalVariants } from './testing/legal.ts';
import { startStandIn } from './testing/stand-in.ts';

describe('a gateway that follows the contract', () => {
  it('is verified on every MUST of the three profiles, with thirteen payments', async () => {
    await using target = await startStandIn();
    const report = await judged(target);
    expect(idsOf(report, 'fail', 'warn', 'inconclusive', 'error')).toEqual([]);
    expect(report).toMatchObject({ verdict: 'conformant', exitCode: 0, must: { verified: 116, total: 116 } });
    expect(report.spent).toEqual({ signedUnits: '13000', settledUnits: '7000', payments: 13 });
  });

  it('is asked for nothing but its interface', async () => {
    await using target = await startStandIn();
    const report = await judged(target);
    const asked = new Set(report.exchanges.map(({ request }) => new URL(request.url).pathname));
    expect([...asked].sort()).toEqual([
      '/v1/chat/completions',
      '/v1/completions',
      '/v1/models',
      '/v1/no-such-endpoint',
    ]);
    for (const { request } of report.exchanges) {
      expect(request.headers['User-Agent']).toMatch(/^paid-inference-conformance\/\d/);
    }
  });

  it('gives the same report twice, save for the clock, the port and what is random', async () => {
    const outcomes = async () => {
      await using target = await startStandIn();
      const { results } = await judged(target);
      return results.map(({ requirement, title, outcome, evidence }) => [
        requirement,
        title,
        outcome,
        evidence,
      ]);
    };
    expect(await outcomes()).toEqual(await outcomes());
  });
});

describe('a gateway that breaks the contract', () => {
  it.each(mutants)('$id is found out by what it breaks, and by nothing else', async ({ change, kills }) => {
    await using target = await startStandIn(change);
    const report = await judged(target);
    expect(idsOf(report, 'fail')).toEqual([...kills].sort());
    expect(idsOf(report, 'warn', 'error')).toEqual([]);
    expect(report.exitCode).toBe(1);
  });

  it('dies if it answers 418 to everything', async () => {
    await using target = await startStandIn(canary);
    const report = await judged(target, { model: 'any/any' });
    expect(idsOf(report, 'fail')).toContain('unpaid.chat.402');
    expect(report.counts.error).toBe(0);
  });
});

describe('a gateway that does otherwise what the contract leaves open', () => {
  it.each(legalVariants)('$id has nothing held against it', async ({ change, isIncomplete }) => {
    await using target = await startStandIn(change);
    const report = await judged(target);
    expect(idsOf(report, 'fail', 'warn', 'error')).toEqual([]);
    expect(report.exitCode).toBe(isIncomplete ? 3 : 0);
  });
});
