import { describe, expect, it } from 'vitest';
import { runLines } from '../../report/summary.ts';
import type { SuiteOptions } from '../../suite/judge.ts';
import { mustIn } from '../../testing/expected.ts';
import { startFakeTarget } from '../../testing/fake-target.ts';
import { idsOf, judged } from '../../testing/judged.ts';
import { limitsMutants } from '../../testing/network-mutants.ts';
import { json, type ProxyAnswer, startProxy } from '../../testing/proxy.ts';
import { burstBounds } from './limits.ts';

const retryAfter = { 'Retry-After': '1', 'X-RateLimit-Limit': '20' };
const sound = json(
  429,
  { error: { message: 'No.', type: 'rate_limit_error', code: 'rate_limited' } },
  retryAfter,
);

/** A gateway with a rate limit: after twenty requests everything is answered so. */
async function judgedAgainst(refusal: ProxyAnswer, allowance = 20, options: Partial<SuiteOptions> = {}) {
  await using gateway = await startFakeTarget();
  let requests = 0;
  await using limited = await startProxy(gateway.url, async (_, forward) => {
    requests += 1;
    return requests > allowance ? refusal : forward();
  });
  const target = { ...gateway, url: limited.url };
  const report = await judged(target, {
    profiles: ['limits'],
    isOwnTarget: true,
    sleep: async () => {},
    ...options,
  });
  return { report, requests };
}

const all = ['error.429.code', 'error.429.envelope', 'error.429.type'];

describe('a rate limit', () => {
  it('is provoked once, and not beyond the first 429', async () => {
    const { report, requests } = await judgedAgainst(sound);
    expect(idsOf(report, 'pass')).toEqual(all);
    expect(report).toMatchObject({
      verdict: 'conformant',
      must: { verified: mustIn({ profiles: ['limits'] }) },
    });
    expect(requests).toBe(21);
    // Of the burst, the last exchange alone is written down.
    expect(report.exchanges.filter(({ answer }) => answer?.status === 429)).toHaveLength(1);
    expect(report.exchanges.length).toBeLessThan(6);
    expect(report.requests).toBe(requests);
    expect(runLines(report).join('\n')).toContain(`${requests} requests in `);
    expect(report.spent.payments).toBe(0);
  });

  it('is told of by whatever headers there are', async () => {
    const { report } = await judgedAgainst(sound);
    const reported = report.results.find(({ requirement }) => requirement === 'rate-limit.headers');
    expect(reported).toMatchObject({
      outcome: 'observed',
      detail: expect.stringMatching(/^retry-after, x-ratelimit-limit; it came to request \d+ of the burst$/),
    });
  });

  it.each(limitsMutants)('is found out: $id', async ({ refusal, kills }) => {
    const { report } = await judgedAgainst(refusal);
    expect(idsOf(report, 'fail')).toEqual([...kills].sort());
  });

  it('that is above the bounds says nothing', async () => {
    // A second goes by with every look at the clock, so that the burst ends after a minute.
    let now = 1_700_000_000_000;
    const clock = () => {
      now += 1_000;
      return new Date(now);
    };
    const { report, requests } = await judgedAgainst(sound, Number.POSITIVE_INFINITY, { clock });
    expect(idsOf(report, 'fail', 'warn', 'pass', 'error')).toEqual([]);
    expect(idsOf(report, 'inconclusive')).toEqual([...all, 'rate-limit.headers']);
    expect(report.exitCode).toBe(3);
    expect(requests).toBeGreaterThan(20);
    expect(requests).toBeLessThan(burstBounds.secondsMax + 6);
  });

  it('is nothing where the target is in trouble: it is left alone', async () => {
    const { report, requests } = await judgedAgainst(json(500, {}));
    expect(idsOf(report, 'inconclusive')).toEqual([...all, 'rate-limit.headers']);
    expect(requests).toBe(21);
  });
});

describe('a body that is too large', () => {
  it('is looked at, and decides nothing', async () => {
    const { report } = await judgedAgainst(sound);
    const found = report.results.find(({ requirement }) => requirement === 'error.oversized');
    expect(found).toMatchObject({ outcome: 'observed', detail: '402' });
  });
});

/** A gateway that answers 429 to some of what it is asked, and serves the rest. */
async function judgedWhileBusy(refusal: ProxyAnswer, isRefused: (request: number) => boolean) {
  await using gateway = await startFakeTarget();
  let requests = 0;
  await using busy = await startProxy(gateway.url, async ({ method }, forward) => {
    requests += method === 'POST' ? 1 : 0;
    return method === 'POST' && isRefused(requests) ? refusal : forward();
  });
  const target = { ...gateway, url: busy.url };
  return await judged(target, { profiles: ['free'], filter: 'error.', sleep: async () => {} });
}

describe('a 429 that nobody provoked', () => {
  const bare = json(429, { message: 'No.' }, retryAfter);
  const row = ({ results }: Awaited<ReturnType<typeof judgedWhileBusy>>) =>
    results.find(({ requirement }) => requirement === 'error.429.row');

  it('must have the body of its row, though the request is served when it is sent again', async () => {
    const third = (request: number) => request === 3;
    expect(row(await judgedWhileBusy(bare, third))).toMatchObject({ outcome: 'fail' });
    expect(row(await judgedWhileBusy(sound, third))).toMatchObject({ outcome: 'pass' });
    expect(row(await judgedWhileBusy(bare, () => false))).toMatchObject({ outcome: 'not-applicable' });
  });

  it('says nothing where everything is answered so', async () => {
    expect(row(await judgedWhileBusy(bare, () => true))).toMatchObject({ outcome: 'inconclusive' });
  });
});
