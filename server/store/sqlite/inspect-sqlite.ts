import { closeSync, fsyncSync, openSync, realpathSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { isFileLocked } from '../file-lock.ts';
import { isSameChain, newerStore, wrongChain } from '../migration.ts';
import { toStoreChain } from '../rows.ts';
import type { StoreChain } from '../store.ts';
import { findStoreFileFault, readFreeBytes } from '../store-file.ts';
import { type StoreInspection, stopFirst, willMigrate } from '../store-inspection.ts';
import { findKeyFault } from './completion-key.ts';
import { findDiskIssue } from './health.ts';
import { readMigrations } from './migrations.ts';
import { readStoreVersion } from './read-version.ts';
import type { StorePlace } from './store-place.ts';

export type SqliteInspectionOptions = {
  /** The path that the operator set. */
  readonly path: string;
  /** The chain of the settings; null on the devnet. */
  readonly chain: StoreChain | null;
  readonly busyTimeoutMs: number;
  readonly freeBytesMin: number;
};

/**
 * Inspects a store file, also while a gateway runs. Its only write is undone. Throws when the file cannot be opened, or
 * is no database.
 */
export function inspectSqliteStore(options: SqliteInspectionOptions): StoreInspection {
  const { path: link, chain, busyTimeoutMs, freeBytesMin } = options;
  const fault = findStoreFileFault(link);
  const absent = { version: null, warnings: [], facts: [] };
  if (fault !== null) return { ...absent, faults: [fault] };
  const size = statSync(link, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return { ...absent, faults: [] };
  const path = realpathSync(link);
  const database = new DatabaseSync(path, { readOnly: true, readBigInts: true, timeout: busyTimeoutMs });
  try {
    const [version, newest] = [readStoreVersion(database), readMigrations().length];
    if (version === 0) return { ...absent, faults: ['the file is a database without a store'] };
    const faults = version === newest ? findRowFaults(database, { path, link }, chain) : [];
    if (version > newest) faults.push(newerStore(version, newest).message);
    const diskIssue = findDiskIssue(path, freeBytesMin);
    if (diskIssue !== null) faults.push(diskIssue);
    const megabytes = Math.ceil(size / 1e6);
    const free = Math.floor(readFreeBytes(path) / 1e6);
    const facts = [`${megabytes} MB`, `${free} MB free on its disk`];
    if (version === newest)
      facts.push(`a durable write took ${writeAndUndo(database, path, busyTimeoutMs)} ms`);
    facts.push(isFileLocked(path) ? 'a gateway uses it' : 'no gateway uses it now');
    const warnings = version < newest ? [`${willMigrate(version, newest)}. ${stopFirst}`] : [];
    return { version, faults, warnings, facts };
  } finally {
    if (database.isOpen) database.close();
  }
}

/** Compares chain and key with the rows of the store. */
function findRowFaults(database: DatabaseSync, place: StorePlace, chain: StoreChain | null): string[] {
  const row = database.prepare('SELECT chain_id, asset FROM store_chain').get();
  const kept = row && toStoreChain(row);
  const faults = kept && chain && !isSameChain(kept, chain) ? [wrongChain(kept, chain).message] : [];
  const mark = database.prepare('SELECT mark FROM completion_key').get()?.['mark'];
  const keyFault = mark === undefined ? null : findKeyFault(place, mark as Uint8Array);
  return keyFault === null ? faults : [...faults, keyFault];
}

/** More than the cache of the connection, so that SQLite writes to the log before the end of the transaction. */
const probeRows = 64;
const probeRowBytes = 3_000;

/**
 * Writes rows, brings them to the disk, and undoes them. Returns the milliseconds. `reader` is open on the same file.
 * The last connection that closes also copies the log into the file. So with a log from a crash, the reader, which
 * cannot do so, closes last: the next start finds the log as the crash left it.
 */
function writeAndUndo(reader: DatabaseSync, path: string, busyTimeoutMs: number): number {
  const log = `${path}-wal`;
  const hasLog = (statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0;
  const mode = reader.prepare('PRAGMA journal_mode').get()?.['journal_mode'];
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs });
  if (!hasLog) reader.close();
  try {
    const startedAt = performance.now();
    database.exec('PRAGMA cache_size = 10; BEGIN IMMEDIATE');
    // A copy from `VACUUM INTO` has no log yet. There the rows would go into the file itself.
    if (mode === 'wal') {
      database.exec(
        `WITH RECURSIVE probe (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM probe WHERE n < ${probeRows})
           INSERT INTO completion_key (mark) SELECT randomblob(${probeRowBytes}) FROM probe`,
      );
      bringToDisk(log);
    }
    database.exec('ROLLBACK');
    return Math.ceil(performance.now() - startedAt);
  } finally {
    database.close();
  }
}

function bringToDisk(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
