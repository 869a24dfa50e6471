import { describe, expect, it } from 'vitest';
import type { Report } from '../engine/report.ts';
import { type Change, startFakeTarget } from '../testing/fake-target.ts';
import { idsOf, judged } from '../testing/judged.ts';

/** One clock of target and judge: it goes on with each request, and where somebody waits. */
function clockFrom(startMs: number, requestMs: number) {
  let nowMs = startMs;
  return {
    nowMs: () => nowMs,
    tick: () => {
      nowMs += requestMs;
    },
    options: {
      clock: () => new Date(nowMs),
      sleep: async (seconds: number) => {
        nowMs += seconds * 1000;
      },
    },
  };
}

/** Each offer has a price of its own, and is good for as long as it says. */
function quoting(seconds: number, clock: ReturnType<typeof clockFrom>, change: Change = () => ({})): Change {
  return (sound) => {
    const madeAtMs = new Map<string, number>();
    const stands = (value: string) =>
      clock.nowMs() - (madeAtMs.get(value) ?? Number.NEGATIVE_INFINITY) <= seconds * 1000;
    return {
      bodyFault: (...of) => {
        clock.tick();
        return sound.bodyFault(...of);
      },
      offer: (...of) => ({ ...sound.offer(...of), maxTimeoutSeconds: seconds }),
      paymentRequired: (offer) => {
        const maxAmountRequired = String(1_000 + madeAtMs.size);
        madeAtMs.set(maxAmountRequired, clock.nowMs());
        return sound.paymentRequired({ ...offer, maxAmountRequired });
      },
      // What is for no standing offer is no valid payment, whoever signed it (contract 7).
      isSigned: (payment, offer) => !stands(payment.authorization.value) || sound.isSigned(payment, offer),
      termsFault: (authorization, offer) =>
        stands(authorization.value)
          ? sound.termsFault(
              authorization,
              { ...offer, maxAmountRequired: authorization.value },
              Math.floor(clock.nowMs() / 1000),
            )
          : 'no such offer stands',
      ...change(sound),
    };
  };
}

async function reportOn(change: Change, clock: ReturnType<typeof clockFrom>): Promise<Report> {
  await using target = await startFakeTarget(change);
  return await judged(target, { ...clock.options, profiles: ['free', 'signed'] });
}

const startMs = 1_800_000_000_000;

describe('an offer that is good for as long as it says', () => {
  it.each([5, 30, 61, 300])('(%i s) is paid for while it stands', async (seconds) => {
    const clock = clockFrom(startMs, 500);
    const report = await reportOn(quoting(seconds, clock), clock);
    expect(idsOf(report, 'fail', 'warn', 'inconclusive')).toEqual([]);
  });

  it('is not asked for again while there is much of its time left', async () => {
    const [still, moving] = [clockFrom(startMs, 0), clockFrom(startMs, 500)];
    const long = await reportOn(quoting(300, still), still);
    const short = await reportOn(quoting(5, moving), moving);
    expect(short.requests).toBeGreaterThan(long.requests + 30);
  });

  it('shows nothing where the target asked for patience until it was over', async () => {
    const clock = clockFrom(startMs, 0);
    let isAsked = false;
    const retryAfter: Change = (sound) => ({
      finish: (reply, endpoint) => {
        const isRefusal = reply.status === 401 || JSON.stringify(reply.body).includes('insufficient_funds');
        if (!isRefusal || isAsked) return sound.finish(reply, endpoint);
        isAsked = true;
        return {
          ...sound.error(429, 'rate_limit_error', 'rate_limited'),
          headers: { 'Retry-After': '20' },
        };
      },
    });
    const report = await reportOn(quoting(5, clock, retryAfter), clock);
    expect(idsOf(report, 'fail', 'warn')).toEqual([]);
    expect(report.results.find(({ requirement }) => requirement === 'signature.tampered')).toMatchObject({
      outcome: 'inconclusive',
      detail: expect.stringMatching(/^the offer was over before request \d+ was answered$/),
    });
  });
});
