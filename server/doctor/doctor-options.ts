import type { Environment } from '../config/environment.ts';
import { commands } from '../start/commands.ts';
import { keptByNpm, missingDashes } from '../start/npm-options.ts';
import { parseOptions } from '../start/parse-options.ts';
import { fail, ok, type Result } from '../types/result.ts';
import { checkNames } from './finding.ts';

export const doctorHelp = `Checks a deployment with the settings of its gateway, and says what to do. Works beside a running gateway.

Usage: ${commands.doctor} [options]

  --config <file>    settings in YAML; by default gateway.yaml, if it exists
  --env-file <file>  variables, which the environment overrides; by default .env, if it exists
  --json             write one JSON object to standard output
  --strict           count warnings as failures
  --completions      ask each upstream for a short completion, which costs tokens there
  --help             this text

Each line has a result, the name of a check, and what to do:

  ok       nothing to do
  warning  the gateway sells, and something needs attention
  failed   the gateway cannot start, sell or settle, or money may be lost

The checks: ${checkNames.join(', ')}.
The doctor changes nothing. It writes to the store once, and undoes the write.
Exit codes: 0 nothing failed, 1 a check failed, 2 wrong usage or settings.`;

export type DoctorOptions = {
  readonly config: string | null;
  readonly envFile: string | null;
  readonly json: boolean;
  readonly strict: boolean;
  readonly completions: boolean;
  readonly help: boolean;
};

const options = {
  config: { type: 'string' },
  'env-file': { type: 'string' },
  json: { type: 'boolean', default: false },
  strict: { type: 'boolean', default: false },
  completions: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/** Reads the arguments after the name of the command. The fault is a sentence. */
export function readDoctorOptions(
  variables: Environment,
  args: readonly string[],
): Result<DoctorOptions, string> {
  const kept = keptByNpm(Object.keys(options), 'doctor', variables);
  if (kept.length > 0) return fail(`${missingDashes(kept)}: ${commands.doctor} ${kept.join(' ')}`);
  try {
    const { config = null, 'env-file': envFile = null, ...values } = parseOptions(options, args);
    return ok({ ...values, config, envFile });
  } catch (cause) {
    return fail(cause instanceof Error ? cause.message : String(cause));
  }
}
