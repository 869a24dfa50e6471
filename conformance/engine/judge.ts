import { setTimeout as delay } from 'node:timers/promises';
import { type RequirementId, requirements } from '@paid-inference/contract/requirements';
import { checks as allChecks, notYetCovered } from '../checks/all.ts';
import { type Budget, type Caps, createBudget } from '../payment/budget.ts';
import { createThrowaway } from '../payment/throwaway.ts';
import { createSecrets, type Secrets } from '../wire/secrets.ts';
import { createSession, type Session } from '../wire/session.ts';
import type { Check } from './check.ts';
import { createContext, type Run } from './context.ts';
import { discoverModel } from './discover.ts';
import { found } from './found.ts';
import { modelFault } from './model-fault.ts';
import { createReport, type Report, type Result } from './report.ts';
import { emptyScopeFault, inScope, requestsMaxOf, type Scope } from './scope.ts';
import { userAgent } from './suite.ts';
import { cut, writeDown } from './transcript.ts';
import { type Graded, grade, unknown, type Verdict } from './verdict.ts';

export type JudgeOptions = Scope & {
  readonly targetUrl: string;
  /** Asked for in every request; found at the target where it is left out. */
  readonly model?: string;
  /** Needed by the profile `paid`, and used by no other. */
  readonly funded?: { readonly privateKey: string; readonly caps: Caps };
  readonly timeoutMs?: number;
  readonly onProgress?: (progress: Progress) => void;
  readonly clock?: () => Date;
  readonly sleep?: (seconds: number) => Promise<void>;
  /** Instead of the suite's own, to test the engine. */
  readonly checks?: readonly Check[];
};

export type Progress = { readonly requirement: RequirementId; readonly done: number; readonly total: number };

/** A report, or what the caller has to change. */
export type Judged =
  | { readonly ok: true; readonly report: Report }
  | { readonly ok: false; readonly usage: string };

export const timeoutMsDefault = 30_000;
const answerBytesMax = 2_000_000;
const detailCharactersMax = 400;

/**
 * Judges a deployment from outside. Nothing is asked of it but its HTTP interface, and nothing is signed with the funded
 * key beyond its caps. A target that cannot be reached gives an incomplete report.
 */
export async function judge(options: JudgeOptions): Promise<Judged> {
  const { targetUrl, funded, clock = () => new Date(), checks = allChecks } = options;
  if (options.profiles.includes('paid') && !funded) {
    return { ok: false, usage: 'the profile paid needs a funded key and its caps' };
  }
  const emptyScope = emptyScopeFault(options);
  if (emptyScope !== undefined) return { ok: false, usage: emptyScope };
  const startedAt = clock();
  const secrets = createSecrets();
  const nowSeconds = () => Math.floor(clock().getTime() / 1000);
  const session = createSession(
    { timeoutMs: options.timeoutMs ?? timeoutMsDefault, answerBytesMax, requestsMax: requestsMaxOf(options) },
    { nowSeconds, sleep: options.sleep ?? ((seconds) => delay(seconds * 1000)) },
  );
  const budget =
    options.profiles.includes('paid') && funded
      ? createBudget(funded.privateKey, funded.caps, targetUrl, secrets)
      : undefined;

  const model =
    options.model === undefined ? await discoverModel(session, targetUrl, userAgent) : found(options.model);
  if (!model.ok && unreachedCause(session) === undefined) {
    const { reason } = model.verdict;
    return { ok: false, usage: `no model to ask for: ${reason}: is this a gateway? If it is, pass --model` };
  }
  const run = model.ok && {
    model: model.value,
    targetUrl,
    nowSeconds,
    throwaway: createThrowaway(secrets),
    budget,
    session,
    userAgent,
    shared: new Map(),
  };
  if (run && checks.some(({ requirement }) => inScope(options, requirement))) {
    const fault = await modelFault(createContext(run, new Set()));
    if (fault !== undefined) return { ok: false, usage: fault };
  }
  const unreached = unreachedCause(session);
  const results =
    run && unreached === undefined
      ? await runAll(checks, options, run)
      : checks.map((check) => resultOf(check, options, unreachable(unreached)));
  const report = createReport({
    startedAt: startedAt.toISOString(),
    durationMs: clock().getTime() - startedAt.getTime(),
    target: targetUrl,
    model: model.ok ? model.value : undefined,
    unreached,
    scope: { profiles: options.profiles, filter: options.filter },
    caps: budget && funded ? capsWritten(funded.caps) : null,
    spent: spentOf(budget),
    results: [...results, ...uncovered(options)].map((result) => redacted(result, secrets)),
    exchanges: writeTranscript(session, secrets),
  });
  return { ok: true, report };
}

function unreachable(cause: string | undefined): Graded {
  return { outcome: 'inconclusive', detail: `the target could not be reached: ${cause}` };
}

/** Why nothing that was sent so far was answered; undefined where something was, or nothing was sent. */
function unreachedCause({ exchanges }: Session): string | undefined {
  const causes = exchanges.flatMap(({ outcome }) => (outcome.kind === 'failure' ? [outcome.reason] : []));
  return causes.length === exchanges.length ? causes[0] : undefined;
}

/** Runs the checks one after the other, those that look back at the transcript last. */
async function runAll(checks: readonly Check[], options: JudgeOptions, run: Run): Promise<Result[]> {
  const results = new Map<Check, Result>();
  const inOrder = [...checks].sort((a, b) => Number(a.closing) - Number(b.closing));
  const total = checks.filter((check) => inScope(options, check.requirement)).length;
  let done = 0;
  for (const check of inOrder) {
    if (!inScope(options, check.requirement)) continue;
    options.onProgress?.({ requirement: check.requirement, done, total });
    const evidence = new Set<number>();
    const graded = await runOne(check, run, evidence);
    results.set(check, resultOf(check, options, graded, evidence));
    done += 1;
  }
  return checks.map((check) => results.get(check) ?? resultOf(check, options, outOfScope));
}

const outOfScope: Graded = { outcome: 'disabled', detail: '' };

async function runOne(check: Check, run: Run, evidence: Set<number>): Promise<Graded> {
  let verdict: Verdict;
  try {
    verdict = await check.run(createContext(run, evidence));
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

function uncovered(scope: Scope): Result[] {
  const verdict = unknown('not yet covered by this version of the suite');
  return notYetCovered.map((requirement) =>
    resultOf({ requirement, title: '(not yet covered)' }, scope, grade('MUST', verdict)),
  );
}

function redacted(result: Result, secrets: Secrets): Result {
  return { ...result, detail: cut(secrets.redact(result.detail), detailCharactersMax) };
}

function writeTranscript(session: Session, secrets: Secrets): Report['exchanges'] {
  return session.exchanges.map((exchange) => writeDown(exchange, secrets));
}

function capsWritten({ perRequestUnits, totalUnits }: Caps): Report['caps'] {
  return { perRequestUnits: perRequestUnits.toString(), totalUnits: totalUnits.toString() };
}

function spentOf(budget: Budget | undefined) {
  return budget?.spent() ?? { signedUnits: 0n, settledUnits: 0n, payments: 0 };
}
