import { describe, expect, it } from 'vitest';
import { checks } from '../checks/all.ts';
import { check } from '../context/check.ts';
import { caveats } from '../report/summary.ts';
import { judge, type SuiteOptions } from '../suite/judge.ts';
import { type Change, listenOnLoopback, startFakeTarget } from '../testing/fake-target.ts';
import { idsOf, judged } from '../testing/judged.ts';
import { memoryJournal } from '../testing/memory-journal.ts';
import { startProxy } from '../testing/proxy.ts';
import { type Outcome, outcomes } from '../types/verdict.ts';
import { deadlineSecondsDefault, rateDefault, rateOf } from './judge.ts';

/** How each outcome comes about with a real target, and of which requirement. */
const arising: Readonly<Record<Outcome, { id: string; change?: Change; options?: Partial<SuiteOptions> }>> = {
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
  it.each(outcomes)('%s comes about', async (outcome) => {
    const { id, change, options } = arising[outcome];
    await using target = await startFakeTarget(change);
    const report = await judged(target, { profiles: ['free', 'signed'], ...options });
    expect(idsOf(report, outcome)).toContain(id);
    expect(report.counts[outcome]).toBeGreaterThan(0);
  });
});

describe('what could not be exercised', () => {
  it('is nowhere green: a target that has nothing of the contract passes no MUST', async () => {
    await using target = await startFakeTarget(() => ({
      finish: () => ({ status: 404, headers: {}, body: {} }),
    }));
    const report = await judged(target, { model: 'any/any' });
    const passed = report.results.filter(({ level, outcome }) => level === 'MUST' && outcome === 'pass');
    expect(passed.map(({ requirement, title }) => `${requirement}: ${title}`)).toEqual([]);
    expect(report.must.verified).toBe(0);
    expect(report.exitCode).toBe(1);
  });

  it('is open where the target died in the middle of the run, and nothing of it is held against the target', async () => {
    let answered = 0;
    await using target = await startFakeTarget(({ finish }) => ({
      finish: (reply, endpoint) => {
        answered += 1;
        return answered > 30 ? { status: 503, headers: {}, body: {} } : finish(reply, endpoint);
      },
    }));
    const report = await judged(target);
    expect(idsOf(report, 'fail')).toEqual([]);
    expect(report).toMatchObject({ verdict: 'incomplete', exitCode: 3 });
    // Three faults in a row, of a plain request too, and no request more.
    expect(report.exchanges.slice(30).map(({ answer }) => answer?.status)).toEqual([503, 503, 503, 503]);
  });

  it.each([
    ['which is no fault where it says for how long', { 'Retry-After': '0' }, []],
    ['which is one where it does not', {}, ['error.none-5xx']],
  ])('may be a target that is busy now and then, %s', async (_, headers, warnings) => {
    let answered = 0;
    await using target = await startFakeTarget(({ finish }) => ({
      finish: (reply, endpoint) => {
        answered += 1;
        // Every fifth answer, so that no three follow one another.
        return answered % 5 === 0 ? { status: 503, headers, body: {} } : finish(reply, endpoint);
      },
    }));
    const report = await judged(target, { profiles: ['free'], sleep: async () => undefined });
    expect(idsOf(report, 'fail')).toEqual([]);
    expect(idsOf(report, 'warn')).toEqual(warnings);
  });

  it('is open once the run is interrupted', async () => {
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
    expect(report.exchanges.length).toBeLessThan(3);
  });
});

describe('the deadline of a run', () => {
  it('leaves open what it cuts off, and says so', async () => {
    await using gateway = await startFakeTarget();
    let asked = 0;
    await using target = await startProxy(gateway.url, async (_, forward) => {
      asked += 1;
      // From the fifth request on nobody gets an answer.
      return asked < 5 ? await forward() : await new Promise(() => undefined);
    });
    const report = await judged({ ...gateway, url: target.url }, { profiles: ['free'], deadlineSeconds: 3 });
    expect(idsOf(report, 'fail')).toEqual([]);
    expect(report).toMatchObject({
      isOverdue: true,
      isInterrupted: false,
      deadlineSeconds: 3,
      verdict: 'incomplete',
      exitCode: 3,
    });
    const open = report.results.filter(({ detail }) => detail.includes("the run's deadline was reached"));
    expect(open.length).toBeGreaterThan(0);
    expect(caveats(report)[0]).toContain('The deadline of 3 s for the whole run was reached');
  });

  it('holds for the search of a model too', async () => {
    await using silent = await listenOnLoopback(() => undefined);
    const report = await judged({ ...silent, payerKey: '' }, { profiles: ['free'], deadlineSeconds: 1 });
    expect(report).toMatchObject({ isOverdue: true, verdict: 'incomplete', exitCode: 3 });
    expect(report.requests).toBe(1);
  });

  it('grants a target that asks for patience every time no more than that', async () => {
    await using busy = await listenOnLoopback((_, response) => {
      response.writeHead(429, { 'Retry-After': '30' }).end();
    });
    const report = await judged({ ...busy, payerKey: '' }, { profiles: ['free'], deadlineSeconds: 1 });
    expect(report).toMatchObject({ isOverdue: true, verdict: 'incomplete', exitCode: 3 });
  });

  it('is not met by a run that is through', async () => {
    await using target = await startFakeTarget();
    const report = await judged(target, { profiles: ['free'], filter: 'offer.' });
    expect(report).toMatchObject({ isOverdue: false, deadlineSeconds: deadlineSecondsDefault, exitCode: 0 });
    expect(report.requests).toBe(report.exchanges.length);
  });
});

describe('the pace', () => {
  it('is small for somebody else, as asked for by whoever says so, and free on this machine', () => {
    expect(rateOf({ targetUrl: 'https://gateway.example' })).toBe(rateDefault);
    expect(rateOf({ targetUrl: 'http://127.0.0.1:8402' })).toBeUndefined();
    expect(rateOf({ targetUrl: 'http://localhost:8402', requestsPerSecondMax: 2 })).toBe(2);
    expect(rateOf({ targetUrl: 'https://gateway.example', requestsPerSecondMax: 50 })).toBe(50);
  });

  it('is kept by a whole run', async () => {
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
    // A key beside a profile that needs none is not touched.
    expect(spent).toMatchObject({ signedUnits: '0', payments: 0, journal: null });
  });
});
