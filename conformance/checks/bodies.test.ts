import { describe, expect, it } from 'vitest';
import { requestsMaxByProfile } from '../engine/scope.ts';
import { isObject } from '../independent/body-rules.ts';
import { startFakeTarget } from '../testing/fake-target.ts';
import { idsOf, judged } from '../testing/judged.ts';
import { json, startProxy } from '../testing/proxy.ts';

describe('a refused body', () => {
  it('shows nothing where its valid twin is refused too', async () => {
    // Refuses temperature altogether, so that every temperature is answered 400.
    await using target = await startFakeTarget(({ bodyFault }) => ({
      bodyFault: (endpoint, body) =>
        JSON.stringify(body ?? null).includes('temperature') ? 'no' : bodyFault(endpoint, body),
    }));
    const report = await judged(target, { profiles: ['free'], filter: 'body.chat.temperature' });
    expect(report.results.filter(({ outcome }) => outcome !== 'disabled')).toMatchObject(
      Array.from({ length: 4 }, () => ({
        outcome: 'inconclusive',
        detail: expect.stringContaining('the valid twin was not answered 402 either'),
      })),
    );
    expect(report.verdict).toBe('incomplete');
  });

  it('shows nothing where payment comes before the body', async () => {
    await using target = await startFakeTarget(() => ({ readsBodyFirst: false }));
    const report = await judged(target, { profiles: ['free'], filter: 'body.' });
    expect(idsOf(report, 'pass', 'fail', 'warn', 'error')).toEqual([]);
    expect(report.verdict).toBe('incomplete');
  });
});

describe('several wrong values of one field', () => {
  it('are each tried, and those that were taken are named', async () => {
    await using target = await startFakeTarget(({ bodyFault }) => ({
      // As a program does that makes a number of whatever it is given.
      bodyFault: (endpoint, body) =>
        bodyFault(
          endpoint,
          isObject(body) ? { ...body, temperature: Number(body['temperature'] ?? 1) } : body,
        ),
    }));
    const report = await judged(target, { profiles: ['free'], filter: 'body.chat.temperature.number' });
    expect(report.results.find(({ outcome }) => outcome === 'fail')).toMatchObject({
      detail:
        'expected status 400 for an invalid body; got 402 to `temperature` as a numeral in a string; 402 to `temperature` as true',
    });
  });

  it('are all tried before the first that was answered 429 leaves the rule open', async () => {
    await using gateway = await startFakeTarget();
    await using busy = await startProxy(gateway.url, async ({ body }, forward) => {
      if (body.includes('"temperature":"hot"')) return json(429, {});
      return body.includes('"temperature":true') ? json(402, {}) : forward();
    });
    const judgedAs = async (filter: string) =>
      (await judged({ ...gateway, url: busy.url }, { profiles: ['free'], filter })).results.find(
        ({ outcome }) => outcome !== 'disabled',
      );
    expect(await judgedAs('body.chat.temperature.number')).toMatchObject({
      outcome: 'fail',
      detail: expect.stringMatching(/got 402 to `temperature` as true$/),
    });
  });
});

describe('what the contract leaves open about a body', () => {
  it.each([
    ['null', 'body.chat.nulls', (body: object) => Object.values(body).includes(null)],
    [
      'an empty array',
      'body.chat.tools.empty',
      (body: object) => Object.values(body).some((value) => Array.isArray(value) && value.length === 0),
    ],
  ])('is observed alone: %s for an optional field', async (_, id, isOpen) => {
    for (const [fault, status] of [
      ['no', '400'],
      [undefined, '402'],
    ] as const) {
      await using target = await startFakeTarget(({ bodyFault }) => ({
        bodyFault: (endpoint, body) =>
          // What is required is neither null nor empty.
          isObject(body) && body['messages'] && body['model'] && isOpen({ ...body, messages: 1 })
            ? fault
            : bodyFault(endpoint, body),
      }));
      const report = await judged(target, { profiles: ['free'] });
      expect(idsOf(report, 'fail', 'warn', 'error')).toEqual([]);
      const observed = report.results.find(({ requirement }) => requirement === id);
      expect(observed).toMatchObject({ outcome: 'observed', detail: expect.stringContaining(`: ${status}`) });
    }
  });
});

it('all of free is at most 450 requests of a gateway with four models, and leaves room below the ceiling', async () => {
  await using target = await startFakeTarget();
  const { requests } = await judged(target, { profiles: ['free'] });
  expect(requests).toBeLessThanOrEqual(450);
  expect(requestsMaxByProfile.free).toBeGreaterThan(requests * 1.1);
});

describe('a model that is not in the catalog', () => {
  it('is a warning where it is accepted: the contract contradicts itself', async () => {
    await using target = await startFakeTarget(({ bodyFault }) => ({
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
