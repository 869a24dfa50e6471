import type { CallEnd, CircuitBreaker } from '../types/circuit-breaker.ts';
import type { Clock } from '../types/clock.ts';
import type { Random } from '../types/random.ts';
import { pause } from '../types/signal.ts';
import type { Engine, EngineLog, EngineProbe, InferenceFault, InferenceLimits } from './engine.ts';
import { createWeightedTurns } from './weighted-turns.ts';

export type RunningTask = { readonly startedMs: number };

/** One server of a model. Lists of several models may share it. */
export type Member = {
  /** Runs tasks on this server alone. */
  readonly engine: Engine;
  readonly probe: EngineProbe;
  readonly breaker: CircuitBreaker;
  /** How many responses the server has begun, of all models. */
  begun: number;
  /** How many it has ended: completions, and refusals of a request or for overload. */
  ended: number;
  /** Whether the last task failed, was refused for overload or timed out. */
  hasFailed: boolean;
  /** The starts of the tasks in progress on the monotonic clock, oldest first. */
  readonly tasks: Set<RunningTask>;
};

/** A server that fails does so sooner. */
const steadyMs = 3_000;

/**
 * Whether a server works: its last task did not fail, or another task goes on for some time. A request may fail for itself
 * alone, so one fault says little while the server works for others (D-313).
 */
export function isWorking({ hasFailed, tasks }: Member, nowMs: number): boolean {
  const [oldest] = tasks;
  return !hasFailed || (oldest !== undefined && nowMs - oldest.startedMs >= steadyMs);
}

/** A server, and its share of the tasks of a model. */
export type WeightedMember = { readonly member: Member; readonly weight: number };

export type FailoverSettings = {
  /** How many servers may get a task, one after the other. */
  readonly attemptsMax: number;
  /** The longest pause before the next server gets a task. */
  readonly delayMsMax: number;
};

export type FailoverPorts = {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly random: Random;
  readonly log: EngineLog;
  /** The model, for the log. */
  readonly model: string;
};

/** A shorter attempt would fail for its shortness. */
const attemptMsMin = 100;
/** A client that leaves earlier tells nothing about the server. */
const silenceMsMin = 10_000;

/** A task at one server. */
type Attempt = {
  readonly engine: Engine;
  readonly limits: InferenceLimits;
  /** Tells the breaker how the attempt ended. Only the first call counts. */
  end(end: CallEnd): void;
  /** The same, for a result without an inference. */
  endWith(fault: InferenceFault): void;
};

/** The attempts of one task. */
type Attempts = {
  /** Begins an attempt at a server that works; if none does, at the one that is tested next. */
  begin(): Attempt;
  /** Whether another server may get the task after this fault. Waits before it does. */
  mayRepeat(fault: InferenceFault): Promise<boolean>;
};

/** Creates the attempts of each task, all within the time of the task. */
export function createAttempts(
  members: readonly WeightedMember[],
  { attemptsMax, delayMsMax }: FailoverSettings,
  { clock, random, log, model }: FailoverPorts,
): (limits: InferenceLimits) => Attempts {
  const choose = createWeightedTurns(members.map(({ weight }) => weight));

  return ({ timeoutMs, ...limits }) => {
    const startedAt = clock.monotonicMs();
    const untried = new Set(members.keys());
    let attempts = 0;
    let last = 0;
    const leftMs = () => timeoutMs - (clock.monotonicMs() - startedAt);
    const blockedMs = (place: number) => memberAt(place).breaker.blockedMs(limits.client);
    const ready = () => [...untried].filter((place) => blockedMs(place) === null);
    const othersMax = () => Math.min(ready().length, attemptsMax - attempts);
    return {
      begin() {
        const working = ready();
        last = working.length > 0 ? choose(working) : nextTested([...untried], blockedMs);
        untried.delete(last);
        attempts++;
        const ms = Math.max(1, Math.ceil(leftMs()));
        const others = othersMax();
        const beginMs = others > 0 && { beginTimeoutMs: Math.ceil(ms / (1 + others)) };
        return beginAttempt(memberAt(last), { ...limits, timeoutMs: ms, ...beginMs }, clock);
      },
      async mayRepeat(fault) {
        if (fault.isOfRequest || fault.kind === 'cancelled' || othersMax() <= 0) return false;
        // Many tasks fail together when a server dies, and must not reach the next server together.
        if (fault.kind === 'failed') await pause(random() * delayMsMax, limits.signal);
        if (limits.signal.aborted || leftMs() < attemptMsMin || othersMax() <= 0) return false;
        const fields = { model, upstream: last + 1, fault };
        log.warn(fields, 'an upstream failed; the request goes to another one');
        return true;
      },
    };
  };

  function memberAt(place: number): Member {
    const weighted = members[place];
    if (weighted === undefined) throw new Error(`There is no upstream at place ${place}.`);
    return weighted.member;
  }
}

function nextTested(among: readonly number[], blockedMs: (place: number) => number | null): number {
  const waitOf = (place: number) => blockedMs(place) ?? 0;
  return among.reduce((best, place) => (waitOf(place) < waitOf(best) ? place : best));
}

function beginAttempt(member: Member, limits: InferenceLimits, clock: FailoverPorts['clock']): Attempt {
  const startedAt = clock.monotonicMs();
  const end = member.breaker.begin(limits.client);
  const { begun: begunBefore, ended: endedBefore } = member;
  const running = { startedMs: startedAt };
  member.tasks.add(running);
  let ownBegun = 0;
  return {
    engine: member.engine,
    limits: {
      ...limits,
      onBegun() {
        ownBegun = 1;
        member.begun++;
        limits.onBegun?.();
      },
    },
    end(how) {
      member.tasks.delete(running);
      if (how === 'success') {
        member.ended++;
        member.hasFailed = false;
      }
      end(how);
    },
    endWith(fault) {
      const hasBegunOthers = member.begun - begunBefore - ownBegun > 0;
      const hasEndedOthers = member.ended > endedBefore;
      const ms = clock.monotonicMs() - startedAt;
      if (fault.isOfRequest || fault.kind === 'overloaded') member.ended++;
      if (!fault.isOfRequest && !fault.isUnsent && fault.kind !== 'cancelled') member.hasFailed = true;
      end(judge(fault, { hasBegun: ownBegun > 0, hasBegunOthers, hasEndedOthers, ms }));
    },
  };
}

/**
 * Judges a server by a fault. A client can provoke faults of a request. A slow task times out on a server that works,
 * so a timeout counts only if the server ended no other response meanwhile. A server that begins responses and ends none
 * sells nothing. A client that waits long and leaves shows that no response began, or is impatient (D-392). A response that breaks off may do so for its request alone (D-342).
 */
function judge(
  { kind, isOfRequest, mayBeOfRequest }: InferenceFault,
  {
    hasBegun,
    hasBegunOthers,
    hasEndedOthers,
    ms,
  }: {
    readonly hasBegun: boolean;
    readonly hasBegunOthers: boolean;
    readonly hasEndedOthers: boolean;
    readonly ms: number;
  },
): CallEnd {
  if (isOfRequest) return 'neutral';
  if (kind === 'cancelled') return hasBegun || hasBegunOthers || ms < silenceMsMin ? 'neutral' : 'doubtful';
  if (kind === 'timeout') return hasEndedOthers ? 'neutral' : 'failure';
  if (kind !== 'failed') return 'neutral';
  return mayBeOfRequest || hasBegun ? 'doubtful' : 'failure';
}
