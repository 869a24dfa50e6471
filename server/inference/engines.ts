import { createCircuitBreaker } from '../types/circuit-breaker.ts';
import { type Clock, systemClock } from '../types/clock.ts';
import { type Random, systemRandom } from '../types/random.ts';
import { fail, ok, type Result } from '../types/result.ts';
import type { Catalog, CatalogEntry, Upstream } from './catalog.ts';
import type { Engine, EngineLog, Engines } from './engine.ts';
import type { Member, RunningTask } from './failover-attempts.ts';
import { createFailoverEngine } from './failover-engine.ts';
import { createLlamaEngine } from './llama/llama-engine.ts';
import { createLlamaRuntime, type LlamaRuntimeOptions } from './llama/runtime.ts';
import { listLlamaFaults } from './llama-files.ts';
import { createOpenAiEngine } from './openai/openai-engine.ts';
import { createUpstreamProbe, type UpstreamProbe } from './openai/upstream-probe.ts';
import { createReferenceEngine } from './reference/reference-engine.ts';
import { missingUpstreamKeys } from './upstream-keys.ts';

/** Limits of every upstream; see `OpenAiEngineOptions`, `FailoverSettings` and `CircuitBreakerSettings`. */
export type UpstreamSettings = {
  readonly upstreamConnectTimeoutMs: number;
  readonly upstreamHeadersTimeoutMs: number;
  readonly upstreamResponseBytesMax: number;
  readonly upstreamEventBytesMax: number;
  readonly upstreamIdleTimeoutMs: number;
  readonly upstreamConnections: number;
  readonly upstreamAttemptsMax: number;
  readonly upstreamFailoverDelayMsMax: number;
  readonly upstreamFailuresMax: number;
  readonly upstreamPauseMs: number;
  readonly upstreamPauseMsMax: number;
};

type Environment = Readonly<Record<string, string | undefined>>;

/** What the engines of a catalog share. */
type Shared = {
  readonly settings: UpstreamSettings;
  readonly environment: Environment;
  readonly log: EngineLog;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly random: Random;
  /** Models of one server share its probe. */
  readonly probes: Map<string, UpstreamProbe>;
  /** Several lists may have one model of one server. */
  readonly members: Map<string, Member>;
  readonly openRuntime: ReturnType<typeof createLlamaRuntime>;
};

/**
 * Builds the engines of a catalog, each once: one reference engine, one engine for each list of upstreams, and one for
 * each file of a model. Keys come from the environment, and only the engines keep them. The fault has a sentence for
 * every missing variable and file.
 */
export function createEngines(
  catalog: Catalog,
  settings: UpstreamSettings,
  environment: Environment,
  log: EngineLog,
  { clock = systemClock, random = systemRandom }: Partial<Pick<Shared, 'clock' | 'random'>> = {},
): Result<Engines, readonly string[]> {
  const faults = [...missingUpstreamKeys(catalog, environment), ...listLlamaFaults(catalog)];
  if (faults.length > 0) return fail(faults);
  const engines = new Map<string, Engine>();
  const byModel = new Map<string, Engine>();
  const shared: Shared = {
    ...{ settings, environment, log, clock, random },
    probes: new Map(),
    members: new Map(),
    openRuntime: createLlamaRuntime(sumUp(catalog), log),
  };
  for (const entry of catalog.list()) {
    const { upstreams, llama, contextLength } = entry;
    const key = JSON.stringify([upstreams, llama, llama && contextLength]);
    const engine = engines.get(key) ?? createEngine(entry, shared);
    engines.set(key, engine);
    byModel.set(entry.id, engine);
  }
  return ok({
    engineFor(modelId) {
      const engine = byModel.get(modelId);
      if (engine === undefined) throw new Error(`${modelId} is not in the catalog`);
      return engine;
    },
    async close() {
      await Promise.all([...engines.values(), ...shared.probes.values()].map((each) => each.close()));
    },
  });
}

/** What all models in this process need together. */
function sumUp(catalog: Catalog): LlamaRuntimeOptions {
  const models = catalog.list().flatMap(({ llama }) => llama ?? []);
  return {
    threads: models.reduce((threads, model) => threads + model.threads, 0),
    usesGpu: models.some(({ usesGpu }) => usesGpu),
  };
}

function createEngine({ id, upstreams, llama, contextLength }: CatalogEntry, shared: Shared): Engine {
  if (llama !== null)
    return createLlamaEngine({ ...llama, contextTokens: contextLength }, shared.openRuntime, shared.log);
  const [first, ...others] = upstreams.map((upstream, at) => ({
    member: shareMember(upstream, shared, { model: id, upstream: at + 1 }),
    weight: upstream.weight,
  }));
  if (first === undefined) return createReferenceEngine();
  const { upstreamAttemptsMax: attemptsMax, upstreamFailoverDelayMsMax: delayMsMax } = shared.settings;
  return createFailoverEngine([first, ...others], { attemptsMax, delayMsMax }, { ...shared, model: id });
}

/** Creates the engine of one model of one server, or returns the one that another list has. */
function shareMember(upstream: Upstream, shared: Shared, names: object): Member {
  const { baseUrl, model, apiKeyEnv } = upstream;
  const key = JSON.stringify([baseUrl, model, apiKeyEnv]);
  const known = shared.members.get(key);
  if (known !== undefined) return known;
  const { settings, environment, log, clock, random } = shared;
  const apiKey = apiKeyEnv === null ? undefined : environment[apiKeyEnv];
  const engine = createOpenAiEngine({
    baseUrl,
    model,
    ...(apiKey !== undefined && { apiKey }),
    connectTimeoutMs: settings.upstreamConnectTimeoutMs,
    headersTimeoutMs: settings.upstreamHeadersTimeoutMs,
    responseBytesMax: settings.upstreamResponseBytesMax,
    eventBytesMax: settings.upstreamEventBytesMax,
    idleTimeoutMs: settings.upstreamIdleTimeoutMs,
    connections: settings.upstreamConnections,
  });
  const {
    upstreamFailuresMax: failuresMax,
    upstreamPauseMs: openMs,
    upstreamPauseMsMax: openMsMax,
  } = settings;
  const breaker = createCircuitBreaker({ failuresMax, openMs, openMsMax }, clock, random, (isOpen) => {
    if (isOpen)
      log.warn({ ...names, failures: failuresMax }, 'an upstream failed too often in a row; it rests');
    else log.info(names, 'an upstream works again');
  });
  const member = {
    engine,
    probe: shareProbe(upstream, shared),
    breaker,
    begun: 0,
    ended: 0,
    hasFailed: false,
    tasks: new Set<RunningTask>(),
  };
  shared.members.set(key, member);
  return member;
}

function shareProbe(
  { baseUrl, apiKeyEnv }: Upstream,
  { settings, environment, probes }: Shared,
): UpstreamProbe {
  const key = JSON.stringify([baseUrl, apiKeyEnv]);
  const apiKey = apiKeyEnv === null ? undefined : environment[apiKeyEnv];
  const probe =
    probes.get(key) ??
    createUpstreamProbe({
      baseUrl,
      ...(apiKey !== undefined && { apiKey }),
      apiKeyEnv,
      connectTimeoutMs: settings.upstreamConnectTimeoutMs,
    });
  probes.set(key, probe);
  return probe;
}
