import type { Catalog, CatalogEntry } from './catalog.ts';

/** Returns a sentence for each variable of an upstream key that is missing or invalid. */
export function missingUpstreamKeys(
  catalog: Catalog,
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  return catalog.list().flatMap((entry) => missingKeys(entry, environment));
}

function missingKeys(
  { id, upstreams }: CatalogEntry,
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const names = new Set(upstreams.flatMap(({ apiKeyEnv }) => apiKeyEnv ?? []));
  return [...names].flatMap((name) => {
    const key = environment[name] ?? '';
    if (key === '') return [`${name} must be set in the environment, because the model ${id} needs it`];
    // A header cannot carry other characters. The check at the start prevents a failure at the first request.
    return /^[\x21-\x7e]+$/.test(key) ? [] : [`${name} must have visible ASCII characters only`];
  });
}
