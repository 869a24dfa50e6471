import { type FileHandle, open, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Environment } from '../config/environment.ts';
import type { Loaded } from '../config/load.ts';
import { commands } from '../start/commands.ts';
import { openReader } from '../start/open-reader.ts';
import { readSettings } from '../start/read-settings.ts';
import { placeFault, readErrorCode } from '../start/start-fault.ts';
import { findStorePath } from '../start/store-path.ts';
import { count } from '../types/count.ts';
import { type ExportOptions, exportHelp, readExportOptions } from './export-options.ts';
import { readRows } from './read-rows.ts';
import { openReconciliation, type Reconciliation } from './reconciliation.ts';
import { writeCsv, writeJson } from './rows.ts';

const exitCode = { exported: 0, failed: 1, usage: 2, differences: 3 } as const;

/** Runs the command, and returns its exit code. */
export async function runExport(variables: Environment, args: readonly string[]): Promise<number> {
  const read = readExportOptions(variables, args);
  if (!read.ok) return refuse('Wrong usage:', [read.fault, `${commands.export} --help lists all options`]);
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
    console.error(`The export failed: ${cause instanceof Error ? cause.message : String(cause)}`);
    return exitCode.failed;
  }
}

function refuse(headline: string, faults: readonly string[]): number {
  console.error([headline, ...faults.map((fault) => `  - ${fault}`)].join('\n'));
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
  if (out === null) await pipeline(text, process.stdout, { end: false });
  else await writeNewFile(out, text);
  const { payments, charged, amount } = totals;
  console.error(
    `Exported ${count(payments, 'payment')}, ${charged} of them charged, with ${amount} units together.`,
  );
  if (reconciliation === null) return exitCode.exported;
  const differences = await reconciliation.finish(filter);
  return differences > 0 ? exitCode.differences : exitCode.exported;
}

/** Writes a file that only its owner can read. Throws a sentence when the path is taken; leaves no part of a file. */
async function writeNewFile(path: string, text: Readable): Promise<void> {
  let file: FileHandle;
  try {
    file = await open(path, 'wx', 0o600);
  } catch (cause) {
    if (readErrorCode(cause) !== 'EEXIST') throw new Error(placeFault(cause, path, '--out'), { cause });
    throw new Error(`${path} exists already. Give --out the name of a new file`, { cause });
  }
  try {
    await pipeline(text, file.createWriteStream());
  } catch (cause) {
    await rm(path, { force: true });
    throw cause;
  }
}
