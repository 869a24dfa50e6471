import { Readable } from 'node:stream';
import type { Environment } from '../config/environment.ts';
import type { Loaded } from '../config/load.ts';
import { commands } from '../start/commands.ts';
import { openReader } from '../start/open-reader.ts';
import { readSettings } from '../start/read-settings.ts';
import { reportFaults, toLine } from '../start/report-faults.ts';
import { findStorePath } from '../start/store-path.ts';
import { count } from '../types/count.ts';
import { type ExportOptions, exportHelp, readExportOptions } from './export-options.ts';
import { readRows } from './read-rows.ts';
import { openReconciliation, type Reconciliation } from './reconciliation.ts';
import { writeCsv, writeJson } from './rows.ts';
import { writeNewFile, writeToOutput } from './write-text.ts';

const exitCode = { exported: 0, failed: 1, usage: 2, differences: 3 } as const;

/** Runs the command, and returns its exit code. */
export async function runExport(variables: Environment, args: readonly string[]): Promise<number> {
  const read = readExportOptions(variables, args);
  if (!read.ok) return refuse('Wrong usage:', [...read.fault, `${commands.export} --help lists all options`]);
  const options = read.value;
  if (options.help) {
    console.log(exportHelp);
    return exitCode.exported;
  }
  const settings = readSettings(variables, options);
  if (!settings.ok) return refuse('The settings are wrong:', [settings.fault]);
  const { loaded, faults } = settings.value.read;
  // A fault about the store would otherwise export another store.
  if (loaded === null || faults.length > 0) return refuse('The settings are wrong:', faults);
  if (options.reconcile && loaded.config.chain === undefined)
    return refuse('Wrong usage:', [
      '--reconcile needs a real chain in the settings, because a devnet is new at each start',
    ]);
  try {
    return await exportPayments(loaded, options);
  } catch (cause) {
    console.error(toLine(`The export failed: ${cause instanceof Error ? cause.message : String(cause)}`));
    return exitCode.failed;
  }
}

function refuse(headline: string, faults: readonly string[]): number {
  reportFaults(headline, faults);
  return exitCode.usage;
}

async function exportPayments(
  loaded: Loaded,
  { format, out, filter, reconcile }: ExportOptions,
): Promise<number> {
  await using opened = new AsyncDisposableStack();
  const { config, store: shared = null } = loaded;
  const store = await openReader(config, shared);
  if (store === null)
    throw new Error(
      `there is no store ${shared === null ? `at ${findStorePath(config)}` : 'in the database'} yet`,
    );
  opened.defer(() => store.close());
  let reconciliation: Reconciliation | null = null;
  if (reconcile) {
    reconciliation = await openReconciliation(loaded, store);
    opened.defer(reconciliation.close);
  }
  const totals = { payments: 0, charged: 0, amount: 0n };
  const rows = readRows(store, filter, totals, reconciliation?.comparePage ?? null);
  const text = Readable.from(format === 'csv' ? writeCsv(rows) : writeJson(rows));
  await (out === null ? writeToOutput(text) : writeNewFile(text, out));
  const { payments, charged, amount } = totals;
  console.error(
    `Exported ${count(payments, 'payment')}, ${charged} of them charged, with ${amount} units together.`,
  );
  if (reconciliation === null) return exitCode.exported;
  const differences = await reconciliation.finish(filter);
  return differences > 0 ? exitCode.differences : exitCode.exported;
}
