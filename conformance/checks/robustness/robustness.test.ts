import { describe, expect, it } from 'vitest';
import { requestsMax } from '../../fuzz/probe.ts';
import { isObject } from '../../independent/body-rules.ts';
import { catalogModel } from '../../independent/steps.ts';
import type { SuiteOptions } from '../../suite/judge.ts';
import { type Change, startFakeTarget } from '../../testing/fake-target.ts';
import { idsOf, judged } from '../../testing/judged.ts';

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

function bodiesOf({ report }: Awaited<ReturnType<typeof probed>>) {
  return report.exchanges.map(({ request }) => request.body);
}

/** Refuses a body that has a name in it, which the contract allows. */
const nameless: Change = ({ bodyFault }) => ({
  bodyFault: (endpoint, body) =>
    JSON.stringify(body ?? null).includes('"name":"') ? 'no names' : bodyFault(endpoint, body),
});

describe('random bodies', () => {
  it('find nothing in a target that follows the contract, with the same requests every time', async () => {
    const [first, second] = [await probed(), await probed()];
    expect(first.valid).toMatchObject({ outcome: 'pass', level: 'MUST' });
    expect(first.invalid).toMatchObject({ outcome: 'pass', level: 'SHOULD' });
    expect(bodiesOf(second)).toEqual(bodiesOf(first));
    expect(first.report.fuzz).toEqual({ seed: expect.any(Number), path: null });
  });

  it('are others for another seed', async () => {
    const [first, second] = [await probed(), await probed(undefined, { fuzzSeed: 7 })];
    expect(bodiesOf(second)).not.toEqual(bodiesOf(first));
    expect(second.report.fuzz.seed).toBe(7);
  });

  it('find a valid body that is refused: a failure, small, and to be had again (D-151)', async () => {
    const { report, valid } = await probed(nameless, { filter: 'robustness.valid-bodies' });
    expect(valid).toMatchObject({
      outcome: 'fail',
      detail: expect.stringMatching(/expected 402 for a valid body; got 400 .*--seed -?\d+ --path [\d:]+/),
    });
    expect(idsOf(report, 'fail')).toEqual(['robustness.valid-bodies']);
    const [, seed, path] = /--seed (-?\d+) --path ([\d:]+)/.exec(valid?.detail ?? '') ?? [];
    const again = await probed(nameless, {
      filter: 'robustness.valid-bodies',
      fuzzSeed: Number(seed),
      fuzzPath: path ?? '',
    });
    const bodyOf = (detail: string | undefined) => detail?.replace(/.*\): /, '');
    expect(bodyOf(again.valid?.detail)).toBe(bodyOf(valid?.detail));
    // Two to ask whether anything is to be learnt, the body itself, one that asks whether the target is well, and
    // eight that learn the order of its checks.
    expect(again.report.exchanges.length).toBeLessThanOrEqual(16);
    expect(again.report.fuzz.path).toBe(path);
  });

  it('never make more requests than they may, however long a finding could be made smaller', async () => {
    const { report } = await probed(nameless, { filter: 'robustness.valid-bodies' });
    expect(report.exchanges.length).toBeLessThanOrEqual(2 * requestsMax + 5);
  });

  it('fail a gateway that serves one of them unpaid, for that and for no other requirement but their own', async () => {
    // Serves for nothing what is written in letters that only random bodies have.
    await using target = await startFakeTarget(({ bodyFault, paymentRequired, answer }) => {
      let isFree = false;
      return {
        bodyFault: (endpoint, body) => {
          isFree = /[^\x20-\x7eéè日本🍵\u2028]/u.test(JSON.stringify(body ?? null));
          return bodyFault(endpoint, body);
        },
        paymentRequired(offer) {
          if (!isFree) return paymentRequired.call(this, offer);
          return { status: 200, headers: {}, body: answer('chat', {}, 1_700_000_000) };
        },
      };
    });
    const report = await judged(target, { profiles: ['free'] });
    expect(idsOf(report, 'warn').filter((id) => !id.startsWith('robustness.'))).toEqual([]);
    expect(idsOf(report, 'fail').filter((id) => !id.startsWith('robustness.'))).toEqual(['unpaid.never-200']);
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

  it('over an invalid body is found, beside a plain one that is still answered', async () => {
    const { invalid, valid } = await probed(faulty((body) => !isObject(body) || !('model' in body)));
    expect(valid).toMatchObject({ outcome: 'pass' });
    expect(invalid).toMatchObject({
      outcome: 'warn',
      detail: expect.stringContaining('expected neither 2xx nor 5xx for an invalid body; got 500'),
    });
  });

  it('of a target that does not recover shows nothing', async () => {
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

it('a target that asks for payment first shows nothing about bodies that it has not read', async () => {
  const { valid, invalid } = await probed(() => ({ readsBodyFirst: false }));
  expect([valid?.outcome, invalid?.outcome]).toEqual(['inconclusive', 'inconclusive']);
});

it('a target that sells nothing shows nothing', async () => {
  const { valid, invalid } = await probed(() => ({
    paymentRequired: () => ({ status: 200, headers: {}, body: {} }),
  }));
  expect([valid?.outcome, invalid?.outcome]).toEqual(['inconclusive', 'inconclusive']);
});
