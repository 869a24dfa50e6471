import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestTracer } from '../observe/observers.ts';
import type { Clock } from '../types/clock.ts';

export type Attributes = Readonly<Record<string, string | number>>;

/** A span of a trace. */
export type Span = {
  child(name: string, attributes?: Attributes): Span;
  set(attributes: Attributes): void;
  /** Ends the span. `errorType` names the error, if it failed. */
  end(errorType?: string): void;
  /** The headers that carry the context of this span to another server. */
  headers(): Readonly<Record<string, string>>;
};

/** The steps of a paid request that take time. */
type StepName = 'verify' | 'balance' | 'lookup' | 'reserve' | 'infer' | 'prove' | 'record' | 'settle';

/** The request in progress. A step of it has its own span. */
type Current = { readonly span: Span | null; readonly timings: Map<StepName, number> | null };

/** A step in progress. */
export type Step = { readonly span: Span | null; end(errorType?: string): void };

export type Steps = {
  readonly requestTracer: RequestTracer;
  /** Runs a step of the request in progress. Outside of a request it only runs the work. */
  run<T>(name: StepName, work: (span: Span | null) => Promise<T>): Promise<T>;
  /** The same for work without a promise. */
  runNow<T>(name: StepName, work: () => T): T;
  /** Begins a step that its caller ends; null outside of a request. */
  begin(name: StepName): Step | null;
  /** Runs work whose steps belong to a step. */
  within<T>(step: Step | null, work: () => T): T;
};

type Options = {
  readonly clock: Clock;
  /** Starts the trace of a request; null without traces. */
  readonly startTrace: ((name: string, attributes: Attributes) => Span) | null;
  readonly hasServerTiming: boolean;
};

/** Sees the steps of requests. The steps find their request by the asynchronous context of Node. */
export function createSteps({ clock, startTrace, hasServerTiming }: Options): Steps {
  const storage = new AsyncLocalStorage<Current>();
  return {
    requestTracer: {
      begin({ requestId, method, route, isPaying }) {
        const span =
          isPaying && startTrace !== null
            ? startTrace(`${method} ${route}`, {
                'http.request.method': method,
                'http.route': route ?? '',
                'paid_inference.request_id': requestId,
              })
            : null;
        if (span === null && !hasServerTiming) return null;
        const current = { span, timings: hasServerTiming ? new Map<StepName, number>() : null };
        const startedAt = clock.monotonicMs();
        return {
          run: (work) => storage.run(current, work),
          headers: () => formatTimings(current.timings, clock.monotonicMs() - startedAt),
          end({ status, code }) {
            span?.set({ 'http.response.status_code': status });
            span?.end(status >= 500 ? (code ?? String(status)) : undefined);
          },
        };
      },
    },

    async run(name, work) {
      const step = begin(name);
      if (step === null) return work(null);
      try {
        const result = await within(step, () => work(step.span));
        step.end();
        return result;
      } catch (cause) {
        step.end(cause instanceof Error ? cause.name : 'exception');
        throw cause;
      }
    },

    runNow(name, work) {
      const step = begin(name);
      try {
        return work();
      } finally {
        step?.end();
      }
    },
    begin,
    within,
  };

  function begin(name: StepName): Step | null {
    const current = storage.getStore();
    if (current === undefined) return null;
    const { timings } = current;
    const span = current.span?.child(name) ?? null;
    const startedAt = clock.monotonicMs();
    return {
      span,
      end(errorType) {
        timings?.set(name, (timings.get(name) ?? 0) + clock.monotonicMs() - startedAt);
        span?.end(errorType);
      },
    };
  }

  function within<T>(step: Step | null, work: () => T): T {
    const current = storage.getStore();
    if (step === null || current === undefined) return work();
    return storage.run({ ...current, span: step.span }, work);
  }
}

/** Formats `Server-Timing`: each step in milliseconds, and the whole time so far. */
function formatTimings(
  timings: Map<StepName, number> | null,
  totalMs: number,
): Readonly<Record<string, string>> {
  if (timings === null) return {};
  const entries = [...timings, ['total', totalMs] as const];
  return { 'Server-Timing': entries.map(([name, ms]) => `${name};dur=${ms.toFixed(1)}`).join(', ') };
}
