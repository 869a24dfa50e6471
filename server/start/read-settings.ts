import type { Environment } from '../config/environment.ts';
import { type ReadConfig, readConfig } from '../config/load.ts';
import { hasEntry } from '../types/read-fault.ts';
import { ok, type Result } from '../types/result.ts';
import { readEnvironment } from './env-file.ts';

const settingsFile = 'gateway.yaml';

/** The options that name files of settings; null for the usual files. */
export type SettingsFiles = { readonly config: string | null; readonly envFile: string | null };

/** Reads variables and settings as every command of the gateway does. The fault is about the env file. */
export function readSettings(
  variables: Environment,
  { config, envFile }: SettingsFiles,
): Result<{ readonly read: ReadConfig; readonly environment: Environment }, string> {
  const full = readEnvironment(variables, envFile);
  if (!full.ok) return full;
  const { environment, warnings } = full.value;
  const file = config ?? (hasEntry(settingsFile) ? settingsFile : null);
  return ok({ read: readConfig(file, environment, warnings), environment });
}
