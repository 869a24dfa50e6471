import type { Steps } from './steps.ts';
import type { Telemetry } from './telemetry.ts';
import { traceEngine, tracePorts, traceStore } from './trace-ports.ts';

/** Adds the steps of requests to what metrics see. */
export function withSteps(seen: Telemetry, steps: Steps): Telemetry {
  return {
    ...seen,
    requestTracer: steps.requestTracer,
    wrapStore: (store) => traceStore(seen.wrapStore(store), steps),
    wrapEngine: (engine, model) => traceEngine(seen.wrapEngine(engine, model), steps),
    wrapPorts: (ports) => tracePorts(seen.wrapPorts(ports), steps),
  };
}
