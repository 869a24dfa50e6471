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
import { endOf } from '../wire/wire.ts';
import { discoverModels } from './discover.ts';
import { firstSold, modelFault } from './model-fault.ts';
import { createReport, type Implementation, type Report, type Result } from './report.ts';
import { emptyScopeFault, inScope, profilesJudged, requestsMaxOf, type Scope } from './scope.ts';
import { userAgent } from './suite.ts';
import { writeDown } from './transcript.ts';

export type JudgeOptions = Scope & {
  readonly targetUrl: string;
  /** Asked for in every request; found at the target where it is left out. */
  readonly model?: string;
  /** Needed by the profile `paid`, and used by no other. */
  readonly funded?: Funded;
  /** Said by whoever may provoke the target's rate limit; needed by the profile `limits`. */
  readonly isOwnTarget?: boolean;
  /** Of nodes that show what became of payments and proofs, in the profile `paid`. */
  readonly chainRpcUrl?: string;
  readonly ledgerRpcUrl?: string;
  readonly timeoutMs?: number;
  /** Of the whole run; `deadlineSecondsDefault` where it is left out. What it cuts off is inconclusive. */
  readonly deadlineSeconds?: number;
  readonly implementation?: Implementation;
  /** Requests a second at most; where it is left out, `rateDefault`, and none on this machine. */
  readonly requestsPerSecondMax?: number;
  /** Seed of the random bodies; `fuzzSeedDefault` where it is left out, so that two runs send the same. */
  readonly fuzzSeed?: number;
  /** One random body instead of many: the path that an earlier run has printed. */
  readonly fuzzPath?: string;
  /** Ends the run early. What is under way is given up, and the report says what could not be exercised. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** Called after each check in scope. */
  readonly onOutcome?: (ended: Pick<Result, 'requirement' | 'section' | 'outcome'>) => void;
  readonly clock?: () => Date;
  readonly sleep?: (seconds: number) => Promise<void>;
};

export type Progress = { readonly requirement: RequirementId; readonly done: number; readonly total: number };

/** A report, or what the caller has to change. */
export type Judged =
  | { readonly ok: true; readonly report: Report }
  | { readonly ok: false; readonly usage: string };

/** What to change in a run of the profile `limits` that nobody answers for. */
export const limitsFault =
  'the profile limits provokes the rate limit of a target, for everybody who uses it: add --i-own-this-target if it is yours';
export const timeoutMsDefault = 30_000;
/** Of a whole run, whatever its profiles: a target that asks for patience every time could hold it for hours (D-127). */
export const deadlineSecondsDefault = 600;
/** Requests a second to somebody else's deployment. */
export const rateDefault = 4;
export const fuzzSeedDefault = 84_532;
const answerBytesMax = 2_000_000;
const detailCharactersMax = 400;

/**
 * Judges a deployment from outside by the given checks. Nothing is asked of it but its HTTP interface, and nothing is signed with the funded
 * key beyond its caps. A target that cannot be reached gives an incomplete report.
 */
export async function judgeBy(checks: readonly Check[], options: JudgeOptions): Promise<Judged> {
  const { targetUrl, funded, clock = () => new Date() } = options;
  const optionsFault = faultOf(options);
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
  const session = createSession(limitsOf(options, timeoutMs), {
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
      : checks.map((check) => resultOf(check, options, unreachable(unreached ?? endOf(signal))));
  const report = createReport({
    startedAt: startedAt.toISOString(),
    durationMs: clock().getTime() - startedAt.getTime(),
    target: targetUrl,
    model: run?.model,
    unreached,
    implementation: options.implementation,
    scope: { profiles: profilesJudged(options), filter: options.filter },
    caps: budget && funded ? capsWritten(funded.caps) : null,
    spent: spentOf(budget),
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

/** The caller has to change this before anything can be sent. */
function faultOf(options: JudgeOptions): string | undefined {
  const { profiles, funded, isOwnTarget } = options;
  if (profiles.includes('paid') && !funded) return 'the profile paid needs a funded key and its caps';
  const unfit = funded === undefined ? undefined : fundedFault(funded);
  if (unfit !== undefined) return unfit;
  return profiles.includes('limits') && !isOwnTarget ? limitsFault : emptyScopeFault(options);
}

/** No payment is signed, so no request needs a model that the target really has. */
function isFreeAlone({ profiles }: Scope): boolean {
  return profiles.every((profile) => profile === 'free');
}

function limitsOf(options: JudgeOptions, timeoutMs: number): SessionLimits {
  const [requestsMax, requestsPerSecondMax] = [requestsMaxOf(options), rateOf(options)];
  return { timeoutMs, answerBytesMax, requestsMax, requestsPerSecondMax };
}

/** Requests a second that a target is sent at most; undefined where it is on this machine and nobody said otherwise. */
export function rateOf(
  options: Pick<JudgeOptions, 'targetUrl' | 'requestsPerSecondMax'>,
): number | undefined {
  return options.requestsPerSecondMax ?? (isLoopback(options.targetUrl) ? undefined : rateDefault);
}

function sleepUntil(signal: AbortSignal) {
  return (seconds: number) => delay(seconds * 1000, undefined, { signal }).catch(() => undefined);
}

function unreachable(cause: string): Graded {
  return { outcome: 'inconclusive', detail: `the target could not be reached: ${cause}` };
}

/** Why nothing that was sent so far was answered; undefined where something was, or nothing was sent. */
function unreachedCause({ exchanges }: Session): string | undefined {
  const causes = exchanges.flatMap(({ outcome }) => (outcome.kind === 'failure' ? [outcome.reason] : []));
  return causes.length === exchanges.length ? causes[0] : undefined;
}

/** What kept the list of models from being read, where another time would do. */
function refusedCause({ exchanges }: Session): string | undefined {
  const last = exchanges.at(-1);
  if (last?.outcome.kind !== 'answer' || !transientStatuses.has(last.outcome.status)) return undefined;
  const { method, url } = last.request;
  const { status, headers } = last.outcome;
  return `${method} ${new URL(url).pathname} was answered ${status}${readRetryAfter(headers)}: try again then, or name a model with --model`;
}

/** Runs the checks one after the other, those that look back at the transcript last. */
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
    const result = resultOf(check, options, graded, evidence);
    const { requirement, section, outcome } = result;
    const isBroken = outcome === 'fail' || outcome === 'warn';
    if (isBroken && !check.closing) reported.push({ requirement, exchanges: evidence });
    options.onOutcome?.({ requirement, section, outcome });
    results.set(check, result);
    done += 1;
  }
  return checks.map((check) => results.get(check) ?? resultOf(check, options, outOfScope));
}

const outOfScope: Graded = { outcome: 'disabled', detail: '' };

async function runOne(check: Check, run: Run, evidence: Set<number>): Promise<Graded> {
  let verdict: Verdict;
  try {
    verdict = await check.run(createContext(run, check.requirement, evidence));
  } catch (error) {
    // What a target can cause is a verdict; an exception is a fault of this suite.
    return {
      outcome: 'error',
      detail: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    };
  }
  return grade(requirements[check.requirement].level, verdict);
}

function resultOf(
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

function spentOf(budget: Budget | undefined) {
  return (
    budget?.spent() ?? { signedUnits: 0n, settledUnits: 0n, payments: 0, settledPayments: 0, unresolved: [] }
  );
}
