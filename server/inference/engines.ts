import { fail, ok, type Result } from '../types/result.ts';
import type { Catalog, Upstream } from './catalog.ts';
import type { Engine, Engines } from './engine.ts';
import { createLlamaEngine } from './llama/llama-engine.ts';
import { createLlamaRuntime, type EngineLog, type LlamaRuntimeOptions } from './llama/runtime.ts';
import { listLlamaFaults } from './llama-files.ts';
import { createOpenAiEngine } from './openai/openai-engine.ts';
import { createUpstreamProbe, type UpstreamProbe } from './openai/upstream-probe.ts';
import { createReferenceEngine } from './reference/reference-engine.ts';
import { missingUpstreamKeys } from './upstream-keys.ts';

/** Limits of every upstream; see `OpenAiEngineOptions`. */
export type UpstreamSettings = {
  readonly upstreamConnectTimeoutMs: number;
  readonly upstreamHeadersTimeoutMs: number;
  readonly upstreamResponseBytesMax: number;
  readonly upstreamEventBytesMax: number;
  readonly upstreamIdleTimeoutMs: number;
  readonly upstreamConnections: number;
};

/**
 * Builds the engines of a catalog, each once: one reference engine, and one engine for each model of an
 * upstream and for each file of a model. Keys come from the environment, and only the engines keep them. The fault has
 * a sentence for every missing variable and file.
 */
export function createEngines(
  catalog: Catalog,
  settings: UpstreamSettings,
  environment: Readonly<Record<string, string | undefined>>,
  log: EngineLog,
): Result<Engines, readonly string[]> {
  const faults = [...missingUpstreamKeys(catalog, environment), ...listLlamaFaults(catalog)];
  if (faults.length > 0) return fail(faults);
  const engines = new Map<string, Engine>();
  const byModel = new Map<string, Engine>();
  const probes = new Map<string, UpstreamProbe>();
  const openRuntime = createLlamaRuntime(sumUp(catalog), log);
  for (const entry of catalog.list()) {
    const { upstream, llama } = entry;
    const key = JSON.stringify([upstream, llama, llama && entry.contextLength]);
    const engine =
      engines.get(key) ??
      (llama
        ? createLlamaEngine({ ...llama, contextTokens: entry.contextLength }, openRuntime, log)
        : createEngine(upstream, settings, environment, probes));
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
      await Promise.all([...engines.values(), ...probes.values()].map((each) => each.close()));
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

function createEngine(
  upstream: Upstream | null,
  settings: UpstreamSettings,
  environment: Readonly<Record<string, string | undefined>>,
  probes: Map<string, UpstreamProbe>,
): Engine {
  if (upstream === null) return createReferenceEngine();
  const { baseUrl, apiKeyEnv } = upstream;
  const apiKey = apiKeyEnv === null ? undefined : environment[apiKeyEnv];
  const connectTimeoutMs = settings.upstreamConnectTimeoutMs;
  const place = JSON.stringify([baseUrl, apiKeyEnv]);
  const probe =
    probes.get(place) ??
    createUpstreamProbe({
      baseUrl,
      ...(apiKey !== undefined && { apiKey }),
      apiKeyEnv,
      connectTimeoutMs,
    });
  probes.set(place, probe);
  return createOpenAiEngine({
    baseUrl,
    model: upstream.model,
    ...(apiKey !== undefined && { apiKey }),
    connectTimeoutMs,
    upstream: probe,
    headersTimeoutMs: settings.upstreamHeadersTimeoutMs,
    responseBytesMax: settings.upstreamResponseBytesMax,
    eventBytesMax: settings.upstreamEventBytesMax,
    idleTimeoutMs: settings.upstreamIdleTimeoutMs,
    connections: settings.upstreamConnections,
  });
}
