import type { Environment } from '../config/environment.ts';
import { settingsTable } from '../config/table.ts';
import { commands } from './commands.ts';
import { readManifest } from './manifest.ts';
import { keptByNpm, missingDashes } from './npm-options.ts';
import { parseOptions } from './parse-options.ts';

const help = `Runs the gateway until it is interrupted.

Usage: ${commands.start} [options]

  --config <file>    settings in YAML; by default gateway.yaml, if it exists
  --env-file <file>  variables, which the environment overrides; by default .env, if it exists
  --json             write one JSON line to standard output when ready, and nothing else

Print, and start nothing:

  --check-config     how the gateway would run, or all errors; as JSON with --json
  --print-config     the settings in effect, without secrets, as YAML; as JSON with --json
  --settings         every setting, its default, and when to change it
  --version          name and version
  --help             this text

Three commands work beside a running gateway:

  ${commands.backup} --help
  ${commands.doctor} --help
  ${commands.export} --help

Without a chain in the settings the gateway starts an embedded devnet with a token and a funded payer.
The log is pretty on a terminal and JSON elsewhere. LOG_FORMAT=json or LOG_FORMAT=pretty overrides this choice.
Exit codes: 0 stopped or printed, 1 could not start, 2 wrong usage or settings.`;

export type Arguments =
  | {
      readonly kind: 'run' | 'check-config' | 'print-config';
      readonly config: string | null;
      readonly envFile: string | null;
      readonly json: boolean;
    }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'wrong'; readonly faults: readonly string[] };

// Node itself reads `--env-file` from all arguments up to `--`. So `npm start` puts a `--` before the program.
const argumentOptions = {
  config: { type: 'string' },
  'env-file': { type: 'string' },
  json: { type: 'boolean', default: false },
  'check-config': { type: 'boolean', default: false },
  'print-config': { type: 'boolean', default: false },
  settings: { type: 'boolean', default: false },
  version: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

export function readArguments(environment: Environment, args?: string[]): Arguments {
  const kept = keptByNpm(Object.keys(argumentOptions), 'start', environment);
  if (kept.length > 0)
    return { kind: 'wrong', faults: [`${missingDashes(kept)}: npm start -- ${kept.join(' ')}`] };
  try {
    const values = parseOptions(argumentOptions, args);
    if (values.help) return { kind: 'text', text: help };
    const empty = (['config', 'env-file'] as const).find((name) => values[name] === '');
    if (empty !== undefined) return wrong(`--${empty} is empty. Give it a value, or leave it out.`);
    const asked = (['check-config', 'print-config', 'settings', 'version'] as const).filter(
      (name) => values[name],
    );
    const [kind = 'run', another] = asked;
    if (another !== undefined) return wrong(`--${kind} and --${another} exclude each other. Leave one out.`);
    if (kind === 'settings') return { kind: 'text', text: settingsTable() };
    if (kind === 'version') return { kind: 'text', text: nameAndVersion() };
    return { kind, config: values.config ?? null, envFile: values['env-file'] ?? null, json: values.json };
  } catch (cause) {
    return wrong(cause instanceof Error ? cause.message : String(cause));
  }
}

function wrong(fault: string): Arguments {
  return { kind: 'wrong', faults: [fault, `${commands.start} --help lists all options`] };
}

function nameAndVersion(): string {
  const { bin, version } = readManifest();
  return `${Object.keys(bin).join()} ${version}`;
}
