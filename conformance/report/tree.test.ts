import { computeAddress } from 'ethers';
import { describe, expect, it } from 'vitest';
import { profilesOfAll } from '../engine/scope.ts';
import { mutants } from '../testing/broken.ts';
import { mustIn } from '../testing/expected.ts';
import { idsOf, judged } from '../testing/judged.ts';
import { noColours } from '../testing/sample-reports.ts';
import { startStandIn } from '../testing/stand-in.ts';
import { renderTree } from './tree.ts';

describe('the report for people', () => {
  it('always says out of how many, and what it cost', async () => {
    await using target = await startStandIn();
    const report = await judged(target);
    const text = renderTree(report, noColours);
    const must = mustIn({ profiles: profilesOfAll });
    const observed = idsOf(report, 'observed').length;
    expect(text).toContain(
      `Conformant in scope: v1 · profiles free+signed+paid · ${must} of ${must} MUST verified · ${observed} observed`,
    );
    const { payments, signedUnits, settledUnits } = report.spent;
    expect(text).toContain(
      `signed ${signedUnits} of the token's smallest unit in ${payments} payments, ${settledUnits} of them settled (answered with 200)`,
    );
    expect(text.indexOf('2.9  Payment authorization')).toBeLessThan(text.indexOf('2.11  Payment receipt'));
  });

  it('shows under a failure what was sent, what came back and what the contract says', async () => {
    const mutant = mutants.find(({ id }) => id === 'receipt-names-recipient');
    await using target = await startStandIn(mutant?.change);
    const lines = renderTree(await judged(target), noColours).split('\n');
    const start = lines.findIndex((line) => line.includes('✗ receipt.payer'));
    const evidence = lines.slice(start, start + 7).join('\n');
    expect(evidence).toContain(`expected the address that paid, ${computeAddress(target.payerKey)}; got "0x`);
    expect(evidence).toContain('contract 2.11: | `payer` | string | Payer address');
    expect(evidence).toContain(`curl -i -X POST '${target.url}/v1/chat/completions'`);
    expect(evidence).toContain("-H 'X-PAYMENT: <payment of 1000 from 0x");
    expect(evidence).toContain('← 200 x-payment-response: <base64 of> {"success":true');
  });

  it('says first that hardly anything was seen', async () => {
    await using target = await startStandIn(() => ({
      finish: () => ({ status: 404, headers: {}, body: {} }),
    }));
    const text = renderTree(await judged(target, { model: 'any/any' }), noColours);
    expect(text).toContain('No unpaid request was answered 402');
    expect(text).toContain('No paid request was answered 200');
    expect(text).toContain('NOT conformant: v1');
  });

  it('counts one warning, and two', async () => {
    await using target = await startStandIn();
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

  it('counts requirements in all of one line, though checks of both endpoints have failed', async () => {
    const mutant = mutants.find(({ id }) => id === 'amount-as-number');
    await using target = await startStandIn(mutant?.change);
    const report = await judged(target, { profiles: ['free'], filter: 'offer.maxAmountRequired' });
    expect(report.counts.fail).toBeGreaterThan(1);
    expect(renderTree(report, noColours)).toMatch(/ · 0 of 1 MUST verified · 1 failed$/m);
  });

  it('names the filter', async () => {
    await using target = await startStandIn();
    const report = await judged(target, { profiles: ['free'], filter: 'offer.' });
    const must = mustIn({ profiles: ['free'], filter: 'offer.' });
    expect(renderTree(report, noColours)).toContain(
      `profiles free · only offer.… · ${must} of ${must} MUST verified`,
    );
  });
});
