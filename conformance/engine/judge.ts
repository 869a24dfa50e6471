import { setTimeout as delay } from 'node:timers/promises';
import { type RequirementId, requirements } from '@paid-inference/contract/requirements';
import { nodesFault, openNodes } from '../chain/nodes.ts';
import type { Check } from '../context/check.ts';
import { createContext, type Reported, type Run } from '../context/context.ts';
import { type Budget, createBudget, type Funded } from '../payment/budget.ts';
import { fundedFault } from '../payment/funded-fault.ts';
import type { Caps } from '../payment/spending.ts';
import { createThrowaway } from '../payment/throwaway.ts';
import { transientStatuses } from '../sources/judgements.ts';
import { found } from '../types/found.ts';
import { type Graded, grade, type Verdict } from '../types/verdict.ts';
import { isLoopback } from '../wire/origin.ts';
import { readRetryAfter } from '../wire/retry-after.ts';
import { createSecrets, type Secrets } from '../wire/secrets.ts';
import { createSession, type Session, type SessionLimits } from '../wire/session.ts';
import { describeEnd } from '../wire/wire.ts';
import { discoverModels } from './discover.ts';
import { firstSold, modelFault } from './model-fault.ts';
import { createReport, type Implementation, type Report, type Result } from './report.ts';
import { countRequestsMax, emptyScopeFault, inScope, profilesJudged, type Scope } from './scope.ts';
import { userAgent } from './suite.ts';
import { writeDown } from './transcript.ts';

export type JudgeOptions = Scope & {
  readonly targetUrl: string;
  /** The model of every request; discovered if absent. */
  readonly model?: string;
  /** The profile `paid` needs it; other profiles do not use it. */
  readonly funded?: Funded;
  /** Confirms that the caller may exhaust the target's rate limit; the profile `limits` needs it. */
  readonly isOwnTarget?: boolean;
  /** RPC endpoints for the checks of payments and proofs, in the profile `paid`. */
  readonly chainRpcUrl?: string;
  readonly ledgerRpcUrl?: string;
  readonly timeoutMs?: number;
  /**
   * Deadline of the whole run; default `deadlineSecondsDefault`. Checks that have not ended by then are
   * inconclusive.
   */
  readonly deadlineSeconds?: number;
  readonly implementation?: Implementation;
  /** Highest number of requests per second; default `rateDefault`, unlimited for a target on this machine. */
  readonly requestsPerSecondMax?: number;
  /** Seed of the random bodies; default `fuzzSeedDefault`, so that two runs send the same bodies. */
  readonly fuzzSeed?: number;
  /** Sends one random body only: the path that an earlier run printed. */
  readonly fuzzPath?: string;
  /**
   * Ends the run early. Open requests are aborted, and the report names the requirements that could not be
   * exercised.
   */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** Called after each check in scope. */
  readonly onOutcome?: (ended: Pick<Result, 'requirement' | 'section' | 'outcome'>) => void;
  readonly clock?: () => Date;
  readonly sleep?: (seconds: number) => Promise<void>;
};

export type Progress = { readonly requirement: RequirementId; readonly done: number; readonly total: number };

/** A report, or the fault that the caller has to correct. */
export type Judged =
  | { readonly ok: true; readonly report: Report }
  | { readonly ok: false; readonly usage: string };

/** The usage fault of the profile `limits` without the caller's confirmation. */
export const limitsFault =
  'the profile limits exhausts the rate limit of the target, perhaps for all its users. Add --i-own-this-target if you may do that';
export const timeoutMsDefault = 30_000;
/**
 * Deadline of a whole run with any profiles. Without it, a target that sends `Retry-After` each time could hold
 * the run for hours (D-127).
 */
export const deadlineSecondsDefault = 600;
/** Requests per second to a deployment on another machine. */
export const rateDefault = 4;
export const fuzzSeedDefault = 84_532;
const answerBytesMax = 2_000_000;
const detailCharactersMax = 400;

/**
 * Judges a deployment from outside by the given checks. It uses only the HTTP interface of the deployment, and
 * signs payments with the funded key only within the caps. An unreachable target gives an incomplete report.
 */
