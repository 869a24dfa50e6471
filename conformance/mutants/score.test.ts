import type { RequirementId } from '@paid-inference/contract/requirements';
import { beforeAll, describe, expect, it } from 'vitest';
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
const wrongScheme: Edge = { answer: offering((offer) => withMember(offer, 'scheme', 'upto')) };
let soundRun: Run;

beforeAll(async () => {
  soundRun = await judgeThrough({}, target);
}, 60_000);

async function mutantScore(edge: Edge, kills = scheme, of = target) {
  return scoreMutant(soundReport(), await judgeThrough(edge, of), kills);
}

async function variantScore(edge: Edge, hides?: string) {
  return scoreVariant(soundReport(), await judgeThrough(edge, target), hides);
}

function soundReport() {
  if (soundRun.kind !== 'judged') throw new Error(soundRun.why);
  return soundRun.report;
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
    expect(await mutantScore({ answer: marked })).toMatchObject({ kind: 'survivor', found: [] });
  });

  it('is not applied when no exchange differs from the sound gateway', async () => {
    expect(await mutantScore({ answer: (reply) => ({ ...reply }) })).toEqual({ kind: 'not-applied' });
  });

  it('is broken when the edge throws', async () => {
    const crash: Edge = {
      answer: () => {
        throw new TypeError('oops');
      },
    };
    const why = 'the edge failed: TypeError: oops';
    expect(await mutantScore(crash)).toEqual({ kind: 'broken', why });
  });

  it('is broken when the gateway does not open', async () => {
    const dead: Target = { ...target, open: () => Promise.reject(new Error('no port')) };
    expect(await mutantScore({}, scheme, dead)).toEqual({ kind: 'broken', why: 'Error: no port' });
  });
});

describe('a legal variant', slow, () => {
  it('is green when no requirement fails', async () => {
    expect(await variantScore({ answer: marked })).toMatchObject({ kind: 'green' });
    expect(await variantScore({})).toEqual({ kind: 'not-applied' });
  });

  it('is a false positive when a requirement fails', async () => {
    const why = 'failed requirements: offer.scheme';
    expect(await variantScore(wrongScheme)).toMatchObject({ kind: 'false-positive', why });
  });

  it('must be incomplete if it has `hides`, and complete otherwise', async () => {
    const error = { message: 'No.', type: 'rate_limit_error', code: 'rate_limited' };
    const busy: Edge = {
      answer: (reply, asked) =>
        findEndpoint(asked) === 'completions' ? withJson({ ...reply, status: 429 }, { error }) : reply,
    };
    expect(await variantScore(busy)).toMatchObject({
      kind: 'false-positive',
      why: expect.stringContaining('incomplete: unpaid.completions.402'),
    });
    expect(await variantScore(busy, 'completions')).toMatchObject({ kind: 'green' });
    const why = 'the run is complete, although the variant has `hides`';
    expect(await variantScore({ answer: marked }, 'nothing')).toMatchObject({ kind: 'false-positive', why });
  });
});

it('an unresponsive deployment is judged when a requirement passes or fails', slow, async () => {
  expect(scoreUnresponsive(await judgeThrough({}, target))).toEqual({
    kind: 'judged',
    why: 'passed: unpaid.chat.402',
  });
  const why = 'failed: offer.scheme';
  expect(scoreUnresponsive(await judgeThrough(wrongScheme, target))).toEqual({ kind: 'judged', why });
});
