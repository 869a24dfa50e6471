import type { Environment } from '../config/environment.ts';
import { commands } from '../start/commands.ts';
import { keptByNpm, missingDashes } from '../start/npm-options.ts';
import { parseOptions } from '../start/parse-options.ts';
import type { PaymentFilter } from '../store/reader.ts';
import { type PaymentState, transitions } from '../types/payment-states.ts';
import { fail, ok, type Result } from '../types/result.ts';
import { type UnixSeconds, unixSeconds } from '../types/units.ts';

const states = Object.keys(transitions) as readonly PaymentState[];

export const exportHelp = `Writes the payments of a store, with their receipts, as CSV or JSON. Works beside a running gateway.

Usage: ${commands.export} [options]

  --format <format>  csv or json; by default csv
  --out <file>       a new file for its owner alone; by default standard output
  --from <time>      only payments that were reserved at this time or later
  --to <time>        only payments that were reserved before this time
  --state <states>   only payments in these states, separated by commas
  --reconcile        compare charged payments and transfers to their recipients, on the chain
  --config <file>    settings in YAML; by default gateway.yaml, if it exists
  --env-file <file>  variables, which the environment overrides; by default .env, if it exists
  --help             this text

A time is a date, such as 2026-11-01, or a date and a time with its zone, such as 2026-11-01T12:00:00Z. A date begins in
UTC. The states: ${states.join(', ')}.
The export has no signature, no request and no completion. Amounts are in the token's smallest unit.
With --reconcile, standard error lists each charged payment without a transfer, and each transfer without a charged
payment, of the time from --from to --to. A payment that the chain has yet to decide about is no difference.
Exit codes: 0 exported, 1 could not export, 2 wrong usage or settings, 3 exported with differences.`;

export type ExportOptions = {
  readonly format: 'csv' | 'json';
  readonly out: string | null;
  readonly filter: PaymentFilter;
  readonly reconcile: boolean;
  readonly config: string | null;
  readonly envFile: string | null;
  readonly help: boolean;
};

const options = {
  format: { type: 'string', default: 'csv' },
  out: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  state: { type: 'string' },
  reconcile: { type: 'boolean', default: false },
  config: { type: 'string' },
  'env-file': { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

/** Reads the arguments after the name of the command. Each fault is a sentence. */
export function readExportOptions(
  variables: Environment,
  args: readonly string[],
): Result<ExportOptions, readonly string[]> {
  const kept = keptByNpm(Object.keys(options), 'export', variables);
  if (kept.length > 0) return fail([`${missingDashes(kept)}: ${commands.export} ${kept.join(' ')}`]);
  try {
    const values = parseOptions(options, args);
    const { format, out = null, config = null, 'env-file': envFile = null, reconcile, help } = values;
    const faults: string[] = [];
    if (format !== 'csv' && format !== 'json') faults.push(`--format is ${format}; it must be csv or json`);
    if (out === '') faults.push('--out has no name of a new file');
    const [from, until] = [readTime('--from', values.from, faults), readTime('--to', values.to, faults)];
    if (from !== null && until !== null && from >= until) faults.push('--from must be before --to');
    const filter = { from, until, states: readStates(values.state, faults) };
    if (faults.length > 0) return fail(faults);
    return ok({ format: format === 'json' ? format : 'csv', out, filter, reconcile, config, envFile, help });
  } catch (cause) {
    return fail([cause instanceof Error ? cause.message : String(cause)]);
  }
}

const timeForm = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d))?$/;

function readTime(name: string, text: string | undefined, faults: string[]): UnixSeconds | null {
  if (text === undefined) return null;
  // `Date.parse` takes 30 February for 2 March.
  const date = text.slice(0, 10);
  const began = new Date(`${date}T00:00:00Z`);
  const isDate =
    timeForm.test(text) && !Number.isNaN(began.getTime()) && began.toISOString().startsWith(date);
  const milliseconds = isDate ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(milliseconds)) {
    faults.push(`${name} is ${text}; it must be such as 2026-11-01 or 2026-11-01T12:00:00Z`);
    return null;
  }
  return unixSeconds(Math.max(0, milliseconds / 1_000));
}

function readStates(text: string | undefined, faults: string[]): readonly PaymentState[] {
  if (text === undefined) return states;
  const named = text.split(',').map((word) => word.trim());
  const unknown = named.filter((word) => !(states as readonly string[]).includes(word));
  if (unknown.length > 0)
    faults.push(`--state has ${unknown.join(', ')}; the states are ${states.join(', ')}`);
  return named as PaymentState[];
}