export async function judgeBy(checks: readonly Check[], options: JudgeOptions): Promise<Judged> {
  const { targetUrl, funded, clock = () => new Date() } = options;
  const optionsFault = findFault(options);
  if (optionsFault !== undefined) return { ok: false, usage: optionsFault };
  const startedAt = clock();
  const secrets = createSecrets();
  const nowSeconds = () => Math.floor(clock().getTime() / 1000);
  const { timeoutMs = timeoutMsDefault, deadlineSeconds = deadlineSecondsDefault } = options;
  const deadline = AbortSignal.timeout(deadlineSeconds * 1000);
  const signal = AbortSignal.any([...(options.signal ? [options.signal] : []), deadline]);
  const nodes = openNodes(options, { timeoutMs, answerBytesMax }, signal);
  const nodeFault = options.profiles.includes('paid') ? await nodesFault(nodes) : undefined;
  if (nodeFault !== undefined && !signal.aborted) return { ok: false, usage: nodeFault };
  const { sleep = sleepUntil(signal) } = options;
  const session = createSession(chooseLimits(options, timeoutMs), {
    nowMs: () => clock().getTime(),
    sleep,
    signal,
  });
  const fuzz = { seed: options.fuzzSeed ?? fuzzSeedDefault, path: options.fuzzPath };
  const budget =
    options.profiles.includes('paid') && funded ? createBudget(funded, targetUrl, secrets) : undefined;

  const models =
    options.model === undefined
      ? await discoverModels(session, { url: targetUrl, userAgent }, isFreeAlone(options))
      : found([options.model]);
  const unreachedBefore = unreachedCause(session) ?? (models.ok ? undefined : refusedCause(session));
  if (!models.ok && unreachedBefore === undefined && !signal.aborted) {
    return { ok: false, usage: `no model to ask for: ${models.verdict.reason}` };
  }
  const reported: Reported[] = [];
  const throwaway = createThrowaway(secrets);
  const common = {
    targetUrl,
    nowSeconds,
    throwaway,
    budget,
    fuzz,
    nodes,
    sleep,
    session,
    userAgent,
    reported,
  };
  const runs = (models.ok ? models.value : []).map((model) => ({ ...common, model, shared: new Map() }));
  const isAnyInScope = checks.some(({ requirement }) => inScope(options, requirement));
  const run = isAnyInScope ? await firstSold(runs) : runs[0];
  const fault = run && isAnyInScope ? await modelFault(run) : undefined;
  if (fault !== undefined) return { ok: false, usage: fault };
  const unreached = unreachedBefore ?? unreachedCause(session);
  const results =
    run && unreached === undefined
      ? await runAll(checks, options, run, reported)
      : checks.map((check) => createResult(check, options, unreachable(unreached ?? describeEnd(signal))));
  const report = createReport({
    startedAt: startedAt.toISOString(),
    durationMs: clock().getTime() - startedAt.getTime(),
    target: targetUrl,
    model: run?.model,
    unreached,
    implementation: options.implementation,
    scope: { profiles: profilesJudged(options), filter: options.filter },
    caps: budget && funded ? capsWritten(funded.caps) : null,
    spent: readSpent(budget),
    journal: budget && funded ? funded.journal.place : null,
    isInterrupted: options.signal?.aborted ?? false,
    deadlineSeconds,
    isOverdue: deadline.aborted,
    requests: session.requests(),
    fuzz,
    results: results.map((result) => redacted(result, secrets)),
    exchanges: writeTranscript(session, secrets),
  });
  return { ok: true, report };
}

/** The fault that the caller has to correct before the suite sends anything. */
function findFault(options: JudgeOptions): string | undefined {
  const { profiles, funded, isOwnTarget } = options;
  if (profiles.includes('paid') && !funded) return 'the profile paid needs a funded key and its caps';
  const unfit = funded === undefined ? undefined : fundedFault(funded);
  if (unfit !== undefined) return unfit;
  return profiles.includes('limits') && !isOwnTarget ? limitsFault : emptyScopeFault(options);
}

/** Without payments, requests need no model that the target really has. */
function isFreeAlone({ profiles }: Scope): boolean {
  return profiles.every((profile) => profile === 'free');
}

function chooseLimits(options: JudgeOptions, timeoutMs: number): SessionLimits {
  const [requestsMax, requestsPerSecondMax] = [countRequestsMax(options), chooseRate(options)];
  return { timeoutMs, answerBytesMax, requestsMax, requestsPerSecondMax };
}

/**
 * Highest number of requests per second; undefined (unlimited) for a target on this machine without a given
 * rate.
 */
export function chooseRate(
  options: Pick<JudgeOptions, 'targetUrl' | 'requestsPerSecondMax'>,
): number | undefined {
  return options.requestsPerSecondMax ?? (isLoopback(options.targetUrl) ? undefined : rateDefault);
}

function sleepUntil(signal: AbortSignal) {
  return (seconds: number) => delay(seconds * 1000, undefined, { signal }).catch(() => undefined);
}

function unreachable(cause: string): Graded {
  return { outcome: 'inconclusive', detail: `the suite could not reach the target: ${cause}` };
}

/** The cause when no request so far got a response; undefined when one did, or when nothing was sent. */
function unreachedCause({ exchanges }: Session): string | undefined {
  const causes = exchanges.flatMap(({ outcome }) => (outcome.kind === 'failure' ? [outcome.reason] : []));
  return causes.length === exchanges.length ? causes[0] : undefined;
}

/** Describes a transient refusal of the list of models, otherwise undefined. */
function refusedCause({ exchanges }: Session): string | undefined {
  const last = exchanges.at(-1);
  if (last?.outcome.kind !== 'answer' || !transientStatuses.has(last.outcome.status)) return undefined;
  const { method, url } = last.request;
  const { status, headers } = last.outcome;
  return `${method} ${new URL(url).pathname} returned ${status}${readRetryAfter(headers)}. Try again later, or name a model with --model`;
}

/** Runs the checks one after the other. Closing checks, which read the transcript, run last. */
async function runAll(
  checks: readonly Check[],
  options: JudgeOptions,
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

function redacted(result: Result, secrets: Secrets): Result {
  return { ...result, detail: secrets.redact(result.detail, detailCharactersMax) };
}

function writeTranscript(session: Session, secrets: Secrets): Report['exchanges'] {
  return session.exchanges.map((exchange) => writeDown(exchange, secrets));
}

function capsWritten({ perRequestUnits, totalUnits }: Caps): Report['caps'] {
  return { perRequestUnits: perRequestUnits.toString(), totalUnits: totalUnits.toString() };
}

function readSpent(budget: Budget | undefined) {
  return (
    budget?.spent() ?? { signedUnits: 0n, settledUnits: 0n, payments: 0, settledPayments: 0, unresolved: [] }
  );
}
