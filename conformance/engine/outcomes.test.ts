import { describe, expect, it } from 'vitest';
import { checks } from '../checks/all.ts';
import { check } from '../context/check.ts';
import { caveats } from '../report/summary.ts';
import { judge, type SuiteOptions } from '../suite/judge.ts';
import { type Change, listenOnLoopback, startFakeTarget } from '../testing/fake-target.ts';
import { judged, listIds } from '../testing/judged.ts';
import { memoryJournal } from '../testing/memory-journal.ts';
import { startProxy } from '../testing/proxy.ts';
import { type Outcome, outcomes } from '../types/verdict.ts';
import { chooseRate, deadlineSecondsDefault, rateDefault } from './judge.ts';
import type { Report } from './report.ts';

type Arising = {
  readonly id: string;
  readonly change?: Change;
  readonly options?: Partial<SuiteOptions>;
};

/** How each outcome comes about with a real target, and for which requirement. */
const arising: Readonly<Record<Outcome, Arising>> = {
  pass: { id: 'unpaid.chat.402' },
  fail: {
    id: 'offer.scheme',
    change: ({ offer }) => ({ offer: (...of) => ({ ...offer(...of), scheme: 'upto' }) }),
  },
  warn: {
    id: 'offer.same-token',
    change: ({ offer }) => ({
      offer: (endpoint, url) => ({
        ...offer(endpoint, url),
        ...(endpoint === 'chat' && { asset: `0x${'07'.repeat(20)}` }),
      }),
    }),
  },
  observed: { id: 'offer.price' },
  inconclusive: { id: 'body.chat.model.required', change: () => ({ readsBodyFirst: false }) },
  'not-applicable': {
    id: 'funds.insufficient.402',
    change: ({ offer }) => ({ offer: (...of) => ({ ...offer(...of), maxAmountRequired: '0' }) }),
  },
  disabled: { id: 'chat.200.status' },
  error: {
    id: 'unpaid.chat.402',
    options: {
      checks: [
        check('unpaid.chat.402', 'throws', async () => {
          throw new Error('a fault of the suite');
        }),
      ],
    },
  },
};

describe('an outcome', () => {
  const reports = new Map<Change | undefined, Promise<Report>>();

  async function reportOn(change?: Change, options: Partial<SuiteOptions> = {}): Promise<Report> {
    await using target = await startFakeTarget(change);
    return await judged(target, { profiles: ['free', 'signed'], ...options });
  }

  /** The outcomes of the unchanged target come from one report. */
  function reportWith({ change, options }: Arising): Promise<Report> {
    if (options) return reportOn(change, options);
    const report = reports.get(change) ?? reportOn(change);
    reports.set(change, report);
    return report;
  }

  it.each(outcomes)('%s is produced', async (outcome) => {
    const { id } = arising[outcome];
    const report = await reportWith(arising[outcome]);
    expect(listIds(report, outcome)).toContain(id);
    expect(report.counts[outcome]).toBeGreaterThan(0);
  });
});

describe('a requirement that could not be exercised', () => {
  it('never passes: a target without the contract passes no MUST', async () => {
    await using target = await startFakeTarget(() => ({
      finish: () => ({ status: 404, headers: {}, body: {} }),
    }));
    const report = await judged(target, { model: 'any/any' });
    const passed = report.results.filter(({ level, outcome }) => level === 'MUST' && outcome === 'pass');
    expect(passed.map(({ requirement, title }) => `${requirement}: ${title}`)).toEqual([]);
    expect(report.must.verified).toBe(0);
    expect(report.exitCode).toBe(1);
  });

  it('is inconclusive after the target stopped in the middle of the run', async () => {
    let answered = 0;
    await using target = await startFakeTarget(({ finish }) => ({
      finish: (reply, endpoint) => {
        answered += 1;
        return answered > 30 ? { status: 503, headers: {}, body: {} } : finish(reply, endpoint);
      },
    }));
    const report = await judged(target);
    expect(listIds(report, 'fail')).toEqual([]);
    expect(report).toMatchObject({ verdict: 'incomplete', exitCode: 3 });
    // Three consecutive faults, also of a plain request, end all requests.
    expect(report.exchanges.slice(30).map(({ response }) => response?.status)).toEqual([503, 503, 503, 503]);
  });

  it.each([
    ['no fault with Retry-After', { 'Retry-After': '0' }, []],
    ['a warning without Retry-After', {}, ['error.none-5xx']],
  ])('may come from a target that is sometimes busy: %s', async (_, headers, warnings) => {
    let answered = 0;
    await using target = await startFakeTarget(({ finish }) => ({
      finish: (reply, endpoint) => {
        answered += 1;
        // Every fifth response, so that no three are consecutive.
        return answered % 5 === 0 ? { status: 503, headers, body: {} } : finish(reply, endpoint);
      },
    }));
    const report = await judged(target, { profiles: ['free'], sleep: async () => undefined });
    expect(listIds(report, 'fail')).toEqual([]);
    expect(listIds(report, 'warn')).toEqual(warnings);
  });

  it('is inconclusive after an interruption', async () => {
    await using target = await startFakeTarget();
    const interruption = new AbortController();
    const report = await judged(target, {
      signal: interruption.signal,
      checks: [
        check('unpaid.chat.402', 'is interrupted', async () => {
          interruption.abort();
          return { kind: 'holds' };
        }),
        ...checks,
      ],
    });
    expect(report.counts.fail + report.counts.error).toBe(0);
    expect(report).toMatchObject({ isInterrupted: true, verdict: 'incomplete', exitCode: 3 });
    expect(report.spent.payments).toBe(0);
    // The list of models, and a request of each endpoint for the first one.
    expect(report.exchanges.length).toBeLessThanOrEqual(3);
  });
});

