import { computeAddress } from 'ethers';
import { describe, expect, it } from 'vitest';
import { profilesOfAll } from '../engine/scope.ts';
import { mutants } from '../testing/broken.ts';
import { mustIn } from '../testing/expected.ts';
import { startFakeTarget } from '../testing/fake-target.ts';
import { judged, listIds } from '../testing/judged.ts';
import { noColours } from '../testing/sample-reports.ts';
import { brokenReport, soundReport } from '../testing/shared-reports.ts';
import { renderTree } from './tree.ts';

describe('the text report', () => {
  it('has totals and costs', async () => {
    const report = await soundReport();
    const text = renderTree(report, noColours, { isWhole: true });
    const must = mustIn({ profiles: profilesOfAll });
    const observed = listIds(report, 'observed').length;
    expect(text).toContain(
      `Conformant in scope: v1 · profiles free+signed+paid · ${must} of ${must} MUST verified · ${observed} observed`,
    );
    const { payments, signedUnits, settledPayments, settledUnits } = report.spent;
    // Payments of 1000 units each, except for those that are one unit more or less.
    expect(Number(settledUnits)).toBe(settledPayments * 1_000);
    expect(text).toContain(
      `\nSigned ${payments} payments, ${signedUnits} units in all; served (200): ${settledPayments} payments, ${settledUnits} units. One unit is the token's smallest unit\n`,
    );
    expect(text).toMatch(/\nExit code 0: conformant in scope\.\n$/);
    expect(text.indexOf('2.9  Payment authorization')).toBeLessThan(text.indexOf('2.11  Payment receipt'));
  });

  it('shows request, response and quotation of the contract for a failure', async () => {
    const mutant = mutants.find(({ id }) => id === 'receipt-names-recipient');
    await using target = await startFakeTarget(mutant?.change);
    const lines = renderTree(await judged(target), noColours).split('\n');
    const start = lines.findIndex((line) => line.includes('✗ receipt.payer'));
    const evidence = lines.slice(start, start + 7).join('\n');
    expect(evidence).toContain(
      `expected the address of the payer, ${computeAddress(target.payerKey)}; got "0x`,
    );
    expect(evidence).toContain('contract 2.11: | `payer` | string | Payer address');
    expect(evidence).toContain(`curl -i -X POST '${target.url}/v1/chat/completions'`);
    expect(evidence).toContain("-H 'X-PAYMENT: <payment of 1000 from 0x");
    expect(evidence).toContain('← 200 x-payment-response: <base64 of> {"success":true');
  });

  it('warns first if hardly anything was tested', async () => {
    await using target = await startFakeTarget(() => ({
      finish: () => ({ status: 404, headers: {}, body: {} }),
    }));
    const text = renderTree(await judged(target, { model: 'any/any' }), noColours);
    expect(text).toContain('No unpaid request got 402');
    expect(text).toContain('No paid request got 200');
    expect(text).toContain('NOT conformant: v1');
  });

  it('counts one warning, and two', async () => {
    await using target = await startFakeTarget();
    const report = await judged(target, { profiles: ['free'], filter: 'offer.' });
    const rows = [...Map.groupBy(report.results, ({ requirement }) => requirement).values()];
    const ending = (count: number) => {
      const results = rows.flatMap((own, at) => {
        const outcome = at < count ? 'warn' : at < 2 * count ? 'error' : 'pass';
        return own.map((result) => ({ ...result, outcome }) as const);
      });
      return renderTree({ ...report, results }, noColours);
    };
    expect(ending(1)).toMatch(/ · 1 warning · 1 suite error$/m);
    expect(ending(2)).toMatch(/ · 2 warnings · 2 suite errors$/m);
  });

  it('counts a requirement once when its checks of both endpoints fail', async () => {
    const mutant = mutants.find(({ id }) => id === 'amount-as-number');
    await using target = await startFakeTarget(mutant?.change);
    const report = await judged(target, { profiles: ['free'], filter: 'offer.maxAmountRequired' });
    expect(report.counts.fail).toBeGreaterThan(1);
    expect(renderTree(report, noColours)).toMatch(/ · 0 of 1 MUST verified · 1 failed$/m);
  });

  it('names the filter', async () => {
    await using target = await startFakeTarget();
    const report = await judged(target, { profiles: ['free'], filter: 'offer.' });
    const must = mustIn({ profiles: ['free'], filter: 'offer.' });
    expect(renderTree(report, noColours)).toContain(
      `profiles free · only offer.… · ${must} of ${must} MUST verified`,
    );
  });
});

