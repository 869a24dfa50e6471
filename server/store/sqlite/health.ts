import { existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { StoreUnavailable } from '../store.ts';

/** Whether what the store writes is durable. */
export type Health = {
  /**
   * Compares the paths with the open files; the result counts until the next call. Null while they are the same, and whole.
   */
  look(): string | null;
  /** Throws where the open files are not those of the paths, or were cut off. A step towards a new charge calls it first. */
  assertLinked(): void;
  /** Whether `assertLinked` was called since this was asked last. */
  wasAsserted(): boolean;
  /** Writes, and says why nothing can be kept; null while all is well. Within a transaction. */
  issue(): string | null;
};

export type HealthOptions = {
  readonly path: string;
  readonly freeBytesMin: number;
  /** Where the key of the completions is kept; null where the store does not keep it. */
  readonly keyPath: string | null;
};

/** To be made once the files are open and were written. */
export function createHealth(database: DatabaseSync, options: HealthOptions): Health {
  const { path, freeBytesMin, keyPath } = options;
  // SQLite keeps both beside the file as long as a connection is open.
  const paths = path === ':memory:' ? [] : [path, `${path}-wal`, `${path}-shm`];
  const opened = paths.map(identify);
  let bytes = sizeOf(path);
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

  /** SQLite never makes the file smaller here. Once it was, its old length would not bring back what was in it. */
  function checkSize(): void {
    const now = sizeOf(path);
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
    // The version number is for the program's own use. SQLite does not write a page that stays the same.
    const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
    database.exec(`PRAGMA user_version = ${(version + 1) % 0x7fff_ffff}`);
    if (keyPath !== null && !existsSync(keyPath))
      return `The key file ${keyPath} is gone; after a restart no completion could be read. Put the file back.`;
    const { bavail, bsize } = statfsSync(dirname(path));
    if (bavail * bsize >= freeBytesMin) return null;
    return `Only ${bavail * bsize} bytes are free on the disk of the store ${path}. Free some, or lower advanced.databaseFreeBytesMin (${freeBytesMin}).`;
  }
}

function identify(path: string): string | null {
  const file = statSync(path, { bigint: true, throwIfNoEntry: false });
  return file === undefined ? null : `${file.dev}:${file.ino}`;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** A sentence for the operator. */
function cutOffFile(path: string): string {
  return `The store's file ${path} was cut off while the gateway runs, so nothing new is sold. Put a backup in its place, and restart the gateway.`;
}

/** A sentence for the operator. */
function lostFile(path: string): string {
  return `The store's file ${path} was deleted or replaced while the gateway runs, so nothing new is sold. Put the file back, or restart the gateway.`;
}
