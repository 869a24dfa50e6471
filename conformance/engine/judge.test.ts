import { describe, expect, it } from 'vitest';
import { unpaid } from '../checks/sources.ts';
import { catalogModel } from '../testing/behaviour.ts';
import { judged } from '../testing/judged.ts';
import { startStandIn } from '../testing/stand-in.ts';
import { check, closingCheck } from './check.ts';
import { given } from './found.ts';
import { judge } from './judge.ts';
import { holds } from './verdict.ts';

describe('a run', () => {
  it('takes an exception in a check for a fault of the suite, and goes on', async () => {
    await using target = await startStandIn();
    const report = await judged(target, {
      profiles: ['free'],
      checks: [
        check('unpaid.chat.402', 'throws', async () => {
          throw new TypeError('no such thing');
        }),
        check('unpaid.completions.402', 'holds', async () => holds()),
      ],
    });
    expect(report.results.slice(0, 2)).toMatchObject([
      { outcome: 'error', detail: 'TypeError: no such thing' },
      { outcome: 'pass' },
    ]);
    expect(report.exitCode).toBe(4);
  });

  it('sends what several checks need once, and gives it to each as evidence', async () => {
    await using target = await startStandIn();
    const report = await judged(target, {
      profiles: ['free'],
      model: catalogModel,
      checks: (['unpaid.chat.402', 'unpaid.no-api-key'] as const).map((id) =>
        check(id, 'asks', (context) => given(unpaid(context, 'chat'), () => holds())),
      ),
    });
    expect(report.exchanges).toHaveLength(1);
    expect(report.results.slice(0, 2).map(({ evidence }) => evidence)).toEqual([[1], [1]]);
  });

  it('looks back at the transcript last', async () => {
    await using target = await startStandIn();
    const order: string[] = [];
    await judged(target, {
      profiles: ['free'],
      checks: [
        closingCheck('unpaid.never-200', 'last', async () => {
          order.push('closing');
          return holds();
        }),
        check('unpaid.chat.402', 'first', async () => {
          order.push('other');
          return holds();
        }),
      ],
    });
    expect(order).toEqual(['other', 'closing']);
  });

  it('sends nothing for checks that the filter leaves out', async () => {
    await using target = await startStandIn();
    const all = await judged(target, { profiles: ['free'], model: catalogModel });
    const some = await judged(target, { profiles: ['free'], model: catalogModel, filter: 'offer.' });
    expect(some.exchanges).toHaveLength(2);
    expect(all.exchanges.length).toBeGreaterThan(40);
    const ran = some.results.filter(({ outcome }) => outcome !== 'disabled');
    expect(ran.every(({ requirement }) => requirement.startsWith('offer.'))).toBe(true);
    expect(some.must).toEqual({ verified: ran.length > 0 ? 12 : 0, total: 12 });
  });

  it('finds a model at the target, or asks for one', async () => {
    await using target = await startStandIn();
    expect((await judged(target, { profiles: ['free'], filter: 'offer.' })).model).toBe(catalogModel);

    await using without = await startStandIn(({ error }) => ({
      finish: (reply, endpoint) => (endpoint ? reply : error(404, 'invalid_request_error', 'not_found')),
    }));
    const options = { targetUrl: without.url, profiles: ['free'], filter: 'offer.' } as const;
    expect(await judge(options)).toEqual({ ok: false, usage: expect.stringContaining('pass --model') });
    expect(await judge({ ...options, model: catalogModel })).toMatchObject({
      report: { verdict: 'conformant' },
    });
  });

  it('is incomplete where the target cannot be reached', async () => {
    const options = { targetUrl: 'http://127.0.0.1:1', profiles: ['free'], filter: undefined } as const;
    for (const model of [undefined, catalogModel]) {
      const result = await judge(model === undefined ? options : { ...options, model });
      expect(result).toMatchObject({
        report: { verdict: 'incomplete', must: { verified: 0 }, counts: { pass: 0, fail: 0 } },
      });
    }
  });

  it('does not pay without a key and caps', async () => {
    const options = { targetUrl: 'http://127.0.0.1:1', profiles: ['paid'], filter: undefined } as const;
    expect(await judge(options)).toMatchObject({ ok: false, usage: expect.stringContaining('caps') });
  });

  it('is incomplete for requirements that are not covered yet', async () => {
    await using target = await startStandIn();
    const report = await judged(target, { profiles: ['limits'], model: catalogModel });
    expect(report).toMatchObject({ verdict: 'incomplete', must: { verified: 0, total: 1 } });
    expect(report.exchanges).toHaveLength(0);
  });
});
