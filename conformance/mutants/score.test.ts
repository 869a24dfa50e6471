import type { RequirementId } from '@paid-inference/contract/requirements';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Edge } from './edge.ts';
import { offering } from './edits.ts';
import { judgeThrough, type Run } from './run.ts';
import { scoreMutant, scoreUnresponsive, scoreVariant } from './score.ts';
import { independentTarget, type Target } from './target.ts';
import { marked } from './variants/variant.ts';
import { endpointOf, withJson, withMember } from './wire-edits.ts';

const target = independentTarget();
// Measured at 22 s on two cores with a load of twelve.
const retryAfter = { timeout: 180_000 };
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

describe('a mutant', retryAfter, () => {
  it('is killed strongly by exactly what it declares', async () => {
    expect(await mutantScore(wrongScheme)).toMatchObject({
      kind: 'strong',
      found: ['offer.scheme'],
      witness: { change: '402 -> 402' },
    });
  });

  it('is killed weakly by anything else, by more, or by less', async () => {
    for (const kills of [['offer.network'], ['offer.scheme', 'offer.network'], []] as const) {
      expect(await mutantScore(wrongScheme, kills)).toMatchObject({ kind: 'weak', found: ['offer.scheme'] });
    }
  });

  it('survives where nothing fails', async () => {
    expect(await mutantScore({ answer: marked })).toMatchObject({ kind: 'survivor', found: [] });
  });

  it('is none where no exchange differs from the sound gateway', async () => {
    expect(await mutantScore({ answer: (reply) => ({ ...reply }) })).toEqual({ kind: 'not-applied' });
  });

  it('is no kill where it crashes', async () => {
    const crash: Edge = {
      answer: () => {
        throw new TypeError('oops');
      },
    };
    const why = 'the edge failed: TypeError: oops';
    expect(await mutantScore(crash)).toEqual({ kind: 'broken', why });
  });

  it('is no kill where it does not start', async () => {
    const dead: Target = { ...target, open: () => Promise.reject(new Error('no port')) };
    expect(await mutantScore({}, scheme, dead)).toEqual({ kind: 'broken', why: 'Error: no port' });
  });
});

describe('a legal variant', retryAfter, () => {
  it('is green where nothing is held against it', async () => {
    expect(await variantScore({ answer: marked })).toMatchObject({ kind: 'green' });
    expect(await variantScore({})).toEqual({ kind: 'not-applied' });
  });

  it('is a false positive where anything is', async () => {
    const why = 'held against it: offer.scheme';
    expect(await variantScore(wrongScheme)).toMatchObject({ kind: 'false-positive', why });
  });

  it('may be incomplete where it says what it hides, and must be so then', async () => {
    const error = { message: 'No.', type: 'rate_limit_error', code: 'rate_limited' };
    const busy: Edge = {
      answer: (reply, asked) =>
        endpointOf(asked) === 'completions' ? withJson({ ...reply, status: 429 }, { error }) : reply,
    };
    expect(await variantScore(busy)).toMatchObject({
      kind: 'false-positive',
      why: expect.stringContaining('incomplete: unpaid.completions.402'),
    });
    expect(await variantScore(busy, 'completions')).toMatchObject({ kind: 'green' });
    const why = 'it hides nothing after all';
    expect(await variantScore({ answer: marked }, 'nothing')).toMatchObject({ kind: 'false-positive', why });
  });
});

it('a deployment that answers is not silent', retryAfter, async () => {
  expect(scoreUnresponsive(await judgeThrough({}, target))).toEqual({
    kind: 'judged',
    why: 'found right: unpaid.chat.402',
  });
  const why = 'held against it: offer.scheme';
  expect(scoreUnresponsive(await judgeThrough(wrongScheme, target))).toEqual({ kind: 'judged', why });
});
