import { readFileSync } from 'node:fs';
import { parse, YAMLParseError } from 'yaml';
import { describeReadCode } from '../types/read-fault.ts';
import { fail, ok, type Result } from '../types/result.ts';
import { type Bytes32, parseBytes32 } from '../types/units.ts';
import { flattenSettings } from './advanced.ts';
import { type Environment, overlayEnvironment } from './environment.ts';
import { checkFacilitator, readFacilitatorToken } from './facilitator.ts';
import { readLogFormat } from './log-format.ts';
import { readProofLedgerKey } from './proof-ledger-key.ts';
import { listIssues } from './relations.ts';
import { readRelayerKeys } from './relayer-keys.ts';
import { isSetUnderOldName, renamedVariableFaults } from './renamed.ts';
import { type Config, configSchema } from './schema.ts';
import { ignoredVariables, validationErrors } from './validation-error.ts';

/** The URL of a shared store, and the key that encrypts the completions in it. */
export type StoreSecrets = { readonly url: string; readonly completionKey: Uint8Array };

/** Settings, and the secrets of the process. */
export type Loaded = {
  readonly config: Config;
  /** One key for each relayer; empty on the devnet and with a facilitator. */
  readonly relayerKeys: readonly Bytes32[];
  /** Absent or null for a facilitator without a token. */
  readonly facilitatorToken?: string | null;
  /** The key that writes to the proof ledger; absent or null on the devnet, which has its own. */
  readonly proofLedgerKey?: Bytes32 | null;
  /** Absent or null for the embedded store. */
  readonly store?: StoreSecrets | null;
  /** Absent or null if the terminal decides. */
  readonly logFormat?: 'json' | 'pretty' | null;
  /** Sentences about variables without effect. */
  readonly warnings?: readonly string[];
};

/**
 * The result of reading the settings. After the fault of a key `loaded` is set all the same, so that the chain
 * can be checked.
 */
export type ReadConfig = {
  /** Null if the settings themselves are invalid. */
  readonly loaded: Loaded | null;
  /** The settings as written, valid or not, without the level `advanced`. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** All faults, each with the setting, the variable, and the valid values. */
  readonly faults: readonly string[];
};

/**
 * Reads settings from an optional YAML file and from the environment, which overrides the file.
 * `earlierWarnings` come first.
 */
export function readConfig(
  file: string | null,
  environment: Environment,
  earlierWarnings: readonly string[] = [],
): ReadConfig {
  const content = file === null ? ok({}) : readSettings(file);
  if (!content.ok)
    return { loaded: null, settings: overlayEnvironment({}, environment), faults: content.fault };
  const flattened = flattenSettings(content.value);
  const settings = overlayEnvironment(flattened.settings, environment);
  const read = configSchema.safeParse(settings);
  const issues = listIssues(settings);
  const faults = [...flattened.faults, ...issues.flatMap((issue) => validationErrors(issue, settings))];
  faults.push(...renamedVariableFaults(environment));
  const hasFacilitator = 'facilitator' in settings;
  const relayerKeys = readRelayerKeys(environment, 'chain' in settings && !hasFacilitator, faults);
  const facilitatorToken = readFacilitatorToken(environment, faults);
  if (hasFacilitator) checkFacilitator(environment, settings, faults);
  const proofLedgerKey = readProofLedgerKey(environment, settings, faults);
  const store = readStore(environment, 'chain' in settings, faults);
  const logFormat = readLogFormat(environment, faults);
  if (!read.success || issues.length + flattened.faults.length > 0) return { loaded: null, settings, faults };
  const keys = { relayerKeys, facilitatorToken, proofLedgerKey };
  const warnings = [...earlierWarnings, ...ignoredVariables(environment, settings)];
  return {
    loaded: { config: Object.freeze(read.data), ...keys, store, logFormat, warnings },
    settings,
    faults,
  };
}

/** The same for a caller that needs valid settings. */
export function loadConfig(file: string | null, environment: Environment): Result<Loaded, readonly string[]> {
  const { loaded, faults } = readConfig(file, environment);
  return loaded === null || faults.length > 0 ? fail(faults) : ok(loaded);
}

function readSettings(file: string): Result<object, readonly string[]> {
  try {
    // Warnings of the parser would print lines of the file, and a line may contain the key of an RPC endpoint.
    const content: unknown = parse(readFileSync(file, 'utf8'), { logLevel: 'error' }) ?? {};
    if (typeof content === 'object' && !Array.isArray(content)) return ok(content as object);
    return fail([`${file}: must be a mapping of settings`]);
  } catch (cause) {
    const { code = 'unknown', message } = cause as NodeJS.ErrnoException;
    // The first line of the message has line and column; the others quote the file.
    const position = cause instanceof YAMLParseError ? message.split('\n')[0]?.replace(/:$/, '') : null;
    const why = position ?? (cause instanceof ReferenceError ? aliasFault : describeReadCode(code, file));
    return fail([`${file}: cannot be read: ${why}. Repair the file, or name another with --config.`]);
  }
}

/** The parser throws a ReferenceError for these two faults. Its message may quote the file. */
const aliasFault = 'it has too many aliases, or an alias without an anchor';

/** A store that gateways share. All of them need the same key to read each other's completions. */
function readStore(environment: Environment, hasChain: boolean, faults: string[]): StoreSecrets | null {
  const url = environment['DATABASE_URL'];
  if (!url) return null;
  if (!hasChain)
    faults.push(
      'DATABASE_URL: a shared store needs a real chain, and none is set. Set CHAIN_RPC_URL, TOKEN_ADDRESS, TOKEN_NAME and PAY_TO too, or unset DATABASE_URL.',
    );
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url))
    faults.push('DATABASE_URL: must be a URL such as postgres://user:password@host:5432/database');
  const text = environment['COMPLETION_KEY'];
  const key = parseBytes32(text ?? '');
  if (key === null && (text || !isSetUnderOldName('COMPLETION_KEY', environment)))
    faults.push(
      'COMPLETION_KEY: a shared store needs 32 bytes in hex, 0x-prefixed, the same for every gateway. Make them with: echo 0x$(openssl rand -hex 32)',
    );
  if (key === null) return null;
  return { url, completionKey: Buffer.from(key.slice(2), 'hex') };
}
