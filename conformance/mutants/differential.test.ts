import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Report } from '../index.ts';
import { openReferenceGateway, type ReferenceGateway } from './reference/gateway.ts';
import { portMutants } from './reference/mutants.ts';
import { judgeThrough } from './run.ts';
import { scoreMutant, soundnessFault } from './score.ts';
import { independentTarget, type Target } from './target.ts';

let reference: ReferenceGateway;
let sound: Report;

beforeAll(async () => {
  reference = await openReferenceGateway();
  sound = await reportOn(reference.target());
}, 120_000);

afterAll(() => reference[Symbol.asyncDispose](), 30_000);

it('gives the same results for the reference gateway and the independent implementation', {
  timeout: 120_000,
}, async () => {
  // Only the reference gateway lists 16 models (D-219, D-434), streams (D-297), and makes offers of x402 v2 (D-354). The
  // contract allows all three.
  const outcomes = ({ results }: Report) =>
    results
      .filter(
        ({ requirement, title }) =>
          requirement !== offersOfVersion2 && !isOfStreams(requirement) && !isOfSpelling(title),
      )
      .map(({ requirement, title, outcome }) => [requirement, title, outcome]);
  expect(outcomes(sound)).toEqual(outcomes(await reportOn(independentTarget())));
});

it('passes the streams of the reference gateway (D-297)', () => {
  const streams = sound.results.filter(({ requirement }) => isOfStreams(requirement));
  expect(streams.map(({ outcome }) => outcome)).toEqual(Array(4).fill('pass'));
});

it('passes the offers of x402 v2 of the reference gateway (D-354)', () => {
  const offers = sound.results.filter(({ requirement }) => requirement === offersOfVersion2);
  expect(offers.map(({ outcome }) => outcome)).toEqual(['pass']);
});

it('kills a mutant of a port of the reference gateway', { timeout: 120_000 }, async () => {
  for (const { change, kills } of portMutants.slice(0, 1)) {
    const run = await judgeThrough({}, reference.target(change));
    expect(scoreMutant(sound, run, kills)).toMatchObject({ kind: 'strong' });
  }
});

const offersOfVersion2 = 'offer.same-in-v2';

/** A check that needs the list of the whole catalog. */
function isOfSpelling(title: string): boolean {
  return /^A `model` (in another letter case|of another provider|with a suffix|with a line break|without its )/.test(
    title,
  );
}

function isOfStreams(requirement: string): boolean {
  return requirement.startsWith('stream.');
}

async function reportOn(target: Target): Promise<Report> {
  const run = await judgeThrough({}, target);
  expect(soundnessFault(run)).toBeUndefined();
  if (run.kind !== 'judged') throw new Error(run.why);
  return run.report;
}
