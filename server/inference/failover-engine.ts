import { fail } from '../types/result.ts';
import type { Engine, EngineUpstream } from './engine.ts';
import {
  createAttempts,
  type FailoverPorts,
  type FailoverSettings,
  isWorking,
  type Member,
  type WeightedMember,
} from './failover-attempts.ts';

/**
 * Runs a model on several servers with one interface (D-310, D-311). A task goes to a server that works, in the ratio of
 * the weights. After a fault of this server the task goes to another one, within the same deadline, and never after a
 * part of a stream was yielded. A server that does not begin its response within its share of the time has failed.
 */
export function createFailoverEngine(
  members: readonly [WeightedMember, ...WeightedMember[]],
  settings: FailoverSettings,
  ports: FailoverPorts,
): Engine {
  const { name, honours } = members[0].member.engine;
  const openAttempts = createAttempts(members, settings, ports);
  return {
    name,
    ...(honours && { honours }),
    upstreams: members.map(({ member }) => describeUpstream(member, ports.clock)),
    async infer(task, limits) {
      const attempts = openAttempts(limits);
      for (;;) {
        const attempt = attempts.begin();
        try {
          const inferred = await attempt.engine.infer(task, attempt.limits);
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
        const stream = attempt.engine.stream(task, attempt.limits);
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
}

const callerStopped = fail({ kind: 'cancelled', detail: 'the caller stopped the stream' } as const);

function describeUpstream(member: Member, clock: FailoverPorts['clock']): EngineUpstream {
  const { probe, breaker } = member;
  return {
    probe,
    isWorking: () => isWorking(member, clock.monotonicMs()),
    breakerIssue(client) {
      const ms = breaker.blockedMs(client);
      if (ms === null) return null;
      const next = ms === 0 ? 'one request tests it now' : `a request tests it in ${Math.ceil(ms / 1_000)} s`;
      return `the last requests to the upstream failed; ${next}`;
    },
  };
}
