import { beforeAll, describe, expect, it } from 'vitest';
import type { Report } from '../index.ts';
import { mutants, ofManyModels } from './all.ts';
import { comparable } from './comparable.ts';
import { judgeThrough, type Run } from './run.ts';
import {
  findBrokenRequirements,
  scoreMutant,
  scoreUnresponsive,
  scoreVariant,
  soundnessFault,
} from './score.ts';
import { independentTarget } from './target.ts';
import { unresponsiveDeployments, unresponsiveLimits } from './unresponsive.ts';
import { legalVariants } from './variants/all.ts';

// `npm run test:mutants` runs all of them. This test runs some of them on the independent implementation.
const someMutants = mutants.filter(
  (mutant, index) => index % 8 === 0 && mutant.seenWith === undefined && !ofManyModels.includes(mutant),
);
const someVariants = legalVariants.filter(({ hides }, index) => index % 5 === 0 || hides !== undefined);

const target = independentTarget();
const model = 'alder/alder-mini';
// Measured at 22 s on two cores with a load of twelve.
const slow = { timeout: 180_000 };
let sound: readonly Run[];

beforeAll(async () => {
  sound = [await judgeThrough({}, target), await judgeThrough({}, target), await judgeThrough({}, target)];
}, 120_000);

describe('the independent implementation', () => {
  it('is green three times, with identical reports', () => {
    expect(sound.map(soundnessFault)).toEqual([undefined, undefined, undefined]);
    const [first, ...others] = sound.map((run) => comparable(requireReport(run)));
    for (const other of others) expect(other).toEqual(first);
  });

  it('fails when it returns 418 for every request', slow, async () => {
    const run = await judgeThrough({ answer: (reply) => ({ ...reply, status: 418 }) }, target, { model });
    expect(requireReport(run).exitCode).toBe(1);
    expect(findBrokenRequirements(requireReport(run))).toContain('unpaid.chat.402');
  });
});

describe('a mutant', () => {
  it.each(someMutants)('$id: $does', slow, async ({ edge, kills }) => {
    const score = scoreMutant(requireReport(sound[0]), await judgeThrough(edge(), target), kills);
    expect(score).toMatchObject({ kind: 'strong', found: [...kills].sort() });
  });
});

describe('a legal variant', () => {
  it.each(someVariants)('$id: $does', slow, async ({ edge, hides, listsNoModels }) => {
    const run = await judgeThrough(edge(), target, listsNoModels && { model });
    expect(scoreVariant(requireReport(sound[0]), run, hides)).toMatchObject({ kind: 'green' });
  });
});

describe('an unresponsive deployment', () => {
  it.each(unresponsiveDeployments)('$id: $does, so the run is open', slow, async ({ edge }) => {
    const run = await judgeThrough(edge(), target, { model, ...unresponsiveLimits });
    expect(scoreUnresponsive(run)).toEqual({ kind: 'open' });
  });
});

function requireReport(run: Run | undefined): Report {
  if (run?.kind !== 'judged') throw new Error(run?.why ?? 'The run is missing.');
  return run.report;
}
