import type { RequirementId } from '@paid-inference/contract/requirements';
import { describe, expect, it } from 'vitest';
import type { Edge } from './edge.ts';
import { offering } from './edits.ts';
import { judgeThrough, type Run } from './run.ts';
import { scoreMutant, scoreUnresponsive, scoreVariant } from './score.ts';
import { independentTarget, type Target } from './target.ts';
import { marked } from './variants/variant.ts';
import { findEndpoint, withJson, withMember } from './wire-edits.ts';

const target = independentTarget();
// Measured at 22 s on two cores with a load of twelve.
const slow = { timeout: 180_000 };
const scheme: readonly RequirementId[] = ['offer.scheme'];
const wrongScheme: Edge = { respond: offering((offer) => withMember(offer, 'scheme', 'upto')) };
/** Changes nothing that the contract describes. */
const harmless: Edge = { respond: marked };
const unchanged: Edge = {};
const runs = new Map<Edge, Promise<Run>>();

/** The run through an edge. The tests share it: they differ in how they score it. */
function runThrough(edge: Edge): Promise<Run> {
  const run = runs.get(edge) ?? judgeThrough(edge, target);
  runs.set(edge, run);
  return run;
}

async function mutantScore(edge: Edge, kills = scheme) {
  return scoreMutant(await soundReport(), await runThrough(edge), kills);
}

async function variantScore(edge: Edge, hides?: string) {
  return scoreVariant(await soundReport(), await runThrough(edge), hides);
}

/** The report of a run of its own, which is compared with the others. */
const sound: Edge = {};

async function soundReport() {
  const run = await runThrough(sound);
  if (run.kind !== 'judged') throw new Error(run.why);
  return run.report;
}

describe('a mutant', slow, () => {
  it('is strong when exactly the declared requirements fail', async () => {
    expect(await mutantScore(wrongScheme)).toMatchObject({
      kind: 'strong',
      found: ['offer.scheme'],
      witness: { change: '402 -> 402' },
    });
  });

  it('is weak when other, more or fewer requirements fail', async () => {
    for (const kills of [['offer.network'], ['offer.scheme', 'offer.network'], []] as const) {
      expect(await mutantScore(wrongScheme, kills)).toMatchObject({ kind: 'weak', found: ['offer.scheme'] });
    }
  });

  it('is a survivor when no requirement fails', async () => {
    expect(await mutantScore(harmless)).toMatchObject({ kind: 'survivor', found: [] });
  });

  it('is not applied when no exchange differs from the sound gateway', async () => {
    expect(await mutantScore({ respond: (reply) => ({ ...reply }) })).toEqual({ kind: 'not-applied' });
  });

  it('is broken when the edge throws', async () => {
    const crash: Edge = {
      respond: () => {
        throw new TypeError('oops');
      },
    };
    const why = 'the edge failed: TypeError: oops';
    expect(await mutantScore(crash)).toEqual({ kind: 'broken', why });
  });

  it('is broken when the gateway does not open', async () => {
    const dead: Target = { ...target, open: () => Promise.reject(new Error('no port')) };
    const run = await judgeThrough({}, dead);
    expect(scoreMutant(await soundReport(), run, scheme)).toEqual({ kind: 'broken', why: 'Error: no port' });
  });
});

describe('a legal variant', slow, () => {
  it('is green when no requirement fails', async () => {
    expect(await variantScore(harmless)).toMatchObject({ kind: 'green' });
    expect(await variantScore(unchanged)).toEqual({ kind: 'not-applied' });
  });

  it('is a false positive when a requirement fails', async () => {
    const why = 'failed requirements: offer.scheme';
    expect(await variantScore(wrongScheme)).toMatchObject({ kind: 'false-positive', why });
  });

  it('must be incomplete if it has `hides`, and complete otherwise', async () => {
    const error = { message: 'No.', type: 'rate_limit_error', code: 'rate_limited' };
    const busy: Edge = {
      respond: (reply, asked) =>
        findEndpoint(asked) === 'completions' ? withJson({ ...reply, status: 429 }, { error }) : reply,
    };
    expect(await variantScore(busy)).toMatchObject({
      kind: 'false-positive',
      why: expect.stringContaining('incomplete: unpaid.completions.402'),
    });
    expect(await variantScore(busy, 'completions')).toMatchObject({ kind: 'green' });
    const why = 'the run is complete, although the variant has `hides`';
    expect(await variantScore(harmless, 'nothing')).toMatchObject({ kind: 'false-positive', why });
  });
});

it('an unresponsive deployment is judged when a requirement passes or fails', slow, async () => {
  expect(scoreUnresponsive(await runThrough(sound))).toEqual({
    kind: 'judged',
    why: 'passed: unpaid.chat.402',
  });
  const why = 'failed: offer.scheme';
  expect(scoreUnresponsive(await runThrough(wrongScheme))).toEqual({ kind: 'judged', why });
});
