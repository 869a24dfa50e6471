import { describe, expect, it } from 'vitest';
import type { Report } from '../engine/report.ts';
import { type Change, startFakeTarget } from '../testing/fake-target.ts';
import { judged, listIds } from '../testing/judged.ts';

/** One clock for target and suite, which advances with each request and with each wait. */
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

/** Each offer has its own price and its own end. */
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
      // A payment without a valid offer is invalid with any signature (§7).
      isSigned: (payment, offer) => !stands(payment.authorization.value) || sound.isSigned(payment, offer),
      termsFault: (authorization, offer) =>
        stands(authorization.value)
          ? sound.termsFault(
              authorization,
              { ...offer, maxAmountRequired: authorization.value },
              Math.floor(clock.nowMs() / 1000),
            )
          : 'no such offer',
      ...change(sound),
    };
  };
}

async function reportOn(change: Change, clock: ReturnType<typeof clockFrom>): Promise<Report> {
  await using target = await startFakeTarget(change);
  return await judged(target, { ...clock.options, profiles: ['free', 'signed'] });
}

const startMs = 1_800_000_000_000;

describe('an offer that is valid for maxTimeoutSeconds', () => {
  it.each([5, 30, 61, 300])('(%i s) is paid while it is valid', async (seconds) => {
    const clock = clockFrom(startMs, 500);
    const report = await reportOn(quoting(seconds, clock), clock);
    expect(listIds(report, 'fail', 'warn', 'inconclusive')).toEqual([]);
  });

  it('is reused while most of its time is left', async () => {
    const [still, moving] = [clockFrom(startMs, 0), clockFrom(startMs, 500)];
    const long = await reportOn(quoting(300, still), still);
    const short = await reportOn(quoting(5, moving), moving);
    expect(short.requests).toBeGreaterThan(long.requests + 30);
  });

  it('is inconclusive if it expires during Retry-After', async () => {
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
    expect(listIds(report, 'fail', 'warn')).toEqual([]);
    expect(report.results.find(({ requirement }) => requirement === 'signature.tampered')).toMatchObject({
      outcome: 'inconclusive',
      detail: expect.stringMatching(/^the offer expired before the response to request \d+$/),
    });
  });
});
