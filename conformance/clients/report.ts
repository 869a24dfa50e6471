import { exitCodes, judgeRun, notCounted, type RunVerdict } from '../engine/report.ts';
import { suite } from '../engine/suite.ts';
import { type Outcome, outcomes } from '../types/verdict.ts';
import type { Listed } from './catalogue.ts';

/** The result of one requirement. */
export type ClientResult = Omit<Listed, 'scenario'> & {
  /** The scenario that shows it; null if the whole run does. */
  readonly scenario: string | null;
  readonly outcome: Outcome;
  readonly detail: string;
};

/** Counts and requests of one scenario. */
export type ScenarioReport = {
  readonly id: string;
  readonly gateway: string;
  /** Distinct payments that moved tokens, and distinct payments that the client sent. */
  readonly payments: number;
  readonly signatures: number;
  readonly completions: number;
  /** One for each run of the command; null if a signal ended it. */
  readonly exitCodes: readonly (number | null)[];
  readonly isOverdue: boolean;
  /** One line for each request, without signatures. */
  readonly requests: readonly string[];
  /** The end of the command's standard error. */
  readonly output: string;
};

/** The result of a run that judged a client. `report.schema.json` describes the same format; change both together. */
export type ClientReport = {
  readonly schemaVersion: 1;
  readonly suite: { readonly name: string; readonly version: string };
  readonly command: readonly string[];
  readonly startedAt: string;
  readonly durationMs: number;
  readonly deadlineSeconds: number;
  readonly silenceSeconds: number;
  readonly isInterrupted: boolean;
  /** The units that left the payer's account on the devnet. */
  readonly spentUnits: string;
  readonly verdict: RunVerdict;
  readonly exitCode: number;
  /** MUST requirements in scope that arose in the run, and those that passed. */
  readonly must: { readonly verified: number; readonly total: number };
  readonly counts: Readonly<Record<Outcome, number>>;
  readonly results: readonly ClientResult[];
  readonly scenarios: readonly ScenarioReport[];
};

type Parts = Omit<ClientReport, 'schemaVersion' | 'suite' | 'verdict' | 'exitCode' | 'must' | 'counts'>;

export function createClientReport(parts: Parts): ClientReport {
  const verdict = judgeRun(parts.results);
  const must = parts.results.filter(({ level, outcome }) => level === 'MUST' && !notCounted.has(outcome));
  const verified = must.filter(({ outcome }) => outcome === 'pass').length;
  const counts = Object.fromEntries(
    outcomes.map((each) => [each, parts.results.filter(({ outcome }) => outcome === each).length]),
  ) as Record<Outcome, number>;
  return {
    schemaVersion: 1,
    suite,
    ...parts,
    verdict,
    exitCode: exitCodes[verdict],
    must: { verified, total: must.length },
    counts,
  };
}
