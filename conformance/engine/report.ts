import { endpoints } from '@paid-inference/contract/constants';
import {
  contractTextSha256,
  type Level,
  type RequirementId,
  requirements,
} from '@paid-inference/contract/requirements';
import type { Fuzz } from '../context/context.ts';
import type { Spent } from '../payment/spending.ts';
import { type Outcome, outcomes } from '../types/verdict.ts';
import type { Profile, Scope } from './scope.ts';
import { suite } from './suite.ts';
import type { EvidenceEntry } from './transcript.ts';

/** What one check found. */
export type Result = {
  readonly requirement: RequirementId;
  readonly title: string;
  readonly level: Level;
  readonly profile: Profile;
  readonly section: string;
  readonly quote: string;
  readonly decision?: string;
  readonly outcome: Outcome;
  readonly detail: string;
  /** Numbers of the exchanges that it rests on. */
  readonly evidence: readonly number[];
  /** Why its failure was expected, where it was. */
  readonly expected?: { readonly reason: string; readonly issue?: string };
};

/** What is judged, in its maker's words. */
export type Implementation = { readonly name: string; readonly version?: string; readonly url?: string };

export type RunVerdict =
  | 'conformant'
  | 'conformant-with-warnings'
  | 'non-conformant'
  | 'incomplete'
  | 'suite-error';

/**
 * The whole of a run. Times stand at the top only, so that two runs can be compared. `report/report.schema.json` says the same
 * for other programs: what is added here is added there.
 */
export type Report = {
  readonly schemaVersion: 1;
  readonly suite: { readonly name: string; readonly version: string };
  readonly contractVersion: string;
  /** Of the contract's text. */
  readonly contractSha256: string;
  readonly implementation: Implementation | null;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly target: string;
  readonly model: string | null;
  /** Why the target answered nothing at all; null where it answered. */
  readonly unreached: string | null;
  readonly profiles: readonly Profile[];
  readonly filter: string | null;
  /** What makes the random bodies of this run come again. */
  readonly fuzz: { readonly seed: number; readonly path: string | null };
  /** Somebody ended the run before it was through. */
  readonly isInterrupted: boolean;
  /** Of the whole run. */
  readonly deadlineSeconds: number;
  /** The run was not through by then; what it did not look at is inconclusive. */
  readonly isOverdue: boolean;
  /** All that were sent, of which a burst keeps the last exchange only. */
  readonly requests: number;
  /** In the token's smallest unit, as decimal strings. */
  readonly caps: { readonly perRequestUnits: string; readonly totalUnits: string } | null;
  readonly spent: {
    readonly signedUnits: string;
    readonly settledUnits: string;
    /** How many were signed, and how many of them were answered with 200. */
    readonly payments: number;
    readonly settledPayments: number;
    /** Nonces of payments of which nobody can say what became of them. */
    readonly unresolved: readonly string[];
    /** Where every signed value was written down before it was signed; null where nothing could be signed. */
    readonly journal: string | null;
  };
  readonly verdict: RunVerdict;
  readonly exitCode: number;
  readonly strict: boolean;
  readonly allowIncomplete: boolean;
  /** Stale is what passes by now, open what this run did not judge to its end. */
  readonly expectedFailures: readonly (ExpectedFailure & {
    readonly state: 'failing' | 'stale' | 'open';
  })[];
  /** MUST requirements that arose in scope, and those of them of which every check passed. */
  readonly must: { readonly verified: number; readonly total: number };
  /** Checks by outcome, of which a requirement may have several: what is printed counts requirements. */
  readonly counts: Readonly<Record<Outcome, number>>;
  readonly results: readonly Result[];
  readonly exchanges: readonly EvidenceEntry[];
};

/** Exit code of a run that judged nothing: usage, configuration, no gateway, or a target that gave no response at all (D-153). */
export const usageExitCode = 2;

/** Exit codes of a run that judged something. */
export const exitCodes = {
  conformant: 0,
  'conformant-with-warnings': 0,
  'non-conformant': 1,
  incomplete: 3,
  'suite-error': 4,
} as const satisfies Record<RunVerdict, number>;

export type ReportParts = Pick<
  Report,
  | 'startedAt'
  | 'durationMs'
  | 'target'
  | 'caps'
  | 'results'
  | 'exchanges'
  | 'isInterrupted'
  | 'deadlineSeconds'
  | 'isOverdue'
  | 'requests'
