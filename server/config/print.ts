import { stringify } from 'yaml';
import { nestSettings } from './advanced.ts';
import { maskUrl } from './mask-url.ts';
import type { Config } from './schema.ts';

/** Settings that clients see anyway, and that hold no secret. */
const seenByClients: ReadonlySet<string> = new Set(['publicBaseUrl', 'corsAllowOrigin']);

/** Presents the effective settings as a settings file, with *** for the keys in URLs. */
export function presentSettings(config: Config): Readonly<Record<string, unknown>> {
  const shown = Object.entries(config).map(([name, value]) => [
    name,
    seenByClients.has(name) ? value : maskUrls(value),
  ]);
  return nestSettings(Object.fromEntries(shown));
}

export function settingsAsYaml(config: Config): string {
  return stringify(presentSettings(config), { lineWidth: 0 });
}

function maskUrls(value: unknown): unknown {
  if (typeof value === 'string') return /^https?:/i.test(value) ? maskUrl(value) : value;
  if (Array.isArray(value)) return value.map(maskUrls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, maskUrls(part)]));
}
