import { describe, expect, it } from 'vitest';
import { soundBehaviour } from '../../independent/steps.ts';
import type { Edge } from '../../mutants/edge.ts';
import { malformedMutants } from '../../mutants/families/malformed.ts';
import { judgeThrough } from '../../mutants/run.ts';
import { independentTarget } from '../../mutants/target.ts';
import { legalVariants } from '../../mutants/variants/all.ts';
import { idsOf } from '../../testing/judged.ts';

async function reportOn(edge: Edge, target = independentTarget()) {
  const run = await judgeThrough(edge, target, { profiles: ['signed'], filter: 'payment.' });
  if (run.kind === 'broken') throw new Error(run.why);
  return run.report;
}

describe('contract 2.9, 2.10, 7: what is no payment', () => {
  it.each(malformedMutants)('$id: $does, and is found', async ({ edge }) => {
    expect(idsOf(await reportOn(edge()), 'fail')).toEqual(['payment.malformed']);
  });

  it('is refused by a sound gateway, on both endpoints and in ten ways each', async () => {
    const report = await reportOn({});
    const passed = report.results.filter(({ outcome }) => outcome === 'pass');
    expect(idsOf(report, 'pass', 'fail', 'inconclusive')).toEqual(['payment.malformed']);
    expect(passed).toHaveLength(20);
  });

  it('may be read without base64 where nothing is asked for, and is served then', async () => {
    const readsJson = legalVariants.find(({ id }) => id === 'raw-json-payments-read');
    if (!readsJson) throw new Error('there is no such variant');
    const { offer } = soundBehaviour;
    const free = independentTarget({ offer: (...of) => ({ ...offer(...of), maxAmountRequired: '0' }) });
    const report = await reportOn(readsJson.edge(), free);
    expect(idsOf(report, 'fail', 'warn')).toEqual([]);
    const open = report.results.filter(({ outcome }) => outcome === 'not-applicable');
    expect(open.map(({ title }) => title)).toEqual(
      expect.arrayContaining(['A payment in JSON without base64 is refused (completions)']),
    );
  });

  it('may be refused with any status of a client, where it is a nonce that is too short', async () => {
    const refusing = (status: number): Edge => ({
      answer: (reply, asked) => {
        const payment = Buffer.from(asked.headers['x-payment'] ?? '', 'base64').toString('utf8');
        return /"nonce":"0x[0-9a-f]{62}"/.test(payment) ? { ...reply, status } : reply;
      },
    });
    expect(idsOf(await reportOn(refusing(422)), 'fail')).toEqual([]);
    expect(idsOf(await reportOn(refusing(200)), 'fail')).toEqual(['payment.malformed']);
    expect(idsOf(await reportOn(refusing(503)), 'inconclusive')).toEqual(['payment.malformed']);
  });
});
