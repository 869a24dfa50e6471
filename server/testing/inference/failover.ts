import type { Engine, InferenceFault, InferenceLimits } from '../../inference/engine.ts';
import type { Member, RunningTask } from '../../inference/failover-attempts.ts';
import { createFailoverEngine } from '../../inference/failover-engine.ts';
import { createCircuitBreaker } from '../../types/circuit-breaker.ts';
import { type ManualClock, manualClock } from '../../types/clock.ts';
import { fail, ok } from '../../types/result.ts';
import { createCountingEngine, pong } from '../counting-engine.ts';
import { textTask } from './tasks.ts';

// For tests: engines of several fake servers.

export const task = textTask('Hello');
/** The end of each task that a server ran. */
export const inferred = { ok: true, value: { text: 'pong' } };

export const failed: InferenceFault = { kind: 'failed', detail: 'the upstream responded 500 with JSON' };
/** The server responded, but perhaps so only to this request. */
export const doubtful: InferenceFault = { ...failed, mayBeOfRequest: true };
export const late: InferenceFault = { kind: 'timeout', detail: 'no response began within 30000 ms' };
export const busy: InferenceFault = {
  kind: 'overloaded',
  detail: 'all 1 connections to the upstream are busy',
};

/** The fault of a server at a task; null if it runs the task. */
export type Conduct = (limits: InferenceLimits) => InferenceFault | null | Promise<InferenceFault | null>;
export const works: Conduct = () => null;
export const fails: Conduct = () => failed;

type FakeServer = Member & { readonly seen: InferenceLimits[] };

export function limits(change: Partial<InferenceLimits> = {}): InferenceLimits {
  return { timeoutMs: 60_000, signal: new AbortController().signal, ...change };
}

/** Servers whose breakers open after two failures for 10 seconds, and the log of their engines. */
export function openServers(): {
  readonly clock: ManualClock;
  readonly logged: (readonly [object, string])[];
  server(conduct: Conduct): FakeServer;
  engineOf(
    servers: readonly Member[],
    options?: { readonly attemptsMax?: number; readonly delayMsMax?: number; readonly weights?: number[] },
  ): Engine;
} {
  const clock = manualClock(1_800_000_000);
  const logged: (readonly [object, string])[] = [];
  return {
    clock,
    logged,
    server(conduct) {
      const seen: InferenceLimits[] = [];
      const engine = createCountingEngine();
      engine.answering = async (asked, given) => {
        seen.push(given);
        const fault = await conduct(given);
        return fault === null ? ok(pong(asked)) : fail(fault);
      };
      const settings = { failuresMax: 2, openMs: 10_000, openMsMax: 60_000 };
      const breaker = createCircuitBreaker(settings, clock, () => 0.5);
      return {
        engine,
        probe: { issue: async () => null },
        breaker,
        begun: 0,
        ended: 0,
        hasFailed: false,
        tasks: new Set<RunningTask>(),
        seen,
      };
    },
    engineOf([first, ...others], { attemptsMax = 2, delayMsMax = 0, weights = [] } = {}) {
      if (first === undefined) throw new Error('no server');
      const weigh = (member: Member, at: number) => ({ member, weight: weights[at] ?? 1 });
      const members = others.map((member, at) => weigh(member, at + 1));
      const warn = (fields: object, text: string) => void logged.push([fields, text]);
      const log = { info: () => undefined, warn };
      const ports = { clock, random: () => 1, log, model: 'alder/alder-mini' };
      return createFailoverEngine([weigh(first, 0), ...members], { attemptsMax, delayMsMax }, ports);
    },
  };
}