describe('the text report without --verbose', () => {
  it('has counts by section and the checks that did not pass; --verbose has every check', async () => {
    const report = await brokenReport('amount-as-number');
    const short = renderTree(report, noColours);
    const whole = renderTree(report, noColours, { isWhole: true });
    expect(short).not.toContain('✓');
    expect(short).toContain('✗ offer.maxAmountRequired');
    const passed = report.results.filter(({ outcome }) => outcome === 'pass');
    for (const { requirement } of passed) expect(whole).toContain(`✓ ${requirement}  `);
    expect(short.split('\n').length).toBeLessThan(whole.split('\n').length / 3);
  });

  it('counts the requirements of each section, with the correct sum', async () => {
    const report = await brokenReport('amount-as-number');
    const lines = renderTree(report, noColours).split('\n');
    const head = lines.findIndex((line) => /^ +Section +pass +fail/.test(line));
    const rows = lines.slice(head + 1, lines.indexOf('', head));
    // The first column is to the right of all titles.
    const numbers = rows
      .flatMap((line) => line.slice((lines[head] ?? '').indexOf('pass') - 2).match(/\d+/g) ?? [])
      .map(Number);
    const inScope = report.results.filter(({ outcome }) => outcome !== 'disabled');
    const ids = new Set(inScope.map(({ requirement }) => requirement));
    expect(numbers.reduce((sum, each) => sum + each, 0)).toBe(ids.size);
    const offers = rows.find((line) => line.startsWith('2.8 '));
    expect(offers).toMatch(/^2\.8 {3}Payment requirements +\d+ +1\b/);
  });

  it('has one line for each reason of inconclusive checks', async () => {
    const report = await brokenReport('amount-as-number');
    const lines = renderTree(report, noColours).split('\n');
    const groups = lines.filter((line) => line.startsWith('  ? '));
    const counts = groups.map((line) => Number(/\? (\d+) checks?: /.exec(line)?.[1]));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(report.counts.inconclusive);
    expect(counts).toEqual(counts.toSorted((a, b) => b - a));
    expect(groups.length).toBeLessThan(report.counts.inconclusive / 5);
  });

  it('cuts section titles for a narrow terminal', async () => {
    await using target = await startFakeTarget();
    const report = await judged(target, { profiles: ['free'], filter: 'offer.' });
    const widest = (columns: number | undefined) => {
      const lines = renderTree(report, noColours, { columns }).split('\n');
      return Math.max(...lines.filter((line) => /^2\.8 /.test(line)).map(({ length }) => length));
    };
    expect(widest(undefined)).toBeGreaterThan(30);
    expect(widest(30)).toBeLessThan(30);
    // Some terminals report a width of 0.
    expect(widest(0)).toBe(widest(undefined));
  });

  it('ends with the verdict, the totals and the exit code', async () => {
    const report = await brokenReport('amount-as-number');
    const text = renderTree(report, noColours, { hints: ['Try this.'] });
    const places = [
      'could not be exercised',
      '✗ offer.',
      'NOT conformant: ',
      'The contract has ',
      'Try this.',
    ];
    const found = [...places, 'Exit code 1: a MUST failed.\n'].map((words) =>
      text.toLowerCase().indexOf(words.toLowerCase()),
    );
    expect(found).toEqual(found.toSorted((a, b) => a - b));
    expect(found).not.toContain(-1);
    expect(text.endsWith('Exit code 1: a MUST failed.\n')).toBe(true);
  });
});
