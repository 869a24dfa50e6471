import type { Config } from '../config/schema.ts';
import type { Catalog, CatalogEntry, Upstream } from '../inference/catalog.ts';
import type { ChatTask } from '../inference/engine.ts';
import { createEngines } from '../inference/engines.ts';
import { readCatalog } from '../start/read-catalog.ts';
import { count } from '../types/count.ts';
import type { Deployment } from './deployment.ts';
import { type Finding, failed, ok, silent, warning } from './finding.ts';

/** Enough tokens for one word of any tokenizer. */
const tokensMax = 16;

/**
 * Asks each upstream of each model for a short completion, all at once, with the deadline of a paid request. This costs
 * tokens at the upstream. A model inside the gateway is not asked, because the doctor would load it a second time.
 */
export async function checkCompletions(deployment: Deployment): Promise<readonly Finding[]> {
  const catalog = readCatalog(deployment.loaded.config.catalogFile);
  // The check of the models reports a broken catalog.
  if (!catalog.ok) return [];
  const pairs = catalog.value
    .list()
    .flatMap((entry) => entry.upstreams.map((upstream) => ({ entry, upstream })));
  if (pairs.length === 0) return [ok('completions', 'no model has an upstream')];
  const results = await Promise.all(
    pairs.map(async (pair) => ({ ...pair, issue: await ask(pair.entry, pair.upstream, deployment) })),
  );
  const written = new Set(results.filter(({ issue }) => issue === null).map(({ entry }) => entry.id));
  const found = results.flatMap(({ entry: { id }, upstream, issue }) => {
    if (issue === null) return [];
    const report = written.has(id) ? warning : failed;
    const text = `${id} got no completion from ${upstream.baseUrl}: ${issue}. Send a request to the upstream itself`;
    return [report('completions', text)];
  });
  return found.length > 0
    ? found
    : [ok('completions', `${count(results.length, 'completion')} from the upstreams`)];
}

/** Why the upstream wrote no completion; null when it did. */
async function ask(entry: CatalogEntry, upstream: Upstream, deployment: Deployment): Promise<string | null> {
  const { loaded, environment } = deployment;
  const alone = { ...entry, upstreams: [upstream] };
  const catalog: Catalog = { get: () => alone, list: () => [alone] };
  const engines = createEngines(catalog, loaded.config, environment, silent);
  if (!engines.ok) return engines.fault.join('. ');
  try {
    const inferred = await engines.value.engineFor(entry.id).infer(hello(entry), limitsOf(loaded.config));
    return inferred.ok ? null : inferred.fault.detail;
  } finally {
    await engines.value.close();
  }
}

function hello({ id, maxOutputTokens }: CatalogEntry): ChatTask {
  return {
    kind: 'chat',
    model: id,
    messages: [{ role: 'user', content: 'Say hello.' }],
    maxTokens: Math.min(tokensMax, maxOutputTokens),
    temperature: 0,
    stop: [],
    tools: [],
    toolChoice: { mode: 'none' },
    fields: {},
  };
}

function limitsOf({ inferenceTimeoutMs }: Config) {
  return { timeoutMs: inferenceTimeoutMs, signal: new AbortController().signal };
}
