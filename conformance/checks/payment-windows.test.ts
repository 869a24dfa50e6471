import { describe, expect, it } from 'vitest';
import type { SuiteOptions } from '../suite/judge.ts';
import { type Change, startFakeTarget } from '../testing/fake-target.ts';
import { judged, listIds } from '../testing/judged.ts';

const early = 'payment.not-yet-valid.refused';
const late = 'payment.expired.refused';
const onText = 'payment.completions.refused';

async function reportOn(change: Change, options: Partial<SuiteOptions> = {}) {
  await using target = await startFakeTarget(change);
  return await judged(target, { profiles: ['paid'], filter: 'payment.', ...options });
}

/**
 * Checks payment windows with a clock that is shifted, so windows that begin or end in that time are accepted.
 */
function lookingWith({ aheadSeconds = 0, behindSeconds = 0 }): Change {
  return ({ termsFault }) => ({
    termsFault: ({ validAfter, validBefore, ...terms }, offer, nowSeconds) => {
      // A gateway that ignores the clock still rejects an empty window.
      if (validAfter > validBefore) return 'no window';
      const window = { validAfter: validAfter - aheadSeconds, validBefore: validBefore + behindSeconds };
      return termsFault({ ...terms, ...window }, offer, nowSeconds);
    },
  });
}

describe('the beginning of a payment window (§2.9)', () => {
  it.each([300, 3_600, 1_000_000_000])(
    'fails a gateway that judges it with a clock %i s ahead',
    async (aheadSeconds) => {
      const report = await reportOn(lookingWith({ aheadSeconds }));
      expect(listIds(report, 'fail')).toEqual([onText, early]);
    },
  );

  it('is inconclusive if it comes during the request', async () => {
    let nowMs = 1_800_000_000_000;
    const waiting: Change = (sound) => ({
      termsFault: (authorization, offer) => {
        nowMs = Math.max(nowMs, authorization.validAfter * 1000);
        return sound.termsFault(authorization, offer, nowMs / 1000);
      },
    });
    const report = await reportOn(waiting, { clock: () => new Date(nowMs) });
    expect(listIds(report, 'fail')).toEqual([]);
    expect(report.results.find(({ requirement }) => requirement === early)).toMatchObject({
      outcome: 'inconclusive',
      detail: expect.stringContaining('became valid'),
    });
  });
});

describe('the end of a payment window (§2.9)', () => {
  it.each([300, 3_600, 7_200, 1_000_000_000])(
    'fails a gateway that judges it with a clock %i s behind',
    async (behindSeconds) => {
      const report = await reportOn(lookingWith({ behindSeconds }));
      expect(listIds(report, 'fail')).toEqual([onText, late]);
    },
  );
});

it.each([-200, -60, 25])('passes a gateway when the clock of the suite differs by %i s', async (seconds) => {
  const theirs = 1_800_000_000;
  const at: Change = ({ termsFault }) => ({
    termsFault: (authorization, offer) => termsFault(authorization, offer, theirs),
  });
  const report = await reportOn(at, { clock: () => new Date((theirs + seconds) * 1000) });
  expect(listIds(report, 'fail', 'inconclusive')).toEqual([]);
  expect(listIds(report, 'pass')).toEqual(expect.arrayContaining([early, late, onText]));
});

it('passes a gateway with a tolerance of one minute for other clocks', async () => {
  const report = await reportOn(lookingWith({ aheadSeconds: 60, behindSeconds: 60 }));
  expect(listIds(report, 'fail')).toEqual([]);
});
