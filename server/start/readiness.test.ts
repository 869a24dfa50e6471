import { describe, expect, it } from 'vitest';
import type { Engine } from '../inference/engine.ts';
import { createCountingEngine } from '../testing/counting-engine.ts';
import { randomAddress } from '../testing/store/claims.ts';
import { manualClock } from '../types/clock.ts';
import { unixSeconds } from '../types/units.ts';
import { createReadiness, type ReadinessPorts } from './readiness.ts';
import { remembered } from './remembered.ts';

const clock = manualClock(unixSeconds(1_800_000_000));

/** Healthy ports, apart from `change`. */
function readiness(change: Partial<ReadinessPorts>) {
  const logged: string[] = [];
  const log = { info: (_: object, text: string) => logged.push(text), warn: log2(logged) };
  const ports = {
    store: withQueue(0),
    settler: { healthIssue: async () => null },
    proofs: { keyIssue: () => null, healthIssue: () => null },
    models: modelsWith({ one: null, other: null }),
    isStopping: () => false,
    clock,
    log: log as unknown as ReadinessPorts['log'],
    healthAgeMaxMs: 1_000,
    upstreamHealthAgeMaxMs: 1_000,
    unsettledPaymentsMax: 100,
    unsentPaymentsMin: 10,
    unsentWaitMs: 5_000,
    settlementMarginSeconds: 30,
    ...change,
  };
  return { ...createReadiness(ports), logged };
}

/** A healthy store with this many executed, and one submitted payment. */
function withQueue(executed: number): ReadinessPorts['store'] {
  return {
    healthIssue: async () => null,
    unsettled: async () => ({ executed, byPayer: new Map([[randomAddress(), executed + 1]]) }),
    settlementQueue: async () => ({ unsent: new Map(), unsentSince: null, settled: 0 }),
  };
}

function log2(logged: string[]) {
  return (_: object, text: string) => logged.push(text);
}

function modelsWith(issues: Readonly<Record<string, string | null>>): ReadinessPorts['models'] {
  const entries = Object.entries(issues).map(([id, issue]): [string, { engine: Engine }] => [
    id,
    { engine: engineOf({ probe: async () => issue }) },
  ]);
  return new Map(entries);
}

type TestUpstream = { probe?(): Promise<string | null>; breaker?(): string | null };

function engineOf(...upstreams: readonly TestUpstream[]): Engine {
  const engineUpstreams = upstreams.map(({ probe = async () => null, breaker = () => null }) => ({
    probe: { issue: probe },
    breakerIssue: breaker,
    isWorking: () => true,
  }));
  return { ...createCountingEngine(), upstreams: engineUpstreams };
}

function findCheck(report: Awaited<ReturnType<ReturnType<typeof readiness>['report']>>, name: string) {
  return report.find((each) => each.name === name);
}

describe('D-143: readiness and new payments use the same health results', () => {
  it.each([
    ['the store', { store: { ...withQueue(0), healthIssue: async () => 'full' } }, 'full'],
    ['settlement', { settler: { healthIssue: async () => 'no gas' } }, 'no gas'],
    ['the key of proofs', { proofs: { keyIssue: () => 'revoked', healthIssue: () => null } }, 'revoked'],
    ['the upstream', { models: modelsWith({ one: 'refused' }) }, 'refused'],
  ])('an issue of %s stops sales and readiness', async (_name, change, issue) => {
    const { saleIssue, report } = readiness(change);
    expect((await report()).filter(({ healthIssue }) => healthIssue !== null)).toHaveLength(1);
    expect(await saleIssue('one')).toBe(issue);
  });

  it('without issues everything is sold, and the gateway is ready', async () => {
    const { saleIssue, report } = readiness({});
    expect(await saleIssue('one')).toBeNull();
    expect((await report()).every(({ healthIssue }) => healthIssue === null)).toBe(true);
  });

  it('with the upstream of one model down, the other model is sold, and the gateway is ready with a warning', async () => {
    const { saleIssue, report } = readiness({ models: modelsWith({ one: 'refused', other: null }) });
    const models = findCheck(await report(), 'models');
    expect([await saleIssue('one'), await saleIssue('other')]).toEqual(['refused', null]);
    expect(models).toMatchObject({ healthIssue: null, warning: 'cannot be sold now: one: refused' });
  });

  it('models of one upstream share one health call', async () => {
    let asked = 0;
    const engine = engineOf({
      async probe() {
        asked++;
        return null;
      },
    });
    const other: Engine = {
      ...createCountingEngine(),
      ...(engine.upstreams && { upstreams: engine.upstreams }),
    };
    const { report, saleIssue } = readiness({
      models: new Map([
        ['one', { engine }],
        ['other', { engine: other }],
      ]),
    });
    await report();
    await saleIssue('one');
    expect(asked).toBe(1);
  });

  it('a model with one of two upstreams down is sold, and the gateway is ready with a warning (D-310)', async () => {
    const away = async () => 'the upstream is unavailable';
    const models = new Map([['one', { engine: engineOf({}, { probe: away }) }]]);
    const { saleIssue, report } = readiness({ models });
    expect(await saleIssue('one')).toBeNull();
    expect(findCheck(await report(), 'models')).toMatchObject({
      healthIssue: null,
      warning: 'has fewer upstreams now: one: upstream 2: the upstream is unavailable',
    });
  });

  it('a model with two upstreams down is not sold, and the issue names both (D-310)', async () => {
    const away = async () => 'the upstream is unavailable';
    const engine = engineOf({ probe: away }, { breaker: () => 'the last requests failed' });
    const { saleIssue, report } = readiness({ models: new Map([['one', { engine }]]) });
    const both = 'upstream 1: the upstream is unavailable; upstream 2: the last requests failed';
    expect(findCheck(await report(), 'models')?.healthIssue).toBe(`cannot be sold now: one: ${both}`);
    expect(await saleIssue('one')).toBe(both);
  });

  it('an open breaker counts at once, whatever the age of the last probe (D-312)', async () => {
    let isOpen = false;
    const engine = engineOf({ breaker: () => (isOpen ? 'the last requests failed' : null) });
    const { saleIssue } = readiness({ models: new Map([['one', { engine }]]) });
    expect(await saleIssue('one')).toBeNull();
    isOpen = true;
    expect(await saleIssue('one')).toBe('the last requests failed');
    isOpen = false;
    expect(await saleIssue('one')).toBeNull();
  });

  it('a settler with its own sale check decides about new payments itself', async () => {
    const settler = { healthIssue: async () => 'offers nothing', saleIssue: async () => null };
    const { saleIssue, report } = readiness({ settler });
    expect(await saleIssue('one')).toBeNull();
    expect(findCheck(await report(), 'settlement')?.healthIssue).toBe('offers nothing');
  });

  it('the stop and the resumption of sales are each logged once', async () => {
    let issue: string | null = 'full';
    const { saleIssue, logged } = readiness({ store: { ...withQueue(0), healthIssue: async () => issue } });
    await saleIssue('one');
    await saleIssue('one');
    issue = null;
    clock.advance(10);
    await saleIssue('one');
    expect(logged).toEqual(['new payments are refused', 'new payments are accepted again']);
  });
});

