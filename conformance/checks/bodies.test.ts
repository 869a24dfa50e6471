import { describe, expect, it } from 'vitest';
import { idsOf, judged } from '../testing/judged.ts';
import { startStandIn } from '../testing/stand-in.ts';

describe('a refused body', () => {
  it('shows nothing where its valid twin is refused too', async () => {
    // Refuses temperature altogether, so that every temperature is answered 400.
    await using target = await startStandIn(({ bodyFault }) => ({
      bodyFault: (endpoint, body) =>
        JSON.stringify(body ?? null).includes('temperature') ? 'no' : bodyFault(endpoint, body),
    }));
    const report = await judged(target, { profiles: ['free'], filter: 'body.chat.temperature' });
    expect(report.results.filter(({ outcome }) => outcome !== 'disabled')).toMatchObject(
      Array.from({ length: 3 }, () => ({
        outcome: 'inconclusive',
        detail: expect.stringContaining('the valid twin was not answered 402 either'),
      })),
    );
    expect(report.verdict).toBe('incomplete');
  });

  it('shows nothing where payment comes before the body', async () => {
    await using target = await startStandIn(() => ({ readsBodyFirst: false }));
    const report = await judged(target, { profiles: ['free'], filter: 'body.' });
    expect(idsOf(report, 'pass', 'fail', 'warn', 'error')).toEqual([]);
    expect(report.verdict).toBe('incomplete');
  });
});

describe('a model that is not in the catalog', () => {
  it('is a warning where it is accepted: the contract contradicts itself', async () => {
    await using target = await startStandIn(({ bodyFault }) => ({
      bodyFault: (endpoint, body) => {
        const fault = bodyFault(endpoint, body);
        return fault === 'model is not in the catalog' ? undefined : fault;
      },
    }));
    const report = await judged(target, { profiles: ['free'] });
    expect(idsOf(report, 'warn')).toEqual([
      'body.chat.model.in-catalog',
      'body.completions.model.in-catalog',
    ]);
    expect(report).toMatchObject({ verdict: 'conformant-with-warnings', exitCode: 0 });
  });
});
