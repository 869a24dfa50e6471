import { setTimeout as delay } from 'node:timers/promises';
import { nodesFault, openNodes } from '../chain/nodes.ts';
import type { Check } from '../context/check.ts';
import type { Reported } from '../context/context.ts';
import { type Budget, createBudget, type Funded } from '../payment/budget.ts';
import { fundedFault } from '../payment/funded-fault.ts';
import type { Caps } from '../payment/spending.ts';
import { createThrowaway } from '../payment/throwaway.ts';
import { transientStatuses } from '../sources/judgements.ts';
import { type Found, found } from '../types/found.ts';
import { isLoopback } from '../wire/origin.ts';
import { readRetryAfter } from '../wire/retry-after.ts';
import { createSecrets, type Secrets } from '../wire/secrets.ts';
import { createSession, type Session, type SessionLimits } from '../wire/session.ts';
import { describeEnd } from '../wire/wire.ts';
import { discoverModels } from './discover.ts';
import { firstSold, modelFault } from './model-fault.ts';
import { createReport, type Implementation, type Report, type Result } from './report.ts';
import { type Listeners, listUnreached, runChecks } from './run-checks.ts';
import { countRequestsMax, emptyScopeFault, inScope, profilesJudged, type Scope } from './scope.ts';
import { userAgent } from './suite.ts';
import { writeDown } from './transcript.ts';

export type JudgeOptions = Scope &
  Listeners & {
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
    readonly clock?: () => Date;
    readonly sleep?: (seconds: number) => Promise<void>;
  };

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
const responseBytesMax = 2_000_000;
const detailCharactersMax = 400;

/**
 * Judges a deployment from outside by the given checks. It uses only the HTTP interface of the deployment, and
 * signs payments with the funded key only within the caps. An unreachable target gives an incomplete report.
 */
export async function judgeBy(checks: readonly Check[], options: JudgeOptions): Promise<Judged> {
  const { targetUrl, clock = () => new Date() } = options;
  const optionsFault = findFault(options);
  if (optionsFault !== undefined) return { ok: false, usage: optionsFault };
  const startedAt = clock();
  const secrets = createSecrets();
  const nowSeconds = () => Math.floor(clock().getTime() / 1000);
  const { timeoutMs = timeoutMsDefault, deadlineSeconds = deadlineSecondsDefault } = options;
  const deadline = AbortSignal.timeout(deadlineSeconds * 1000);
  const signal = AbortSignal.any([...(options.signal ? [options.signal] : []), deadline]);
  const nodes = openNodes(options, { timeoutMs, responseBytesMax }, signal);
  const nodeFault = options.profiles.includes('paid') ? await nodesFault(nodes) : undefined;
  if (nodeFault !== undefined && !signal.aborted) return { ok: false, usage: nodeFault };
  const { sleep = sleepUntil(signal) } = options;
  const session = createSession(chooseLimits(options, timeoutMs), {
    nowMs: () => clock().getTime(),
    sleep,
    signal,
  });
  const fuzz = { seed: options.fuzzSeed ?? fuzzSeedDefault, path: options.fuzzPath };
  const payer = options.profiles.includes('paid') ? options.funded : undefined;
  const budget = payer ? createBudget(payer, targetUrl, secrets) : undefined;
  const models = await findModels(session, options);
  const early = unreachedCause(session) ?? refusedCause(session, models);
  if (!models.ok && early === undefined && !signal.aborted) {
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
  const unreached = early ?? unreachedCause(session);
  const results =
    run && unreached === undefined
      ? await runChecks(checks, options, run, reported)
      : listUnreached(checks, options, unreached ?? describeEnd(signal));
  const report = createReport({
    startedAt: startedAt.toISOString(),
    durationMs: clock().getTime() - startedAt.getTime(),
    target: targetUrl,
    model: run?.model,
    unreached,
    implementation: options.implementation,
    scope: { profiles: profilesJudged(options), filter: options.filter },
    caps: payer ? capsWritten(payer.caps) : null,
    spent: readSpent(budget),
    journal: payer ? payer.journal.place : null,
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

/** The models to ask for: the given one, or those of the target's list. */
async function findModels(session: Session, options: JudgeOptions): Promise<Found<readonly string[]>> {
  if (options.model !== undefined) return found([options.model]);
  // Without payments, requests need no model that the target really has.
  const isFreeAlone = options.profiles.every((profile) => profile === 'free');
  return discoverModels(session, { url: options.targetUrl, userAgent }, isFreeAlone);
}

function chooseLimits(options: JudgeOptions, timeoutMs: number): SessionLimits {
  const [requestsMax, requestsPerSecondMax] = [countRequestsMax(options), chooseRate(options)];
  return { timeoutMs, responseBytesMax, requestsMax, requestsPerSecondMax };
}

/**
 * Highest number of requests per second; undefined (unlimited) for a target on this machine without a given
 * rate.
 */
export function chooseRate(
  options: Pick<JudgeOptions, 'targetUrl' | 'requestsPerSecondMax'>,
): number | undefined {
  if (options.requestsPerSecondMax !== undefined) return options.requestsPerSecondMax;
  return isLoopback(options.targetUrl) ? undefined : rateDefault;
}

function sleepUntil(signal: AbortSignal) {
  return (seconds: number) => delay(seconds * 1000, undefined, { signal }).catch(() => undefined);
}

/** The cause when no request so far got a response; undefined when one did, or when nothing was sent. */
function unreachedCause({ exchanges }: Session): string | undefined {
  const causes = exchanges.flatMap(({ outcome }) => (outcome.kind === 'failure' ? [outcome.reason] : []));
  return causes.length === exchanges.length ? causes[0] : undefined;
}

/** Describes a transient refusal of the list of models; undefined if there are models or another refusal. */
function refusedCause({ exchanges }: Session, models: Found<unknown>): string | undefined {
  if (models.ok) return undefined;
  const last = exchanges.at(-1);
  if (last?.outcome.kind !== 'response' || !transientStatuses.has(last.outcome.status)) return undefined;
  const { method, url } = last.request;
  const { status, headers } = last.outcome;
  return `${method} ${new URL(url).pathname} returned ${status}${readRetryAfter(headers)}. Try again later, or name a model with --model`;
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
  if (budget) return budget.spent();
  return { signedUnits: 0n, settledUnits: 0n, payments: 0, settledPayments: 0, unresolved: [] };
}
