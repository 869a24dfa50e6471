import { existsSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { soldTables } from '../sold-tables.ts';
import { StoreUnavailable } from '../store.ts';
import { readFreeBytes } from '../store-file.ts';
import type { StorePlace } from './store-place.ts';

/** Tells whether the store's writes are durable. */
export type Health = {
  /**
   * Compares the paths with the open files; the result counts until the next call. Null while the files are the
   * same and not truncated.
   */
  look(): string | null;
  /**
   * Throws when the open files differ from the paths or are truncated. Each step towards a new charge calls it
   * first.
   */
  assertLinked(): void;
  /** Whether `assertLinked` was called since the last call of `wasAsserted`. */
  wasAsserted(): boolean;
  /**
   * Makes a test write and returns why nothing can be written; null while all is well. Call it within a
   * transaction.
   */
  issue(): string | null;
};

export type HealthOptions = StorePlace & {
  readonly freeBytesMin: number;
  /** Where the key of the completions is kept; null where the store does not keep it. */
  readonly keyPath: string | null;
};

/** Call it after the files were opened and written. */
export function createHealth(database: DatabaseSync, options: HealthOptions): Health {
  const { path, link, freeBytesMin, keyPath } = options;
  // SQLite keeps both beside the file as long as a connection is open. The link must still lead to the file.
  const paths = path === ':memory:' ? [] : [...new Set([path, `${path}-wal`, `${path}-shm`, link])];
  const opened = paths.map((each) => identify(each === link ? path : each));
  let bytes = readSize(path);
  let isCutOff = false;
  let lost: string | null = null;
  let asserted = false;
  return { look, assertLinked, wasAsserted, issue };

  function look(): string | null {
    const gone = paths.find((each, place) => identify(each) !== opened[place]);
    if (gone === undefined) checkSize();
    lost = gone !== undefined ? lostFile(gone) : isCutOff ? cutOffFile(path) : null;
    return lost;
  }

  /**
   * SQLite never makes the file smaller here. After a truncation the old length does not bring back the
   * content.
   */
  function checkSize(): void {
    const now = readSize(path);
    isCutOff ||= now < bytes;
    bytes = now;
  }

  function assertLinked(): void {
    asserted = true;
    if (lost !== null) throw new StoreUnavailable(lost);
  }

  function wasAsserted(): boolean {
    const was = asserted;
    asserted = false;
    return was;
  }

  function issue(): string | null {
    if (lost !== null || paths.length === 0) return lost;
    // SQLite leaves the version number to the program. It must change, because SQLite does not write an
    // unchanged page.
    const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
    database.exec(`PRAGMA user_version = ${(version + 1) % 0x7fff_ffff}`);
    if (keyPath !== null && !existsSync(keyPath))
      return `The key file ${keyPath} is missing. Without it the gateway cannot read any completion after a restart. Put the file back.`;
    return findMissingTable() ?? findDiskIssue(path, freeBytesMin);
  }

  /** Another program may have renamed a table, or restored another database. */
  function findMissingTable(): string | null {
    const found = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    const missing = soldTables.find((table) => !found.some(({ name }) => name === table));
    return missing === undefined ? null : `the store ${path} lacks the table ${missing}`;
  }
}

/** Why the disk of a store has too little room, as a sentence for the operator; null if it has enough. */
export function findDiskIssue(path: string, freeBytesMin: number): string | null {
  const free = readFreeBytes(path);
  if (free >= freeBytesMin) return null;
  return `Only ${free} bytes are free on the disk of the store ${path}. Free some, or lower advanced.databaseFreeBytesMin (${freeBytesMin}).`;
}

function identify(path: string): string | null {
  const file = statSync(path, { bigint: true, throwIfNoEntry: false });
  return file === undefined ? null : `${file.dev}:${file.ino}`;
}

function readSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** A sentence for the operator. */
function cutOffFile(path: string): string {
  return `The store's file ${path} was truncated while the gateway runs, so the gateway sells nothing new. Put a backup in its place, and restart the gateway.`;
}

/** A sentence for the operator. */
function lostFile(path: string): string {
  return `The store's file ${path} was deleted or replaced while the gateway runs, so the gateway sells nothing new. Put the file back, or restart the gateway.`;
}
