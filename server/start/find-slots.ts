import type { CatalogEntry } from '../inference/catalog.ts';
import type { EngineUpstream } from '../inference/engine.ts';
import type { SlotPool } from '../request/inference-slots.ts';

/**
 * Without its own limit, a model runs as many inferences as its upstreams have connections. Upstreams that do
 * not work do not count, and all models of one engine share its connections (D-431).
 */
export function findSlots(
  {
    id,
    inferencesMax,
    upstreams,
  }: Pick<CatalogEntry, 'id' | 'inferencesMax'> & { readonly upstreams: readonly unknown[] },
  engine: { readonly upstreams?: readonly Pick<EngineUpstream, 'isWorking'>[] },
  upstreamConnections: number,
): SlotPool {
  if (inferencesMax !== null || upstreams.length === 0) return { pool: id, max: () => inferencesMax };
  const countWorking = () => engine.upstreams?.filter((upstream) => upstream.isWorking()).length ?? 0;
  return { pool: engine, max: () => Math.max(1, countWorking()) * upstreamConnections };
}
