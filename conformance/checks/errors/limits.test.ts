import { describe, expect, it } from 'vitest';
import { runLines } from '../../report/summary.ts';
import type { SuiteOptions } from '../../suite/judge.ts';
import { limitsMutants } from '../../testing/chain/network-mutants.ts';
import { mustIn } from '../../testing/expected.ts';
import { startFakeTarget } from '../../testing/fake-target.ts';
import { judged, listIds } from '../../testing/judged.ts';
import { json, type ProxyResponse, startProxy } from '../../testing/proxy.ts';
import { burstBounds } from './limits.ts';

const retryAfter = { 'Retry-After': '1', 'X-RateLimit-Limit': '20' };
const sound = json(
  429,
  { error: { message: 'No.', type: 'rate_limit_error', code: 'rate_limited' } },
  retryAfter,
);

/** A gateway with a rate limit, which refuses all requests after the twentieth. */
async function judgedAgainst(refusal: ProxyResponse, allowance = 20, options: Partial<SuiteOptions> = {}) {
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
  it('is provoked once, up to the first 429', async () => {
    const { report, requests } = await judgedAgainst(sound);
    expect(listIds(report, 'pass')).toEqual(all);
    expect(report).toMatchObject({
      verdict: 'conformant',
      must: { verified: mustIn({ profiles: ['limits'] }) },
    });
    expect(requests).toBe(21);
    // The report contains only the last exchange of the burst.
    expect(report.exchanges.filter(({ response }) => response?.status === 429)).toHaveLength(1);
    expect(report.exchanges.length).toBeLessThan(6);
    expect(report.requests).toBe(requests);
    expect(runLines(report).join('\n')).toContain(`${requests} requests in `);
    expect(report.spent.payments).toBe(0);
  });

  it('is observed with its headers', async () => {
    const { report } = await judgedAgainst(sound);
    const reported = report.results.find(({ requirement }) => requirement === 'rate-limit.headers');
    expect(reported).toMatchObject({
      outcome: 'observed',
      detail: expect.stringMatching(/^retry-after, x-ratelimit-limit; request \d+ of the burst got the 429$/),
    });
  });

  it.each(limitsMutants)('fails for the mutant $id', async ({ refusal, kills }) => {
    const { report } = await judgedAgainst(refusal);
    expect(listIds(report, 'fail')).toEqual([...kills].sort());
  });

  it('above the bounds is inconclusive', async () => {
    // Each reading of the clock advances it by a second, so the burst ends after a minute.
    let now = 1_700_000_000_000;
    const clock = () => {
      now += 1_000;
      return new Date(now);
    };
    const { report, requests } = await judgedAgainst(sound, Number.POSITIVE_INFINITY, { clock });
    expect(listIds(report, 'fail', 'warn', 'pass', 'error')).toEqual([]);
    expect(listIds(report, 'inconclusive')).toEqual([...all, 'rate-limit.headers']);
    expect(report.exitCode).toBe(3);
    expect(requests).toBeGreaterThan(20);
    expect(requests).toBeLessThan(burstBounds.secondsMax + 6);
  });

  it('is inconclusive if the target fails, which ends the burst', async () => {
    const { report, requests } = await judgedAgainst(json(500, {}));
    expect(listIds(report, 'inconclusive')).toEqual([...all, 'rate-limit.headers']);
    expect(requests).toBe(21);
  });
});

describe('a body that is too large', () => {
  it('is only observed', async () => {
    const { report } = await judgedAgainst(sound);
    const found = report.results.find(({ requirement }) => requirement === 'error.oversized');
    expect(found).toMatchObject({ outcome: 'observed', detail: '402' });
  });
});

/** A gateway that returns 429 for some requests and serves the rest. */
async function judgedWhileBusy(refusal: ProxyResponse, isRefused: (request: number) => boolean) {
  await using gateway = await startFakeTarget();
  let requests = 0;
  await using busy = await startProxy(gateway.url, async ({ method }, forward) => {
    requests += method === 'POST' ? 1 : 0;
    return method === 'POST' && isRefused(requests) ? refusal : forward();
  });
  const target = { ...gateway, url: busy.url };
  return await judged(target, { profiles: ['free'], filter: 'error.', sleep: async () => {} });
}

describe('an unprovoked 429', () => {
  const bare = json(429, { message: 'No.' }, retryAfter);
  const row = ({ results }: Awaited<ReturnType<typeof judgedWhileBusy>>) =>
    results.find(({ requirement }) => requirement === 'error.429.row');

  it('must have the body of its row, even if the retry is served', async () => {
    const third = (request: number) => request === 3;
    expect(row(await judgedWhileBusy(bare, third))).toMatchObject({ outcome: 'fail' });
    expect(row(await judgedWhileBusy(sound, third))).toMatchObject({ outcome: 'pass' });
    expect(row(await judgedWhileBusy(bare, () => false))).toMatchObject({ outcome: 'not-applicable' });
  });

  it('is inconclusive if every request gets 429', async () => {
    expect(row(await judgedWhileBusy(bare, () => true))).toMatchObject({ outcome: 'inconclusive' });
  });
});
