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

let sound: Promise<Run> | undefined;

/** The run on the unchanged target. The test files of one worker share it. */
export function soundRun(): Promise<Run> {
  sound ??= judgeThrough({}, target);
  return sound;
}

/** The report of a run. Throws where the run ended without one. */
export function requireReport(run: Run): Report {
  if (run.kind !== 'judged') throw new Error(run.why);
  return run.report;
}

/** Judges a mutant of the target and scores it against the report on the unchanged target. */
export async function judgeMutant({ edge, kills }: Mutant) {
  return scoreMutant(requireReport(await soundRun()), await judgeThrough(edge(), target), kills);
}

/** One mutant of each family with these tags. */
export function selectMutants(tags: readonly string[]): readonly Mutant[] {
  return tags.flatMap(selectMutant);
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
