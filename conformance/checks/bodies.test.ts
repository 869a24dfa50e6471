import { describe, expect, it } from 'vitest';
import { requestsMaxByProfile } from '../engine/scope.ts';
import { isObject } from '../independent/body-rules.ts';
import { startFakeTarget } from '../testing/fake-target.ts';
import { judged, listIds } from '../testing/judged.ts';
import { json, startProxy } from '../testing/proxy.ts';

describe('a refused body', () => {
  it('is inconclusive if its valid twin is refused too', async () => {
    // The gateway refuses every temperature.
    await using target = await startFakeTarget(({ bodyFault }) => ({
      bodyFault: (endpoint, body) =>
        JSON.stringify(body ?? null).includes('temperature') ? 'no' : bodyFault(endpoint, body),
    }));
    const report = await judged(target, { profiles: ['free'], filter: 'body.chat.temperature' });
    expect(report.results.filter(({ outcome }) => outcome !== 'disabled')).toMatchObject(
      Array.from({ length: 4 }, () => ({
        outcome: 'inconclusive',
        detail: expect.stringContaining('sent a valid body for comparison, which got 400'),
      })),
    );
    expect(report.verdict).toBe('incomplete');
  });

  it('is inconclusive if the gateway returns 402 first', async () => {
    await using target = await startFakeTarget(() => ({ readsBodyFirst: false }));
    const report = await judged(target, { profiles: ['free'], filter: 'body.' });
    expect(listIds(report, 'pass', 'fail', 'warn', 'error')).toEqual([]);
    expect(report.verdict).toBe('incomplete');
  });
});

describe('several wrong values of one field', () => {
  it('are sent one by one, and accepted ones are named', async () => {
    await using target = await startFakeTarget(({ bodyFault }) => ({
      // The gateway converts every value to a number.
      bodyFault: (endpoint, body) =>
        bodyFault(
          endpoint,
          isObject(body) ? { ...body, temperature: Number(body['temperature'] ?? 1) } : body,
        ),
    }));
    const report = await judged(target, { profiles: ['free'], filter: 'body.chat.temperature.number' });
    expect(report.results.find(({ outcome }) => outcome === 'fail')).toMatchObject({
      detail:
        'expected status 400 for an invalid body; got 402 for `temperature` as a numeral in a string; 402 for `temperature` as true; 402 for `temperature` as an empty text',
    });
  });

  it('are all sent even if the first one got 429', async () => {
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
      detail: expect.stringMatching(/got 402 for `temperature` as true/),
    });
  });
});

describe('a body that the contract leaves open', () => {
  it.each([
    ['null', 'body.chat.nulls', (body: object) => Object.values(body).includes(null)],
    [
      'an empty array',
      'body.chat.tools.empty',
      (body: object) => Object.values(body).some((value) => Array.isArray(value) && value.length === 0),
    ],
  ])('is only observed: %s as an optional field', async (_, id, isOpen) => {
    for (const [fault, status] of [
      ['no', '400'],
      [undefined, '402'],
    ] as const) {
      await using target = await startFakeTarget(({ bodyFault }) => ({
        bodyFault: (endpoint, body) =>
          // Required fields are neither null nor empty.
          isObject(body) && body['messages'] && body['model'] && isOpen({ ...body, messages: 1 })
            ? fault
            : bodyFault(endpoint, body),
      }));
      const report = await judged(target, { profiles: ['free'] });
      expect(listIds(report, 'fail', 'warn', 'error')).toEqual([]);
      const observed = report.results.find(({ requirement }) => requirement === id);
      expect(observed).toMatchObject({ outcome: 'observed', detail: expect.stringContaining(`: ${status}`) });
    }
  });
});

it('sends at most 613 requests in free for a gateway with four models, below the limit', async () => {
  await using target = await startFakeTarget();
  const { requests } = await judged(target, { profiles: ['free'] });
  expect(requests).toBeLessThanOrEqual(613);
  expect(requestsMaxByProfile.free).toBeGreaterThan(requests * 1.1);
});

describe('a model that is not in the catalog', () => {
  it('leads to a warning if it is accepted, because the contract contradicts itself', async () => {
    await using target = await startFakeTarget(({ bodyFault }) => ({
      bodyFault: (endpoint, body) => {
        const fault = bodyFault(endpoint, body);
        return fault === 'model is not in the catalog' ? undefined : fault;
      },
    }));
    const report = await judged(target, { profiles: ['free'] });
    expect(listIds(report, 'warn')).toEqual([
      'body.chat.model.in-catalog',
      'body.completions.model.in-catalog',
    ]);
    expect(report).toMatchObject({ verdict: 'conformant-with-warnings', exitCode: 0 });
  });
});
