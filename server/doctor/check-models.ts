import type { EngineUpstream } from '../inference/engine.ts';
import { createEngines } from '../inference/engines.ts';
import { readCatalog } from '../start/read-catalog.ts';
import { count } from '../types/count.ts';
import type { Deployment } from './deployment.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

/** Reads the catalog, and probes each upstream once. A probe costs no tokens. */
export async function checkModels({ loaded, environment }: Deployment): Promise<readonly Finding[]> {
  const catalog = readCatalog(loaded.config.catalogFile);
  if (!catalog.ok) return catalog.fault.map((fault) => failed('models', fault));
  const engines = createEngines(catalog.value, loaded.config, environment);
  if (!engines.ok) return engines.fault.map((fault) => failed('models', fault));
  try {
    const models = catalog.value.list().map(({ id }) => id);
    const ofUpstreams = new Map<EngineUpstream, string[]>();
    for (const id of models) {
      const { upstream } = engines.value.engineFor(id);
      if (upstream) ofUpstreams.set(upstream, [...(ofUpstreams.get(upstream) ?? []), id]);
    }
    const issues = await Promise.all(
      [...ofUpstreams].map(async ([upstream, ids]) => ({ ids, issue: await upstream.issue() })),
    );
    const away = issues.filter(({ issue }) => issue !== null);
    const unsold = away.flatMap(({ ids }) => ids).length;
    const report = unsold === models.length ? failed : warning;
    const found = away.map(({ ids, issue }) =>
      report(
        'models',
        `${nameSome(ids)} cannot be sold now: ${issue}. Start the upstream, or change its entry in the catalog`,
      ),
    );
    const upstreams =
      ofUpstreams.size === 0 ? 'inside the gateway' : `from ${count(ofUpstreams.size, 'upstream')} in reach`;
    return found.length > 0 ? found : [ok('models', `${count(models.length, 'model')} ${upstreams}`)];
  } finally {
    await engines.value.close();
  }
}

const namedMax = 5;

function nameSome(ids: readonly string[]): string {
  const more = ids.length > namedMax ? ` and ${ids.length - namedMax} more` : '';
  return ids.slice(0, namedMax).join(', ') + more;
}
