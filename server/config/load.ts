import { readFileSync } from 'node:fs';
import { computeAddress } from 'ethers';
import { parse } from 'yaml';
import { fail, ok, type Result } from '../vocabulary/result.ts';
import { type Bytes32, parseBytes32 } from '../vocabulary/units.ts';
import { type Environment, overlayEnvironment, variableOf } from './environment.ts';
import { type Config, configSchema } from './schema.ts';

/** Where many gateways keep one ledger, and what seals the answers in it. */
export type LedgerSecrets = { readonly url: string; readonly answerKey: Uint8Array };

/** Settings, and the one secret that the process itself needs. */
export type Loaded = {
  readonly config: Config;
  readonly relayerKey: Bytes32 | null;
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
  const faults = read.success ? [] : read.error.issues.flatMap(sentences);
  const relayerKey = readRelayerKey(environment, 'chain' in settings, faults);
  const ledger = readLedger(environment, 'chain' in settings, faults);
  if (!read.success || faults.length > 0) return fail(faults);
  return ok({ config: Object.freeze(read.data), relayerKey, ledger });
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

function sentences(issue: Issue): string[] {
  const at = issue.path.map(String).join('.');
  if (issue.keys)
    return issue.keys.map((key) => `${[at, key].filter(Boolean).join('.')}: there is no such setting`);
  const variable = variableOf(issue.path);
  return [`${at}${variable ? ` (${variable})` : ''}: ${issue.message}`];
}

/** From the environment or a file named there, never from the settings; its value is never said. */
function readRelayerKey(environment: Environment, needed: boolean, faults: string[]): Bytes32 | null {
  const file = environment['RELAYER_KEY_FILE'];
  const text = environment['RELAYER_KEY'] || (file && readKeyFile(file, faults));
  if (text === null) return null;
  if (!text) {
    if (needed) faults.push('RELAYER_KEY or RELAYER_KEY_FILE: a real chain needs a key that pays for gas');
    return null;
  }
  const key = parseBytes32(text.trim().startsWith('0x') ? text.trim() : `0x${text.trim()}`);
  try {
    if (key !== null) computeAddress(key);
    if (key !== null) return key;
  } catch {
    // Out of the curve's range: no key either.
  }
  faults.push('RELAYER_KEY: must be a private key of 32 bytes in hex');
  return null;
}

/** Null when the file cannot be read, which is a fault of its own. */
function readKeyFile(file: string, faults: string[]): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    faults.push(`RELAYER_KEY_FILE: ${file} cannot be read`);
    return null;
  }
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
