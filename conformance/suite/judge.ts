import { checks as allChecks } from '../checks/all.ts';
import type { Check } from '../context/check.ts';
import { type Judged, type JudgeOptions, judgeBy } from '../engine/judge.ts';

export type SuiteOptions = JudgeOptions & {
  /** Replaces all checks of the suite, to test the engine. */
  readonly checks?: readonly Check[];
};

/** Judges a deployment by every check of the suite; see `judgeBy`. */
export function judge({ checks = allChecks, ...options }: SuiteOptions): Promise<Judged> {
  return judgeBy(checks, options);
}
