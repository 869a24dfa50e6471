import type { Environment } from '../config/environment.ts';
import { commands } from '../start/commands.ts';
import { keptByNpm, missingDashes } from '../start/npm-options.ts';
import { parseOptions } from '../start/parse-options.ts';
import { fail, ok, type Result } from '../types/result.ts';

export const backupHelp = `Copies the SQLite store and its key into new files. Works beside a running gateway.

Usage: ${commands.backup} --out <file> [options]

  --out <file>       the new copy, for its owner alone; the key gets the same name with .key
  --config <file>    settings in YAML; by default gateway.yaml, if it exists
  --env-file <file>  variables, which the environment overrides; by default .env, if it exists
  --help             this text

The copy has each payment that was in the store when the command began. It holds signatures, and its key decrypts the
stored completions: keep both as you keep the store. PostgreSQL makes its own backups, for example by pg_dump.
Exit codes: 0 copied, 1 could not copy, 2 wrong usage or settings.`;

type BackupOptions = {
  /** Null with `help` only. */
  readonly out: string | null;
  readonly config: string | null;
  readonly envFile: string | null;
  readonly help: boolean;
};

const options = {
  out: { type: 'string' },
  config: { type: 'string' },
  'env-file': { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

/** Reads the arguments after the name of the command. The fault is a sentence. */
export function readBackupOptions(
  variables: Environment,
  args: readonly string[],
): Result<BackupOptions, string> {
  const kept = keptByNpm(Object.keys(options), 'backup', variables);
  if (kept.length > 0) return fail(`${missingDashes(kept)}: ${commands.backup} ${kept.join(' ')}`);
  try {
    const { out = null, config = null, 'env-file': envFile = null, help } = parseOptions(options, args);
    if (!out && !help) return fail('--out with the name of a new file is missing');
    return ok({ out: out || null, config, envFile, help });
  } catch (cause) {
    return fail(cause instanceof Error ? cause.message : String(cause));
  }
}
