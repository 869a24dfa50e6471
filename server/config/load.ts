import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { fail, ok, type Result } from '../vocabulary/result.ts';
import { type Bytes32, parseBytes32 } from '../vocabulary/units.ts';
import { type Environment, exampleOf, overlayEnvironment, variableOf } from './environment.ts';
import { checkFacilitator, readFacilitatorToken } from './facilitator.ts';
import { readProofLedgerKey } from './proof-ledger-key.ts';
import { readRelayerKeys } from './relayer-keys.ts';
import { type Config, configSchema } from './schema.ts';

/** Where many gateways keep one ledger, and what seals the answers in it. */
export type LedgerSecrets = { readonly url: string; readonly answerKey: Uint8Array };

/** Settings, and the secrets that the process itself needs. */
export type Loaded = {
  readonly config: Config;
  /** One for each relayer; empty without a chain of one's own, and where a facilitator settles. */
  readonly relayerKeys: readonly Bytes32[];
  /** Absent or null for a facilitator that asks for none. */
  readonly facilitatorToken?: string | null;
  /** Writes the ledger network; absent or null with the devnet, which brings its own. */
  readonly proofLedgerKey?: Bytes32 | null;
  /** Absent or null for the embedded ledger. */
  readonly ledger?: LedgerSecrets | null;
};

/**
 * Reads settings from a YAML file, if there is one, and the environment above it. The fault lists everything that is
 * wrong, each with the setting, the variable, and what it must be.
 */
export function loadConfig(file: string | null, environment: Environment): Result<Loaded, readonly string[]> {
  const content = file === null ? ok({}) : readSettings(file);
  if (!content.ok) return content;
  const settings = overlayEnvironment(content.value, environment);
  const read = configSchema.safeParse(settings);
  const faults = read.success ? [] : read.error.issues.flatMap((issue) => sentences(issue, settings));
  const hasFacilitator = 'facilitator' in settings;
  const relayerKeys = readRelayerKeys(environment, 'chain' in settings && !hasFacilitator, faults);
  const facilitatorToken = readFacilitatorToken(environment, faults);
  if (hasFacilitator) checkFacilitator(environment, settings, faults);
  const proofLedgerKey = readProofLedgerKey(environment, settings, faults);
  const ledger = readLedger(environment, 'chain' in settings, faults);
  if (!read.success || faults.length > 0) return fail(faults);
  const keys = { relayerKeys, facilitatorToken, proofLedgerKey };
  return ok({ config: Object.freeze(read.data), ...keys, ledger });
}

function readSettings(file: string): Result<object, readonly string[]> {
  try {
    // A warning of the parser would print lines of the file, and one of them may hold the key of an RPC endpoint.
    const content: unknown = parse(readFileSync(file, 'utf8'), { logLevel: 'error' }) ?? {};
    if (typeof content === 'object' && !Array.isArray(content)) return ok(content as object);
    return fail([`${file}: must be a mapping of settings`]);
  } catch (cause) {
    return fail([
      `${file}: cannot be read: ${cause instanceof Error ? cause.message.split('\n')[0] : 'unknown'}`,
    ]);
  }
}

type Issue = {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
};

function sentences(issue: Issue, settings: object): string[] {
  const at = issue.path.map(String).join('.');
  if (issue.keys)
    return issue.keys.map((key) => `${[at, key].filter(Boolean).join('.')}: there is no such setting`);
  const variable = variableOf(issue.path);
  return [`${at}${variable ? ` (${variable})` : ''}: ${missing(issue, settings) ?? issue.message}`];
}

/** What to set where nothing is; null where something is that is wrong, or what the schema says is of more use. */
function missing({ path }: Issue, settings: object): string | null {
  const example = exampleOf(path);
  if (example === null || valueAt(settings, path) !== undefined) return null;
  return `is missing; set it, for example ${example}`;
}

function valueAt(settings: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    settings,
  );
}

/** A ledger that gateways share; all of them need the same key to read each other's answers. */
function readLedger(environment: Environment, hasChain: boolean, faults: string[]): LedgerSecrets | null {
  const url = environment['LEDGER_URL'];
  if (!url) return null;
  if (!hasChain) faults.push('LEDGER_URL: gateways that share a ledger need a chain that they share');
  if (!/^postgres(ql)?:\/\//.test(url)) faults.push('LEDGER_URL: must be a postgres:// URL');
  const key = parseBytes32(environment['ANSWER_KEY'] ?? '');
  if (key === null) {
    faults.push('ANSWER_KEY: a shared ledger needs 32 bytes in hex, 0x-prefixed, the same for every gateway');
    return null;
  }
  return { url, answerKey: Buffer.from(key.slice(2), 'hex') };
}
