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

// `npm run test:mutants` judges all of them, made of the reference gateway; here it is some of each kind, of the second.
const someMutants = mutants.filter(
  (mutant, index) => index % 8 === 0 && mutant.seenWith === undefined && !ofManyModels.includes(mutant),
);
const someVariants = legalVariants.filter(({ hides }, index) => index % 5 === 0 || hides !== undefined);

const target = independentTarget();
const model = 'alder/alder-mini';
// Measured at 22 s on two cores with a load of twelve.
const patience = { timeout: 180_000 };
let sound: readonly Run[];

beforeAll(async () => {
  sound = [await judgeThrough({}, target), await judgeThrough({}, target), await judgeThrough({}, target)];
}, 120_000);

describe('the independent implementation', () => {
  it('is fully green, three times with one report', () => {
    expect(sound.map(soundnessFault)).toEqual([undefined, undefined, undefined]);
    const [first, ...others] = sound.map((run) => comparable(reportOf(run)));
    for (const other of others) expect(other).toEqual(first);
  });

  it('is found dead where it answers 418 to everything', patience, async () => {
    const run = await judgeThrough({ answer: (reply) => ({ ...reply, status: 418 }) }, target, { model });
    expect(reportOf(run).exitCode).toBe(1);
    expect(findBrokenRequirements(reportOf(run))).toContain('unpaid.chat.402');
  });
});

describe('a gateway that breaks the contract', () => {
  it.each(someMutants)('$id: $does', patience, async ({ edge, kills }) => {
    const score = scoreMutant(reportOf(sound[0]), await judgeThrough(edge(), target), kills);
    expect(score).toMatchObject({ kind: 'strong', found: [...kills].sort() });
  });
});

describe('a gateway that does otherwise what the contract leaves open', () => {
  it.each(someVariants)('$id: $does', patience, async ({ edge, hides, listsNoModels }) => {
    const run = await judgeThrough(edge(), target, listsNoModels && { model });
    expect(scoreVariant(reportOf(sound[0]), run, hides)).toMatchObject({ kind: 'green' });
  });
});

describe('a deployment that gives no answers', () => {
  it.each(unresponsiveDeployments)(
    '$id: nothing is held against it, and nothing found right',
    patience,
    async ({ edge }) => {
      const run = await judgeThrough(edge(), target, { model, ...unresponsiveLimits });
      expect(scoreUnresponsive(run)).toEqual({ kind: 'open' });
    },
  );
});

function reportOf(run: Run | undefined): Report {
  if (run?.kind !== 'judged') throw new Error(run?.why ?? 'there was no run');
  return run.report;
}
