import { beforeAll, describe, expect, it } from 'vitest';
import type { Report } from '../index.ts';
import { mutantFamilies } from '../mutants/all.ts';
import type { Mutant } from '../mutants/mutant.ts';
import { judgeThrough, type Run } from '../mutants/run.ts';
import { scoreMutant } from '../mutants/score.ts';
import { independentTarget } from '../mutants/target.ts';

/** The independent implementation: `npm run test:mutants` runs the whole matrix on the reference gateway. */
export const target = independentTarget();

/** One run took 22 s on two cores with a load of twelve. */
export const runTimeout = { timeout: 180_000 };

/** The report of a run. Throws where the run ended without one. */
export function requireReport(run: Run | undefined): Report {
  if (run?.kind !== 'judged') throw new Error(run?.why ?? 'there was no run');
  return run.report;
}

/** Declares one test for a mutant of each named family: the suite must find exactly the requirements that the mutant breaks. */
export function testMutantsOf(tags: readonly string[]): void {
  let sound: Run | undefined;
  beforeAll(async () => {
    sound = await judgeThrough({}, target);
  }, 120_000);

  describe('the suite finds exactly the requirements that a mutant breaks', () => {
    it.each(tags.flatMap(selectMutant))('$id: $does', runTimeout, async ({ edge, kills }) => {
      const score = scoreMutant(requireReport(sound), await judgeThrough(edge(), target), kills);
      expect(score).toMatchObject({ kind: 'strong', found: [...kills].sort() });
    });
  });
}

/** Tags of the families of mutants: even or odd ones, so that two files share them. */
export function selectTags(parity: 0 | 1): readonly string[] {
  return Object.keys(mutantFamilies).filter((_, index) => index % 2 === parity);
}

/** The middle mutant of a family that a plain run shows; none where a family needs nodes or limits. */
function selectMutant(tag: string): readonly Mutant[] {
  const plain = (mutantFamilies[tag] ?? []).filter(({ seenWith }) => seenWith === undefined);
  return plain.slice(Math.floor(plain.length / 2)).slice(0, 1);
}