/** An upstream that responds to its probe when the test calls `respond`. */
function heldUpstream() {
  const held: ((issue: string | null) => void)[] = [];
  return {
    probe: () => new Promise<string | null>((resolve) => held.push(resolve)),
    begun: () => held.length,
    respond: (issue: string | null) => held.at(-1)?.(issue),
  };
}

/** The readiness of a gateway whose model has these upstreams. */
function readinessOf(...upstreams: readonly TestUpstream[]) {
  return readiness({ models: new Map([['one', { engine: engineOf(...upstreams) }]]) });
}

describe('D-357: a payment does not wait for the probe of its upstream', () => {
  it('after a pause, a model is sold by its last result, and the result is renewed', async () => {
    const upstream = heldUpstream();
    const { saleIssue, report } = readinessOf(upstream);
    const start = report();
    upstream.respond(null);
    await start;
    clock.advance(3_600);
    const sold = saleIssue('one');
    setImmediate(() => upstream.respond('refused'));
    expect([await sold, upstream.begun()]).toEqual([null, 2]);
    expect(findCheck(await report(), 'models')?.healthIssue).toBe('cannot be sold now: one: refused');
    expect(await saleIssue('one')).toBe('refused');
  });

  it('before the first result, a model is sold', async () => {
    const upstream = heldUpstream();
    const sold = readinessOf(upstream).saleIssue('one');
    setImmediate(() => upstream.respond('refused'));
    expect(await sold).toBeNull();
  });

  it('an issue that may be over refuses no payment before a new probe', async () => {
    const upstream = heldUpstream();
    const { saleIssue, report } = readinessOf(upstream);
    const start = report();
    upstream.respond('refused');
    await start;
    expect(await saleIssue('one')).toBe('refused');
    clock.advance(3_600);
    const sold = saleIssue('one');
    upstream.respond(null);
    expect(await sold).toBeNull();
  });

  it('a model with one upstream that works does not wait for the other', async () => {
    const upstream = heldUpstream();
    const { saleIssue, report } = readinessOf(upstream, {});
    const start = report();
    upstream.respond('refused');
    await start;
    clock.advance(3_600);
    expect(await saleIssue('one')).toBeNull();
  });

  it('a probe that fails by an error refuses no payment', async () => {
    const { saleIssue } = readinessOf({ probe: () => Promise.reject(new Error('broken')) });
    expect(await saleIssue('one')).toBeNull();
  });
});

describe('D-143: the age of a health result', () => {
  it('one call serves many, it is renewed in the background from half its age on, and an expired one is awaited', async () => {
    let asked = 0;
    const held: (() => void)[] = [];
    const { recent: ask, last } = remembered(
      () => {
        const number = ++asked;
        return new Promise<number>((resolve) => held.push(() => resolve(number)));
      },
      4_000,
      clock,
    );
    const first = [ask(), ask()];
    expect(last()).toBeUndefined();
    held[0]?.();
    expect(await Promise.all(first)).toEqual([1, 1]);
    clock.advance(1);
    expect([await ask(), asked]).toEqual([1, 1]);
    clock.advance(1);
    expect([await ask(), await ask(), asked]).toEqual([1, 1, 2]);
    clock.advance(2);
    const late = ask();
    expect(last(), 'the last result stays known').toBe(1);
    held[1]?.();
    expect([await late, asked, last()]).toEqual([2, 2, 2]);
  });

  it('a failed call is not cached', async () => {
    let isBroken = true;
    const { recent: ask } = remembered(
      async () => {
        if (isBroken) throw new Error('broken');
        return 'well';
      },
      4_000,
      clock,
    );
    await expect(ask()).rejects.toThrow('broken');
    isBroken = false;
    expect(await ask()).toBe('well');
  });
});
