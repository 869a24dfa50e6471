import type { EngineProbe } from '../inference/engine.ts';
import { createEngines } from '../inference/engines.ts';
import { readCatalog } from '../start/read-catalog.ts';
import { count } from '../types/count.ts';
import type { Deployment } from './deployment.ts';
import { type Finding, failed, ok, silent, warning } from './finding.ts';

/** Reads the catalog, and probes each upstream once. A probe costs no tokens. */
export async function checkModels({ loaded, environment }: Deployment): Promise<readonly Finding[]> {
  const catalog = readCatalog(loaded.config.catalogFile);
  if (!catalog.ok) return catalog.fault.map((fault) => failed('models', fault));
  const engines = createEngines(catalog.value, loaded.config, environment, silent);
  if (!engines.ok) return engines.fault.map((fault) => failed('models', fault));
  try {
    const models = catalog.value.list().map(({ id }) => {
      const { upstreams = [] } = engines.value.engineFor(id);
      return { id, probes: upstreams.map(({ probe }) => probe) };
    });
    const probes = [...new Set(models.flatMap((model) => model.probes))];
    const issues = new Map(
      await Promise.all(probes.map(async (probe) => [probe, await probe.issue()] as const)),
    );
    const isAway = (probe: EngineProbe) => issues.get(probe) !== null;
    const unsold = models.filter((model) => model.probes.length > 0 && model.probes.every(isAway));
    const report = unsold.length === models.length ? failed : warning;
    const found = probes.filter(isAway).map((probe) => {
      const served = models.filter((model) => model.probes.includes(probe));
      const stopped = served.filter((model) => unsold.includes(model));
      const effect = stopped.length > 0 ? 'cannot be sold now' : 'has an upstream less';
      const ids = nameSome((stopped.length > 0 ? stopped : served).map(({ id }) => id));
      return report(
        'models',
        `${ids} ${effect}: ${issues.get(probe)}. Start the upstream, or change its entry in the catalog`,
      );
    });
    const place =
      probes.length === 0 ? 'inside the gateway' : `from ${count(probes.length, 'upstream')} in reach`;
    return found.length > 0 ? found : [ok('models', `${count(models.length, 'model')} ${place}`)];
  } finally {
    await engines.value.close();
  }
}

const namedMax = 5;

function nameSome(ids: readonly string[]): string {
  const more = ids.length > namedMax ? ` and ${ids.length - namedMax} more` : '';
  return ids.slice(0, namedMax).join(', ') + more;
}
