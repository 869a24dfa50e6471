import { describe, expect, it } from 'vitest';
import type { SuiteOptions } from '../suite/judge.ts';
import { type Change, startFakeTarget } from '../testing/fake-target.ts';
import { idsOf, judged } from '../testing/judged.ts';

const early = 'payment.not-yet-valid.refused';
const late = 'payment.expired.refused';
const onText = 'payment.completions.refused';

async function reportOn(change: Change, options: Partial<SuiteOptions> = {}) {
  await using target = await startFakeTarget(change);
  return await judged(target, { profiles: ['paid'], filter: 'payment.', ...options });
}

/** Looks at windows with the clock set back or forward, so that what begins or ends within that time is taken. */
function lookingWith({ aheadSeconds = 0, behindSeconds = 0 }): Change {
  return ({ termsFault }) => ({
    termsFault: ({ validAfter, validBefore, ...terms }, offer, nowSeconds) => {
      // An empty window is a fault to whoever never looks at the clock, too.
      if (validAfter > validBefore) return 'no window';
      const window = { validAfter: validAfter - aheadSeconds, validBefore: validBefore + behindSeconds };
      return termsFault({ ...terms, ...window }, offer, nowSeconds);
    },
  });
}

describe('contract 2.9: the time from which a payment is valid', () => {
  it.each([300, 3_600, 1_000_000_000])('may not lie within %i s from now', async (aheadSeconds) => {
    const report = await reportOn(lookingWith({ aheadSeconds }));
    expect(idsOf(report, 'fail')).toEqual([onText, early]);
  });

  it('may have come while the request was under way', async () => {
    let nowMs = 1_800_000_000_000;
    const waiting: Change = (sound) => ({
      termsFault: (authorization, offer) => {
        nowMs = Math.max(nowMs, authorization.validAfter * 1000);
        return sound.termsFault(authorization, offer, nowMs / 1000);
      },
    });
    const report = await reportOn(waiting, { clock: () => new Date(nowMs) });
    expect(idsOf(report, 'fail')).toEqual([]);
    expect(report.results.find(({ requirement }) => requirement === early)).toMatchObject({
      outcome: 'inconclusive',
      detail: expect.stringContaining('had become valid'),
    });
  });
});

describe('contract 2.9: the time after which a payment is invalid', () => {
  it.each([300, 3_600, 7_200, 1_000_000_000])('may not lie within %i s before now', async (behindSeconds) => {
    const report = await reportOn(lookingWith({ behindSeconds }));
    expect(idsOf(report, 'fail')).toEqual([onText, late]);
  });
});

it.each([-200, -60, 25])('clocks may differ: that of the suite by %i s', async (seconds) => {
  const theirs = 1_800_000_000;
  const at: Change = ({ termsFault }) => ({
    termsFault: (authorization, offer) => termsFault(authorization, offer, theirs),
  });
  const report = await reportOn(at, { clock: () => new Date((theirs + seconds) * 1000) });
  expect(idsOf(report, 'fail', 'inconclusive')).toEqual([]);
  expect(idsOf(report, 'pass')).toEqual(expect.arrayContaining([early, late, onText]));
});

it('a minute of patience with other clocks is not held against anybody', async () => {
  const report = await reportOn(lookingWith({ aheadSeconds: 60, behindSeconds: 60 }));
  expect(idsOf(report, 'fail')).toEqual([]);
});
