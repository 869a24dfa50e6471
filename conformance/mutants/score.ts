import type { RequirementId } from '@paid-inference/contract/requirements';
import { isUnreached } from '../engine/report.ts';
import type { Report } from '../index.ts';
import { findWitness, type Witness } from './comparable.ts';
import type { Run } from './run.ts';

/** The result of a mutant: the declared requirements failed, others did, none did, or the run is invalid. */
export type MutantScore =
  | {
      readonly kind: 'strong' | 'weak' | 'survivor';
      readonly found: readonly RequirementId[];
      readonly witness: Witness;
    }
  | Unscored;

/** The result of a legal variant. A green run has no failure. It is incomplete only with `hides`. */
export type VariantScore =
  | { readonly kind: 'green'; readonly witness: Witness }
  | { readonly kind: 'false-positive'; readonly why: string; readonly witness: Witness }
  | Unscored;

/** The result of an unresponsive deployment. */
export type UnresponsiveScore =
  | { readonly kind: 'open' }
  | { readonly kind: 'judged'; readonly why: string }
  | Unscored;

type Unscored = { readonly kind: 'not-applied' } | { readonly kind: 'broken'; readonly why: string };

/** Whether a result is as expected: an exact kill, a green legal variant, or an open verdict. */
export function isAsItShould({ kind }: MutantScore | VariantScore | UnresponsiveScore): boolean {
  return kind === 'strong' || kind === 'green' || kind === 'open';
}

/** Random checks may find other faults by chance. Their failures count only for mutants that declare them. */
const atRandom = 'robustness.';

export function scoreMutant(sound: Report, run: Run, kills: readonly RequirementId[]): MutantScore {
  if (run.kind === 'broken') return run;
  const witness = findWitness(sound, run.report);
  if (!witness) return { kind: 'not-applied' };
  const found = findBrokenRequirements(run.report).filter(
    (id) => !id.startsWith(atRandom) || kills.includes(id),
  );
  const isExact = found.length === kills.length && kills.every((id) => found.includes(id));
  return { kind: isExact ? 'strong' : found.length > 0 ? 'weak' : 'survivor', found, witness };
}

export function scoreVariant(sound: Report, run: Run, hides: string | undefined): VariantScore {
  if (run.kind === 'broken') return run;
  const witness = findWitness(sound, run.report);
  if (!witness) return { kind: 'not-applied' };
  const { exitCode } = run.report;
  const broken = findBrokenRequirements(run.report);
  if (broken.length > 0) {
    return { kind: 'false-positive', why: `failed requirements: ${broken.join(', ')}`, witness };
  }
  if (exitCode === (hides === undefined ? 0 : 3)) return { kind: 'green', witness };
  const why =
    hides === undefined
      ? `incomplete: ${openIn(run.report)}`
      : 'the run is complete, although the variant has `hides`';
  return { kind: 'false-positive', why, witness };
}

export function scoreUnresponsive(run: Run): UnresponsiveScore {
  if (run.kind === 'broken') return run;
  const { results, exitCode, verdict } = run.report;
  const failed = results.find(({ outcome }) => outcome === 'fail');
  if (failed) return { kind: 'judged', why: `failed: ${failed.requirement}` };
  const passed = results.find(({ outcome }) => outcome === 'pass');
  if (passed) return { kind: 'judged', why: `passed: ${passed.requirement}` };
  // A run is open if no response came at all, or if it is incomplete.
  const isOpen = isUnreached(run.report) || exitCode === 3;
  return isOpen ? { kind: 'open' } : { kind: 'judged', why: `the verdict is ${verdict}` };
}

/** The reason why a run of a sound gateway is not green; undefined if it is. */
export function soundnessFault(run: Run): string | undefined {
  if (run.kind === 'broken') return run.why;
  const { report } = run;
  const broken = findBrokenRequirements(report);
  if (broken.length > 0) return `failed requirements: ${broken.join(', ')}`;
  return report.exitCode === 0 ? undefined : `incomplete: ${openIn(report)}`;
}

/** Requirements that failed or warned in a run, each once, sorted. */
export function findBrokenRequirements({ results }: Report): readonly RequirementId[] {
  const bad = results.filter(({ outcome }) => outcome === 'fail' || outcome === 'warn');
  return [...new Set(bad.map(({ requirement }) => requirement))].sort();
}

function openIn({ results }: Report): string {
  const open = results.filter(({ level, outcome }) => level === 'MUST' && outcome === 'inconclusive');
  return [...new Set(open.map(({ requirement }) => requirement))].join(', ');
}
