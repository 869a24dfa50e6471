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

/** The result of one check. */
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
  /** Numbers of the exchanges that support the outcome. */
  readonly evidence: readonly number[];
  /** The reason why the failure was expected, if it was. */
  readonly expected?: { readonly reason: string; readonly issue?: string };
};

/** The judged deployment, as the caller named it. */
export type Implementation = { readonly name: string; readonly version?: string; readonly url?: string };

export type RunVerdict =
  | 'conformant'
  | 'conformant-with-warnings'
  | 'non-conformant'
  | 'incomplete'
  | 'suite-error';

/**
 * The result of a run. Only the top level has times, so that two reports can be compared.
 * `report/report.schema.json` describes the same format; change both together.
 */
export type Report = {
  readonly schemaVersion: 1;
  readonly suite: { readonly name: string; readonly version: string };
  readonly contractVersion: string;
  /** SHA-256 of the contract's text. */
  readonly contractSha256: string;
  readonly implementation: Implementation | null;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly target: string;
  readonly model: string | null;
  /** The reason why the target gave no response at all; null if it gave one. */
  readonly unreached: string | null;
  readonly profiles: readonly Profile[];
  readonly filter: string | null;
  /** Seed and path that reproduce the random bodies of this run. */
  readonly fuzz: { readonly seed: number; readonly path: string | null };
  /** Whether a signal ended the run early. */
  readonly isInterrupted: boolean;
  /** Deadline of the whole run. */
  readonly deadlineSeconds: number;
  /** Whether the deadline ended the run; checks that had not ended are inconclusive. */
  readonly isOverdue: boolean;
  /** Number of requests sent. The exchanges contain only the last one of a burst. */
  readonly requests: number;
  /** In the token's smallest unit, as decimal strings. */
  readonly caps: { readonly perRequestUnits: string; readonly totalUnits: string } | null;
  readonly spent: {
    readonly signedUnits: string;
    readonly settledUnits: string;
    /** Number of signed payments, and of those that got status 200. */
    readonly payments: number;
    readonly settledPayments: number;
    /** Nonces of payments with an unknown end. */
    readonly unresolved: readonly string[];
    /** The file that records each payment before it is signed; null if nothing could be signed. */
    readonly journal: string | null;
  };
  readonly verdict: RunVerdict;
  readonly exitCode: number;
  readonly strict: boolean;
  readonly allowIncomplete: boolean;
  /** `stale`: the requirement passes now. `open`: the run did not judge all its checks. */
  readonly expectedFailures: readonly (ExpectedFailure & {
    readonly state: 'failing' | 'stale' | 'open';
  })[];
  /** MUST requirements in scope that arose in the run, and those whose checks all passed. */
  readonly must: { readonly verified: number; readonly total: number };
  /**
   * Number of checks by outcome. A requirement may have several checks; the printed summary counts
   * requirements.
   */
  readonly counts: Readonly<Record<Outcome, number>>;
  readonly results: readonly Result[];
  readonly exchanges: readonly EvidenceEntry[];
};

/**
 * Exit code of a run that judged nothing: usage fault, configuration fault, no gateway, or no response at all
 * (D-153).
 */
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
  const verdict = judgeRun(parts.results);
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

/** Whether the target gave no response at all, although neither a signal nor the deadline ended the run. */
export function isUnreached({
  unreached,
  exchanges,
  isInterrupted,
  isOverdue,
}: Pick<Report, 'unreached' | 'exchanges' | 'isInterrupted' | 'isOverdue'>): boolean {
  const isCutOff = isInterrupted || isOverdue;
  return unreached !== null && !isCutOff && exchanges.every(({ response }) => response === undefined);
}

/**
 * The verdict of a run. An error of the suite outranks a failed MUST, and a failed MUST outranks an
 * inconclusive one. A run with an inconclusive MUST, or without any verified MUST, is incomplete.
 */
export function judgeRun(results: readonly Pick<Result, 'outcome' | 'level'>[]): RunVerdict {
  const has = (outcome: Outcome) => results.some((result) => result.outcome === outcome);
  if (has('error')) return 'suite-error';
  if (has('fail')) return 'non-conformant';
  const must = results.filter((result) => result.level === 'MUST' && result.outcome !== 'disabled');
  const isVacuous = !must.some((result) => result.outcome === 'pass');
  if (isVacuous || must.some((result) => result.outcome === 'inconclusive')) return 'incomplete';
  return has('warn') ? 'conformant-with-warnings' : 'conformant';
}

/** Requirements that are out of scope or that the deployment does not support are not counted. */
export const notCounted: ReadonlySet<Outcome> = new Set<Outcome>(['disabled', 'not-applicable']);

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

/** A known failure and the reason why it is tolerated. */
export type ExpectedFailure = {
  readonly requirement: RequirementId;
  readonly reason: string;
  /** The issue that tracks the failure. */
  readonly issue?: string;
  /** Its line in the list. */
  readonly line?: number;
};

/** The caller's options for a report. They change the exit code and never the verdict (D-105). */
export type Policy = {
  /** Warnings count as failures. */
  readonly strict?: boolean;
  /** An incomplete run that verified at least one MUST ends with 0. */
  readonly allowIncomplete?: boolean;
  readonly expectedFailures?: readonly ExpectedFailure[];
};
