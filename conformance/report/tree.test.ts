import { describe, expect, it } from 'vitest';
import { mutants } from '../testing/broken.ts';
import { judged } from '../testing/judged.ts';
import { startStandIn } from '../testing/stand-in.ts';
import { type Colours, renderTree } from './tree.ts';

const plain = (text: string) => text;
const noColours: Colours = { green: plain, red: plain, yellow: plain, cyan: plain, dim: plain, bold: plain };

describe('the report for people', () => {
  it('always says out of how many, and what it cost', async () => {
    await using target = await startStandIn();
    const text = renderTree(await judged(target), noColours);
    expect(text).toContain(
      'Conformant in scope: v1 · profiles free+signed+paid · 116 of 116 MUST verified · 13 observed',
    );
    expect(text).toContain(
      "signed 13000 of the token's smallest unit in 13 payments, 7000 of them settled (answered with 200)",
    );
    expect(text.indexOf('2.9  Payment authorization')).toBeLessThan(text.indexOf('2.11  Payment receipt'));
  });

  it('shows under a failure what was sent, what came back and what the contract says', async () => {
    const mutant = mutants.find(({ id }) => id === 'receipt-names-recipient');
    await using target = await startStandIn(mutant?.change);
    const lines = renderTree(await judged(target), noColours).split('\n');
    const start = lines.findIndex((line) => line.includes('✗ receipt.payer'));
    const evidence = lines.slice(start, start + 7).join('\n');
    expect(evidence).toContain('expected the address that paid');
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
    const warned = (warn: number) =>
      renderTree({ ...report, counts: { ...report.counts, warn, error: warn } }, noColours);
    expect(warned(1)).toMatch(/ · 1 warning · .*1 suite error$/m);
    expect(warned(2)).toMatch(/ · 2 warnings · .*2 suite errors$/m);
  });

  it('names the filter', async () => {
    await using target = await startStandIn();
    const report = await judged(target, { profiles: ['free'], filter: 'offer.' });
    expect(renderTree(report, noColours)).toContain('profiles free · only offer.… · 12 of 12 MUST verified');
  });
});
