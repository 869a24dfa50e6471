import { type RequirementId, requirements } from '@paid-inference/contract/requirements';
import type { Check } from '../context/check.ts';
import { createContext, type Reported, type Run } from '../context/context.ts';
import { type Graded, grade, type Verdict } from '../types/verdict.ts';
import type { Result } from './report.ts';
import { inScope, type Scope } from './scope.ts';

export type Progress = { readonly requirement: RequirementId; readonly done: number; readonly total: number };

/** The functions that hear of each check. */
export type Listeners = {
  readonly onProgress?: (progress: Progress) => void;
  /** Called after each check in scope. */
  readonly onOutcome?: (ended: Pick<Result, 'requirement' | 'section' | 'outcome'>) => void;
};

/** Runs the checks in scope one after the other. Closing checks, which read the transcript, run last. */
export async function runChecks(
  checks: readonly Check[],
  options: Scope & Listeners,
  run: Run,
  reported: Reported[],
): Promise<Result[]> {
  const results = new Map<Check, Result>();
  const inOrder = [...checks].sort((a, b) => Number(a.closing) - Number(b.closing));
  const total = checks.filter((check) => inScope(options, check.requirement)).length;
  let done = 0;
  for (const check of inOrder) {
    if (!inScope(options, check.requirement)) continue;
    options.onProgress?.({ requirement: check.requirement, done, total });
    const evidence = new Set<number>();
    const graded = await runOne(check, run, evidence);
    const result = createResult(check, options, graded, evidence);
    const { requirement, section, outcome } = result;
    const isBroken = outcome === 'fail' || outcome === 'warn';
    if (isBroken && !check.closing) reported.push({ requirement, exchanges: evidence });
    options.onOutcome?.({ requirement, section, outcome });
    results.set(check, result);
    done += 1;
  }
  return checks.map((check) => results.get(check) ?? createResult(check, options, outOfScope));
}

/** The results of a run that did not reach the target. */
export function listUnreached(checks: readonly Check[], scope: Scope, cause: string): Result[] {
  const unreached: Graded = {
    outcome: 'inconclusive',
    detail: `the suite could not reach the target: ${cause}`,
  };
  return checks.map((check) => createResult(check, scope, unreached));
}

const outOfScope: Graded = { outcome: 'disabled', detail: '' };

async function runOne(check: Check, run: Run, evidence: Set<number>): Promise<Graded> {
  let verdict: Verdict;
  try {
    verdict = await check.run(createContext(run, check.requirement, evidence));
  } catch (error) {
    // Every behaviour of a target leads to a verdict, so an exception is a fault of this suite.
    return {
      outcome: 'error',
      detail: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    };
  }
  return grade(requirements[check.requirement].level, verdict);
}

function createResult(
  { requirement, title }: Pick<Check, 'requirement' | 'title'>,
  scope: Scope,
  graded: Graded,
  evidence: ReadonlySet<number> = new Set(),
): Result {
  const { level, profile, section, quote, ...more } = requirements[requirement];
  return {
    requirement,
    title,
    level,
    profile,
    section,
    quote,
    ...('decision' in more && { decision: more.decision }),
    ...(inScope(scope, requirement) ? graded : outOfScope),
    evidence: [...evidence].sort((a, b) => a - b),
  };
}
