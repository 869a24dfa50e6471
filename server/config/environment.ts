type Setting = {
  readonly path: readonly string[];
  readonly kind: 'text' | 'number' | 'boolean';
  /** For the error about a missing setting without a default. */
  readonly example?: string;
};

/**
 * Environment variables, each with the setting that it overrides. Every public setting has a variable; advanced
 * settings have none. Secrets (`RELAYER_KEY`, `PROOF_LEDGER_KEY`, `FACILITATOR_TOKEN`, the keys of upstreams)
 * are never settings. The code that needs a secret reads it.
 */
export const environmentSettings = {
  HOST: { path: ['host'], kind: 'text' },
  PORT: { path: ['port'], kind: 'number' },
  ADMIN_ADDRESS: { path: ['adminAddress'], kind: 'text' },
  PUBLIC_BASE_URL: { path: ['publicBaseUrl'], kind: 'text' },
  TRUSTED_PROXIES: { path: ['trustedProxies'], kind: 'number' },
  CHAIN_RPC_URL: { path: ['chain', 'rpcUrl'], kind: 'text', example: 'https://node.example' },
  TOKEN_ADDRESS: { path: ['chain', 'asset'], kind: 'text', example: `0x${'12'.repeat(20)}` },
  TOKEN_NAME: { path: ['chain', 'tokenName'], kind: 'text', example: 'Dollar' },
  PAY_TO: { path: ['chain', 'payTo'], kind: 'text', example: `0x${'34'.repeat(20)}` },
  FACILITATOR_URL: { path: ['facilitator', 'url'], kind: 'text', example: 'https://facilitator.example' },
  PROOF_LEDGER_RPC_URL: { path: ['proofLedger', 'rpcUrl'], kind: 'text', example: 'https://ledger.example' },
  PROOF_LEDGER_CHAIN_ID: { path: ['proofLedger', 'chainId'], kind: 'number', example: '31740' },
  PROOF_LEDGER_CONTRACT: { path: ['proofLedger', 'contract'], kind: 'text', example: `0x${'56'.repeat(20)}` },
  DEVNET_FOLDER: { path: ['devnetFolder'], kind: 'text' },
  CATALOG_FILE: { path: ['catalogFile'], kind: 'text' },
  DATABASE_FILE: { path: ['databaseFile'], kind: 'text' },
  ATTESTATION_PROVIDER: { path: ['attestation', 'provider'], kind: 'text' },
  ATTESTATION_REQUIRED: { path: ['attestation', 'required'], kind: 'text' },
  LOG_LEVEL: { path: ['logLevel'], kind: 'text' },
  WEB_PAGE: { path: ['webPage'], kind: 'boolean' },
  CORS_ALLOW_ORIGIN: { path: ['corsAllowOrigin'], kind: 'text' },
  FEE_GWEI_MAX: { path: ['feeGweiMax'], kind: 'number' },
  ACCEPT_THIRD_PARTY_SENDERS: { path: ['acceptThirdPartySenders'], kind: 'boolean' },
} as const satisfies Record<string, Setting>;

export type Environment = Readonly<Record<string, string | undefined>>;

/** Overrides the content of the file with the environment. An empty variable counts as not set. */
export function overlayEnvironment(file: object, environment: Environment): Record<string, unknown> {
  const settings = structuredClone(file) as Record<string, unknown>;
  for (const [name, { path, kind }] of Object.entries(environmentSettings)) {
    const text = environment[name];
    if (text === undefined || text === '') continue;
    place(settings, path, parseText(text, kind));
  }
  return settings;
}

/** Text that is no number or boolean stays text, so that the error of the schema shows it. */
function parseText(text: string, kind: Setting['kind']): unknown {
  if (kind === 'number' && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (kind === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** Finds the variable of a setting, for an error message. */
export function findVariable(path: readonly PropertyKey[]): string | null {
  return settingAt(path)?.[0] ?? null;
}

/** An example of a missing setting, as in a shell; null if no variable sets it. */
export function formatExample(path: readonly PropertyKey[]): string | null {
  const [name, setting] = settingAt(path) ?? [];
  return name === undefined || setting?.example === undefined ? null : `${name}=${setting.example}`;
}

function settingAt(path: readonly PropertyKey[]): [string, Setting] | undefined {
  const wanted = path.map(String).join('.');
  return Object.entries<Setting>(environmentSettings).find(
    ([, setting]) => setting.path.join('.') === wanted,
  );
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