// These tests wait for deadlines.
describe.concurrent('the deadline of a run', () => {
  it('leaves unfinished checks inconclusive, and the report says why', async () => {
    await using gateway = await startFakeTarget();
    let asked = 0;
    await using target = await startProxy(gateway.url, async (_, forward) => {
      asked += 1;
      // Requests from the fifth on get no response.
      return asked < 5 ? await forward() : await new Promise(() => undefined);
    });
    const report = await judged({ ...gateway, url: target.url }, { profiles: ['free'], deadlineSeconds: 3 });
    expect(listIds(report, 'fail')).toEqual([]);
    expect(report).toMatchObject({
      isOverdue: true,
      isInterrupted: false,
      deadlineSeconds: 3,
      verdict: 'incomplete',
      exitCode: 3,
    });
    const open = report.results.filter(({ detail }) => detail.includes("the run's deadline was reached"));
    expect(open.length).toBeGreaterThan(0);
    expect(caveats(report)[0]).toContain('The run reached its deadline of 3 s');
  });

  it('also applies to the discovery of a model', async () => {
    await using silent = await listenOnLoopback(() => undefined);
    const report = await judged({ ...silent, payerKey: '' }, { profiles: ['free'], deadlineSeconds: 1 });
    expect(report).toMatchObject({ isOverdue: true, verdict: 'incomplete', exitCode: 3 });
    expect(report.requests).toBe(1);
  });

  it('ends a run whose target always sends Retry-After', async () => {
    await using busy = await listenOnLoopback((_, response) => {
      response.writeHead(429, { 'Retry-After': '30' }).end();
    });
    const report = await judged({ ...busy, payerKey: '' }, { profiles: ['free'], deadlineSeconds: 1 });
    expect(report).toMatchObject({ isOverdue: true, verdict: 'incomplete', exitCode: 3 });
  });

  it('does not affect a finished run', async () => {
    await using target = await startFakeTarget();
    const report = await judged(target, { profiles: ['free'], filter: 'offer.' });
    expect(report).toMatchObject({ isOverdue: false, deadlineSeconds: deadlineSecondsDefault, exitCode: 0 });
    expect(report.requests).toBe(report.exchanges.length);
  });
});

describe('the request rate', () => {
  it('is low for other machines, unlimited for this machine, and can be set', () => {
    expect(chooseRate({ targetUrl: 'https://gateway.example' })).toBe(rateDefault);
    expect(chooseRate({ targetUrl: 'http://127.0.0.1:8402' })).toBeUndefined();
    expect(chooseRate({ targetUrl: 'http://localhost:8402', requestsPerSecondMax: 2 })).toBe(2);
    expect(chooseRate({ targetUrl: 'https://gateway.example', requestsPerSecondMax: 50 })).toBe(50);
  });

  it('is kept throughout a run', async () => {
    await using target = await startFakeTarget();
    let [atMs, sleptSeconds] = [1_700_000_000_000, 0];
    const judgedSlowly = await judge({
      targetUrl: target.url,
      profiles: ['free'],
      filter: 'offer.',
      requestsPerSecondMax: 4,
      clock: () => new Date(atMs),
      sleep: async (seconds) => {
        atMs += seconds * 1000;
        sleptSeconds += seconds;
      },
      funded: {
        privateKey: target.payerKey,
        caps: { perRequestUnits: 1n, totalUnits: 1n },
        journal: memoryJournal(),
      },
    });
    if (!judgedSlowly.ok) throw new Error(judgedSlowly.usage);
    const { exchanges, spent } = judgedSlowly.report;
    expect(sleptSeconds).toBeCloseTo((exchanges.length - 1) / 4);
    // The profile free does not use the key.
    expect(spent).toMatchObject({ signedUnits: '0', payments: 0, journal: null });
  });
});
