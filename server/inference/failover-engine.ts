import type { CallEnd, CircuitBreaker } from '../types/circuit-breaker.ts';
import type { Clock } from '../types/clock.ts';
import type { Random } from '../types/random.ts';
import { fail } from '../types/result.ts';
import { pause } from '../types/signal.ts';
import type {
  Engine,
  EngineLog,
  EngineProbe,
  EngineUpstream,
  InferenceFault,
  InferenceLimits,
} from './engine.ts';
import { createWeightedTurns } from './weighted-turns.ts';

/** One server of a model. Lists of several models may share it. */
export type Member = {
  /** Runs tasks on this server alone. */
  readonly engine: Engine;
  readonly probe: EngineProbe;
  readonly breaker: CircuitBreaker;
  /** How many responses the server has begun, of all models. */
  begun: number;
};

/** A server, and its share of the tasks of a model. */
type WeightedMember = { readonly member: Member; readonly weight: number };

type FailoverSettings = {
  /** How many servers may get a task, one after the other. */
  readonly attemptsMax: number;
  /** The longest pause before the next server gets a task. */
  readonly delayMsMax: number;
};

type FailoverPorts = {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly random: Random;
  readonly log: EngineLog;
  /** The model, for the log. */
  readonly model: string;
};

/** A shorter attempt would fail for its shortness. */
const attemptMsMin = 100;

type Attempt = {
  readonly member: Member;
  readonly limits: InferenceLimits;
  /** Tells the breaker how the attempt ended. Only the first call counts. */
  end(end: CallEnd): void;
  /** The same, for a result without an inference. */
  endWith(fault: InferenceFault): void;
};

/**
 * Runs a model on several servers with one interface (D-310, D-311). A task goes to a server that works, in the ratio of
 * the weights. After a fault of this server the task goes to another one, within the same deadline, and never after a
 * part of a stream was yielded. A server that does not begin its response within its share of the time has failed. If
 * no server works, the task goes to the one that is tried next.
 */
export function createFailoverEngine(
  members: readonly [WeightedMember, ...WeightedMember[]],
  settings: FailoverSettings,
  ports: FailoverPorts,
): Engine {
  const [{ member: first }] = members;
  const choose = createWeightedTurns(members.map(({ weight }) => weight));
  return {
    name: first.engine.name,
    ...(first.engine.honours && { honours: first.engine.honours }),
    upstreams: members.map(({ member }) => describeUpstream(member)),
    async infer(task, limits) {
      const attempts = openAttempts(limits);
      for (;;) {
        const attempt = attempts.begin();
        try {
          const inferred = await attempt.member.engine.infer(task, attempt.limits);
          if (inferred.ok) attempt.end('success');
          else attempt.endWith(inferred.fault);
          if (inferred.ok || !(await attempts.mayRepeat(inferred.fault))) return inferred;
        } finally {
          attempt.end('neutral');
        }
      }
    },
    async *stream(task, limits) {
      const attempts = openAttempts(limits);
      for (;;) {
        const attempt = attempts.begin();
        const stream = attempt.member.engine.stream(task, attempt.limits);
        try {
          const begun = await stream.next();
          if (!begun.done) yield begun.value;
          const inferred = begun.done ? begun.value : yield* stream;
          if (inferred.ok) attempt.end('success');
          else attempt.endWith(inferred.fault);
          if (inferred.ok || !begun.done || !(await attempts.mayRepeat(inferred.fault))) return inferred;
        } finally {
          attempt.end('neutral');
          await stream.return(callerStopped);
        }
      }
    },
    async close() {
      await Promise.all(members.map(({ member }) => member.engine.close()));
    },
  };

  function memberAt(place: number): Member {
    const weighted = members[place];
    if (weighted === undefined) throw new Error(`There is no upstream at place ${place}.`);
    return weighted.member;
  }

  /** The place whose breaker lets the next trial through first. */
  function nextTried(among: readonly number[]): number {
    const waitOf = (place: number) => memberAt(place).breaker.blockedMs() ?? 0;
    return among.reduce((best, place) => (waitOf(place) < waitOf(best) ? place : best));
  }

  /** The attempts of one task. */
  function openAttempts({ timeoutMs, signal, onBegun }: InferenceLimits) {
    const startedAt = ports.clock.monotonicMs();
    const tried = new Set<number>();
    const leftMs = () => timeoutMs - (ports.clock.monotonicMs() - startedAt);
    const untried = () => members.map((_, place) => place).filter((place) => !tried.has(place));
    const ready = () => untried().filter((place) => memberAt(place).breaker.blockedMs() === null);
    const mayBeTried = () => (tried.size < settings.attemptsMax ? ready() : []);

    return {
      begin(): Attempt {
        const working = ready();
        const place = working.length > 0 ? choose(working) : nextTried(untried());
        tried.add(place);
        const others = Math.min(ready().length, settings.attemptsMax - tried.size);
        const beginTimeoutMs = others > 0 ? Math.ceil(leftMs() / (1 + others)) : null;
        const limits = { timeoutMs: Math.max(1, Math.ceil(leftMs())), signal, ...(onBegun && { onBegun }) };
        return beginAttempt(memberAt(place), limits, beginTimeoutMs);
      },
      /** Whether another server may get the task after this fault. Waits before it does. */
      async mayRepeat(fault: InferenceFault): Promise<boolean> {
        if (fault.isOfRequest || fault.kind === 'cancelled' || mayBeTried().length === 0) return false;
        // Many tasks fail together when a server dies, and must not reach the next server together.
        if (fault.kind === 'failed') await pause(ports.random() * settings.delayMsMax, signal);
        const goesOn = !signal.aborted && leftMs() >= attemptMsMin && mayBeTried().length > 0;
        const upstream = [...tried].at(-1);
        if (goesOn && upstream !== undefined)
          ports.log.warn(
            { model: ports.model, upstream: upstream + 1, fault },
            'an upstream failed; the request goes to another one',
          );
        return goesOn;
      },
    };
  }
}

const callerStopped = fail({ kind: 'cancelled', detail: 'the caller stopped the stream' } as const);

function beginAttempt(member: Member, limits: InferenceLimits, beginTimeoutMs: number | null): Attempt {
  const end = member.breaker.begin();
  const begunBefore = member.begun;
  let ownBegun = 0;
  return {
    member,
    limits: {
      ...limits,
      ...(beginTimeoutMs !== null && { beginTimeoutMs }),
      onBegun() {
        ownBegun = 1;
        member.begun++;
        limits.onBegun?.();
      },
    },
    end,
    endWith: (fault) => end(judge(fault, member.begun - begunBefore - ownBegun > 0)),
  };
}

/**
 * What a fault says about its server. A client can provoke faults of a request. A slow task times out on a server that
 * works, so a timeout counts only if the server began no other response meanwhile.
 */
function judge({ kind, isOfRequest }: InferenceFault, hasBegunOthers: boolean): CallEnd {
  if (isOfRequest) return 'neutral';
  if (kind === 'timeout') return hasBegunOthers ? 'neutral' : 'failure';
  return kind === 'failed' ? 'failure' : 'neutral';
}

function describeUpstream({ probe, breaker }: Member): EngineUpstream {
  return {
    probe,
    breakerIssue() {
      const ms = breaker.blockedMs();
      if (ms === null) return null;
      const next = ms === 0 ? 'one request tests it now' : `the next request tests it in ${Math.ceil(ms / 1_000)} s`;
      return `the last requests to the upstream failed; ${next}`;
    },
  };
}