> & {
  readonly model: string | undefined;
  readonly unreached: string | undefined;
  readonly implementation: Implementation | undefined;
  readonly scope: Scope;
  readonly spent: Spent;
  readonly journal: string | null;
  readonly fuzz: Fuzz;
};

export function createReport({
  scope,
  spent,
  journal,
  fuzz,
  model,
  unreached,
  implementation,
  ...parts
}: ReportParts): Report {
  const verdict = verdictOf(parts.results);
  return {
    schemaVersion: 1,
    suite,
    contractVersion: endpoints.createChatCompletion.path.split('/')[1] ?? '',
    contractSha256: contractTextSha256,
    implementation: implementation ?? null,
    startedAt: parts.startedAt,
    durationMs: parts.durationMs,
    target: parts.target,
    model: model ?? null,
    unreached: unreached ?? null,
    profiles: scope.profiles,
    filter: scope.filter ?? null,
    fuzz: { seed: fuzz.seed, path: fuzz.path ?? null },
    isInterrupted: parts.isInterrupted,
    deadlineSeconds: parts.deadlineSeconds,
    isOverdue: parts.isOverdue,
    requests: parts.requests,
    caps: parts.caps,
    spent: {
      signedUnits: spent.signedUnits.toString(),
      settledUnits: spent.settledUnits.toString(),
      payments: spent.payments,
      settledPayments: spent.settledPayments,
      unresolved: spent.unresolved,
      journal,
    },
    verdict,
    exitCode: isUnreached({ ...parts, unreached: unreached ?? null }) ? usageExitCode : exitCodes[verdict],
    strict: false,
    allowIncomplete: false,
    expectedFailures: [],
    must: countMust(parts.results),
    counts: countOutcomes(parts.results),
    results: parts.results,
    exchanges: parts.exchanges,
  };
}

/** Whether the target gave no response at all, and nobody and no deadline ended the run before it could. */
export function isUnreached({
  unreached,
  exchanges,
  isInterrupted,
  isOverdue,
}: Pick<Report, 'unreached' | 'exchanges' | 'isInterrupted' | 'isOverdue'>): boolean {
  const isCutOff = isInterrupted || isOverdue;
  return unreached !== null && !isCutOff && exchanges.every(({ answer }) => answer === undefined);
}

/**
 * A fault of the suite casts doubt on all else, a failed MUST outweighs what is open, and open is never green: neither is a run that
 * verified no MUST at all.
 */
export function verdictOf(results: readonly Pick<Result, 'outcome' | 'level'>[]): RunVerdict {
  const has = (outcome: Outcome) => results.some((result) => result.outcome === outcome);
  if (has('error')) return 'suite-error';
  if (has('fail')) return 'non-conformant';
  const must = results.filter((result) => result.level === 'MUST' && result.outcome !== 'disabled');
  const isVacuous = !must.some((result) => result.outcome === 'pass');
  if (isVacuous || must.some((result) => result.outcome === 'inconclusive')) return 'incomplete';
  return has('warn') ? 'conformant-with-warnings' : 'conformant';
}

/** What is out of scope, and what the deployment declares that it does not do, counts neither for nor against it. */
const notCounted: ReadonlySet<Outcome> = new Set<Outcome>(['disabled', 'not-applicable']);

function countMust(results: readonly Result[]): { verified: number; total: number } {
  const verified = new Map<RequirementId, boolean>();
  for (const { requirement, outcome } of results) {
    if (requirements[requirement].level !== 'MUST' || notCounted.has(outcome)) continue;
    verified.set(requirement, (verified.get(requirement) ?? true) && outcome === 'pass');
  }
  return { verified: [...verified.values()].filter(Boolean).length, total: verified.size };
}

function countOutcomes(results: readonly Result[]): Record<Outcome, number> {
  const counts = Object.fromEntries(outcomes.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
  for (const { outcome } of results) counts[outcome] += 1;
  return counts;
}

/** A failure that is known, and why it is let be. */
export type ExpectedFailure = {
  readonly requirement: RequirementId;
  readonly reason: string;
  /** Where it is followed up. */
  readonly issue?: string;
  /** Where it is listed. */
  readonly line?: number;
};

/** What the caller makes of a report. It changes the exit code and never the verdict (D-105). */
export type Policy = {
  /** A warning counts as a failure. */
  readonly strict?: boolean;
  /** An incomplete run ends with 0, where it verified at least one MUST. */
  readonly allowIncomplete?: boolean;
  readonly expectedFailures?: readonly ExpectedFailure[];
};
