/**
 * Environment variables by the setting that each overrides. Only what differs between machines is here; the rest is for
 * the file. The two secrets, `RELAYER_KEY` and the keys of upstreams, are read where they are used and are never settings.
 */
export const environmentSettings = {
  HOST: { path: ['host'], kind: 'text' },
  PORT: { path: ['port'], kind: 'number' },
  PUBLIC_BASE_URL: { path: ['publicBaseUrl'], kind: 'text' },
  CHAIN_RPC_URL: { path: ['chain', 'rpcUrl'], kind: 'text' },
  TOKEN_ADDRESS: { path: ['chain', 'asset'], kind: 'text' },
  TOKEN_NAME: { path: ['chain', 'tokenName'], kind: 'text' },
  PAY_TO: { path: ['chain', 'payTo'], kind: 'text' },
  DEVNET_FOLDER: { path: ['devnetFolder'], kind: 'text' },
  CATALOG_FILE: { path: ['catalogFile'], kind: 'text' },
  DATABASE_FILE: { path: ['databaseFile'], kind: 'text' },
  LOG_LEVEL: { path: ['logLevel'], kind: 'text' },
} as const satisfies Record<string, { path: readonly string[]; kind: 'text' | 'number' }>;

export type Environment = Readonly<Record<string, string | undefined>>;

/** Lays the environment over the content of the file; an empty variable counts as not set. */
export function overlayEnvironment(file: object, environment: Environment): object {
  const settings = structuredClone(file) as Record<string, unknown>;
  for (const [name, { path, kind }] of Object.entries(environmentSettings)) {
    const text = environment[name];
    if (text === undefined || text === '') continue;
    // What is not a number stays text, so that the schema complains about what was written.
    const value = kind === 'number' && /^\d+$/.test(text) ? Number(text) : text;
    place(settings, path, value);
  }
  return settings;
}

/** The variable behind a setting, for a message that says what to change. */
export function variableOf(path: readonly PropertyKey[]): string | null {
  const wanted = path.map(String).join('.');
  const found = Object.entries(environmentSettings).find(([, setting]) => setting.path.join('.') === wanted);
  return found?.[0] ?? null;
}

function place(settings: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [first, ...rest] = path;
  if (first === undefined) return;
  if (rest.length === 0) {
    settings[first] = value;
    return;
  }
  const inner = typeof settings[first] === 'object' && settings[first] !== null ? settings[first] : {};
  settings[first] = inner;
  place(inner as Record<string, unknown>, rest, value);
}
