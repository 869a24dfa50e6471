import { describe, expect, it } from 'vitest';
import { mutants } from '../testing/broken.ts';
import { startFakeTarget } from '../testing/fake-target.ts';
import { judged } from '../testing/judged.ts';
import { applyPolicy } from './policy.ts';
import type { Report } from './report.ts';

const known = { requirement: 'offer.maxAmountRequired', reason: 'amounts are numbers until June' } as const;

async function offersJudged(mutant?: string): Promise<Report> {
  await using target = await startFakeTarget(mutants.find(({ id }) => id === mutant)?.change);
  return await judged(target, { profiles: ['free'], filter: 'offer.' });
}

const listOutcomes = (report: Report) => report.results.map(({ outcome }) => outcome);
const warned = (report: Report): Report => ({
  ...report,
  results: report.results.map((result) =>
    result.requirement === 'offer.payTo' ? { ...result, level: 'SHOULD', outcome: 'warn' } : result,
  ),
});

describe('expected failures', () => {
  it('do not change the exit code, but stay failures', async () => {
    const report = await offersJudged('amount-as-number');
    expect(report.exitCode).toBe(1);
    const expected = applyPolicy(report, { expectedFailures: [known] });
    expect(expected).toMatchObject({ exitCode: 0, verdict: 'non-conformant', must: report.must });
    expect(expected.expectedFailures).toEqual([{ ...known, state: 'failing' }]);
    expect(listOutcomes(expected)).toEqual(listOutcomes(report));
    expect(expected.results.find(({ outcome }) => outcome === 'fail')?.expected).toEqual({
      reason: known.reason,
    });
  });

  it('do not cover another failure', async () => {
    const other = { requirement: 'offer.payTo', reason: 'none' } as const;
    const report = applyPolicy(await offersJudged('amount-as-number'), { expectedFailures: [other] });
    expect(report.exitCode).toBe(1);
  });

  it('are stale when they pass', async () => {
    const report = applyPolicy(await offersJudged(), { expectedFailures: [known] });
    expect(report).toMatchObject({ exitCode: 1, verdict: 'conformant' });
    expect(report.expectedFailures).toMatchObject([{ state: 'stale' }]);
  });

  it.each([
    ['out of scope', 'receipt.payer', 'disabled'],
    ['open', 'offer.payTo', 'inconclusive'],
  ] as const)('are not stale when they are %s', async (_, requirement, outcome) => {
    const report = await offersJudged();
    const results = report.results.map((result) =>
      result.requirement === requirement ? { ...result, outcome } : result,
    );
    const entry = { requirement, reason: 'known' };
    expect(applyPolicy({ ...report, results }, { expectedFailures: [entry] }).expectedFailures).toEqual([
      { ...entry, state: 'open' },
    ]);
  });

  it('do not hide a fault of the suite', async () => {
    const report = await offersJudged();
    const results = report.results.map((result, index) =>
      index === 0 ? { ...result, outcome: 'error' as const } : result,
    );
    expect(applyPolicy({ ...report, results }, { expectedFailures: [known] }).exitCode).toBe(4);
  });
});

describe('the policy for a report', () => {
  it('fails with --strict for a warning, unless the warning is expected', async () => {
    const report = warned(await offersJudged());
    expect(applyPolicy(report, {}).exitCode).toBe(0);
    expect(applyPolicy(report, { strict: true }).exitCode).toBe(1);
    const expectedFailures = [{ requirement: 'offer.payTo', reason: 'known' }] as const;
    expect(applyPolicy(report, { strict: true, expectedFailures }).exitCode).toBe(0);
  });

  it('tolerates inconclusive checks with --allow-incomplete, but no failure', async () => {
    const report = await offersJudged();
    const [first, ...others] = report.results.filter(({ outcome }) => outcome === 'pass');
    if (!first) throw new Error('nothing passed');
    const open: Report = { ...report, results: [{ ...first, outcome: 'inconclusive' }, ...others] };
    expect(applyPolicy(open, {}).exitCode).toBe(3);
    expect(applyPolicy(open, { allowIncomplete: true }).exitCode).toBe(0);
    const failed = { ...open, results: [...open.results, { ...first, outcome: 'fail' as const }] };
    expect(applyPolicy(failed, { allowIncomplete: true }).exitCode).toBe(1);
  });
});
