import { resolve } from 'node:path';
import type { Environment } from '../config/environment.ts';
import type { Loaded } from '../config/load.ts';
import { commands } from '../start/commands.ts';
import { readSettings } from '../start/read-settings.ts';
import { reportFaults, toLine } from '../start/report-faults.ts';
import { findStorePath } from '../start/store-path.ts';
import { copySqliteStore } from '../store/sqlite/copy-store.ts';
import { count } from '../types/count.ts';
import { backupHelp, readBackupOptions } from './backup-options.ts';

const exitCode = { copied: 0, failed: 1, usage: 2 } as const;

/** Runs the command, and returns its exit code. */
export function runBackup(variables: Environment, args: readonly string[]): number {
  const read = readBackupOptions(variables, args);
  if (!read.ok) return refuse('Wrong usage:', [read.fault, `${commands.backup} --help lists all options`]);
  const { out, help } = read.value;
  if (help || out === null) {
    console.log(backupHelp);
    return exitCode.copied;
  }
  const settings = readSettings(variables, read.value);
  if (!settings.ok) return refuse('The settings are wrong:', [settings.fault]);
  const { loaded, faults } = settings.value.read;
  // A fault about the store would otherwise copy another store.
  if (loaded === null || faults.length > 0) return refuse('The settings are wrong:', faults);
  if (loaded.store) return refuse('Wrong usage:', [inPostgres]);
  try {
    return copy(loaded, resolve(out));
  } catch (cause) {
    console.error(toLine(`The backup failed: ${cause instanceof Error ? cause.message : String(cause)}`));
    return exitCode.failed;
  }
}

const inPostgres =
  'the store is in PostgreSQL, which makes its own backups: run pg_dump --format=custom --schema=paid_inference, and keep COMPLETION_KEY';

function copy({ config }: Loaded, out: string): number {
  const path = findStorePath(config);
  const { version, payments, bytes, keyPath } = copySqliteStore(path, out, config.databaseBusyTimeoutMs);
  const size = `version ${version}, ${count(payments, 'payment')}, ${Math.ceil(bytes / 1e6)} MB`;
  const key = keyPath === null ? 'The store has no key yet.' : `Its key is in ${keyPath}.`;
  console.error(toLine(`Copied the store ${path} (${size}) to ${out}. ${key}`));
  return exitCode.copied;
}

function refuse(headline: string, faults: readonly string[]): number {
  reportFaults(headline, faults);
  return exitCode.usage;
}
