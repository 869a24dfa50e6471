import type { Catalog, CatalogEntry } from './catalog.ts';

/** Returns a sentence for each variable of an upstream key that is missing or invalid. */
export function missingUpstreamKeys(
  catalog: Catalog,
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  return catalog.list().flatMap((entry) => missingKey(entry, environment));
}

function missingKey(
  { id, upstream }: CatalogEntry,
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  if (upstream === null || upstream.apiKeyEnv === null) return [];
  const key = environment[upstream.apiKeyEnv] ?? '';
  if (key === '')
    return [`${upstream.apiKeyEnv} must be set in the environment, because the model ${id} needs it`];
  // A header cannot carry other characters. The check at the start prevents a failure at the first request.
  if (!/^[\x21-\x7e]+$/.test(key)) return [`${upstream.apiKeyEnv} must have visible ASCII characters only`];
  return [];
}
