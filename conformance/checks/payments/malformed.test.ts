import { describe, expect, it } from 'vitest';
import { soundBehaviour } from '../../independent/steps.ts';
import type { Edge } from '../../mutants/edge.ts';
import { malformedMutants } from '../../mutants/families/malformed.ts';
import { judgeThrough } from '../../mutants/run.ts';
import { independentTarget } from '../../mutants/target.ts';
import { legalVariants } from '../../mutants/variants/all.ts';
import { listIds } from '../../testing/judged.ts';

async function reportOn(edge: Edge, target = independentTarget()) {
  const run = await judgeThrough(edge, target, { profiles: ['signed'], filter: 'payment.' });
  if (run.kind === 'broken') throw new Error(run.why);
  return run.report;
}

describe('a malformed payment (§2.9, §2.10, §7)', () => {
  it.each(malformedMutants)('fails for the mutant $id: $does', async ({ edge }) => {
    expect(listIds(await reportOn(edge()), 'fail')).toEqual(['payment.malformed']);
  });

  it('is refused by a correct gateway in eleven forms on both endpoints, in 47 more as a chat, and in PAYMENT-SIGNATURE', async () => {
    const report = await reportOn({});
    const passed = report.results.filter(({ outcome }) => outcome === 'pass');
    expect(listIds(report, 'pass', 'fail', 'inconclusive')).toEqual(['payment.malformed']);
    expect(passed).toHaveLength(71);
  });

  it('in bare JSON may be served at a price of zero', async () => {
    const readsJson = legalVariants.find(({ id }) => id === 'raw-json-payments-read');
    if (!readsJson) throw new Error('the variant is missing');
    const { offer } = soundBehaviour;
    const free = independentTarget({ offer: (...of) => ({ ...offer(...of), maxAmountRequired: '0' }) });
    const report = await reportOn(readsJson.edge(), free);
    expect(listIds(report, 'fail', 'warn')).toEqual([]);
    const open = report.results.filter(({ outcome }) => outcome === 'not-applicable');
    expect(open.map(({ title }) => title)).toEqual(
      expect.arrayContaining(['A payment in JSON without base64 is refused (completions)']),
    );
  });

  it('with a short nonce may be refused with any 4xx', async () => {
    const refusing = (status: number): Edge => ({
      respond: (reply, asked) => {
        const payment = Buffer.from(asked.headers['x-payment'] ?? '', 'base64').toString('utf8');
        return /"nonce":"0x[0-9a-f]{62}"/.test(payment) ? { ...reply, status } : reply;
      },
    });
    expect(listIds(await reportOn(refusing(422)), 'fail')).toEqual([]);
    expect(listIds(await reportOn(refusing(200)), 'fail')).toEqual(['payment.malformed']);
    expect(listIds(await reportOn(refusing(503)), 'inconclusive')).toEqual(['payment.malformed']);
  });
});
