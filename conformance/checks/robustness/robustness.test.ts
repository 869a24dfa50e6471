import { describe, expect, it } from 'vitest';
import { requestsMax } from '../../fuzz/probe.ts';
import { isObject } from '../../independent/body-rules.ts';
import { catalogModel } from '../../independent/steps.ts';
import type { SuiteOptions } from '../../suite/judge.ts';
import { type Change, startFakeTarget } from '../../testing/fake-target.ts';
import { judged, listIds } from '../../testing/judged.ts';

async function probed(change?: Change, options: Partial<SuiteOptions> = {}) {
  await using target = await startFakeTarget(change);
  const report = await judged(target, {
    profiles: ['free'],
    filter: 'robustness.',
    model: catalogModel,
    ...options,
  });
  const of = (id: string) => report.results.find(({ requirement }) => requirement === id);
  return { report, valid: of('robustness.valid-bodies'), invalid: of('robustness.invalid-bodies') };
}

function listBodies({ report }: Awaited<ReturnType<typeof probed>>) {
  return report.exchanges.map(({ request }) => request.body);
}

/** Refuses a body with a `name`, which the contract allows. */
const nameless: Change = ({ bodyFault }) => ({
  bodyFault: (endpoint, body) =>
    JSON.stringify(body ?? null).includes('"name":"') ? 'no names' : bodyFault(endpoint, body),
});

describe('random bodies', () => {
  it('pass for a correct target, with the same requests every time', async () => {
    const [first, second] = [await probed(), await probed()];
    expect(first.valid).toMatchObject({ outcome: 'pass', level: 'MUST' });
    expect(first.invalid).toMatchObject({ outcome: 'pass', level: 'SHOULD' });
    expect(listBodies(second)).toEqual(listBodies(first));
    expect(first.report.fuzz).toEqual({ seed: expect.any(Number), path: null });
  });

  it('differ for another seed', async () => {
    const [first, second] = [await probed(), await probed(undefined, { fuzzSeed: 7 })];
    expect(listBodies(second)).not.toEqual(listBodies(first));
    expect(second.report.fuzz.seed).toBe(7);
  });

  it('find a refused valid body, shrink it, and make it reproducible (D-151)', async () => {
    const { report, valid } = await probed(nameless, { filter: 'robustness.valid-bodies' });
    expect(valid).toMatchObject({
      outcome: 'fail',
      detail: expect.stringMatching(/expected 402 for a valid body; got 400 .*--seed -?\d+ --path [\d:]+/),
    });
    expect(listIds(report, 'fail')).toEqual(['robustness.valid-bodies']);
    const [, seed, path] = /--seed (-?\d+) --path ([\d:]+)/.exec(valid?.detail ?? '') ?? [];
    const again = await probed(nameless, {
      filter: 'robustness.valid-bodies',
      fuzzSeed: Number(seed),
      fuzzPath: path ?? '',
    });
    const readBody = (detail: string | undefined) => detail?.replace(/.*\): /, '');
    expect(readBody(again.valid?.detail)).toBe(readBody(valid?.detail));
    // Two requests find out if the bodies show anything. Then come the body, a plain request, and eight that
    // find out the order of checks.
    expect(again.report.exchanges.length).toBeLessThanOrEqual(16);
    expect(again.report.fuzz.path).toBe(path);
  });

  it('stay within the request limit while a finding is shrunk', async () => {
    const { report } = await probed(nameless, { filter: 'robustness.valid-bodies' });
    expect(report.exchanges.length).toBeLessThanOrEqual(2 * requestsMax + 5);
  });

  it('fail a gateway that serves one unpaid, only for that and their own requirement', async () => {
    // Serves bodies with characters that only random bodies contain.
    await using target = await startFakeTarget(({ bodyFault, paymentRequired, completion }) => {
      let isFree = false;
      return {
        bodyFault: (endpoint, body) => {
          isFree = /[^\x20-\x7eéèöüß日本🍵\u2028]/u.test(JSON.stringify(body ?? null));
          return bodyFault(endpoint, body);
        },
        paymentRequired(offer) {
          if (!isFree) return paymentRequired.call(this, offer);
          return { status: 200, headers: {}, body: completion('chat', {}, 1_700_000_000) };
        },
      };
    });
    const report = await judged(target, { profiles: ['free'] });
    expect(listIds(report, 'warn').filter((id) => !id.startsWith('robustness.'))).toEqual([]);
    expect(listIds(report, 'fail').filter((id) => !id.startsWith('robustness.'))).toEqual([
      'unpaid.never-200',
    ]);
  });
});

describe('a server fault', () => {
  function faulty(isFatal: (body: unknown) => boolean): Change {
    return ({ bodyFault, error }) => {
      let isFault = false;
      return {
        bodyFault: (endpoint, body) => {
          isFault = isFatal(body);
          return isFault ? 'crash' : bodyFault(endpoint, body);
        },
        error: (status, type, code) =>
          isFault && status === 400
            ? error(500, 'server_error', 'internal_error')
            : error(status, type, code),
      };
    };
  }

  it('for an invalid body fails if a plain body still gets 402', async () => {
    const { invalid, valid } = await probed(faulty((body) => !isObject(body) || !('model' in body)));
    expect(valid).toMatchObject({ outcome: 'pass' });
    expect(invalid).toMatchObject({
      outcome: 'warn',
      detail: expect.stringContaining('expected neither 2xx nor 5xx for an invalid body; got 500'),
    });
  });

  it('of a target that stays down is inconclusive', async () => {
    let isDown = false;
    const { invalid } = await probed(
      faulty((body) => {
        isDown ||= !isObject(body);
        return isDown;
      }),
      { filter: 'robustness.invalid-bodies', fuzzSeed: 3 },
    );
    expect(invalid).toMatchObject({
      outcome: 'inconclusive',
      detail: expect.stringContaining('a valid request failed: 500'),
    });
  });
});

it('is inconclusive for bodies if the target returns 402 first', async () => {
  const { valid, invalid } = await probed(() => ({ readsBodyFirst: false }));
  expect([valid?.outcome, invalid?.outcome]).toEqual(['inconclusive', 'inconclusive']);
});

it('is inconclusive for a target that sells nothing', async () => {
  const { valid, invalid } = await probed(() => ({
    paymentRequired: () => ({ status: 200, headers: {}, body: {} }),
  }));
  expect([valid?.outcome, invalid?.outcome]).toEqual(['inconclusive', 'inconclusive']);
});
