import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { makeFolder } from '../types/make-folder.ts';
import { createFile, resolveStoreFile } from './store-file.ts';

/** A file that no other process can lock while this process lives. */
export type FileLock = {
  /** Why the lock protects nothing any more, as a sentence for the operator; null while the lock holds. */
  issue(): string | null;
  release(): void;
};

const retryMs = 50;
const sqliteBusy = 5;

/**
 * Locks a store's file for this process, by a transaction that stays open in an empty SQLite file beside the
 * store. The operating system holds the lock: the lock ends with the process, and holds across containers that
 * share the volume. Waits `waitMs` for another holder to release the lock, then returns null. Throws when the
 * lock file cannot be locked.
 */
export async function lockFile(path: string, waitMs: number): Promise<FileLock | null> {
  makeFolder(dirname(path));
  const lockPath = `${resolveStoreFile(path)}.lock`;
  // Open the file once: when a process closes any descriptor of a file, POSIX drops all its locks on that file.
  createFile(lockPath);
  const database = new DatabaseSync(lockPath, { timeout: 0 });
  try {
    for (let waitedMs = 0; !tryLock(database); waitedMs += retryMs) {
      if (waitedMs >= waitMs) {
        database.close();
        return null;
      }
      await pause(retryMs);
    }
  } catch (cause) {
    if (database.isOpen) database.close();
    const message = cause instanceof Error ? cause.message : 'unknown';
    throw new Error(`The lock file ${lockPath} cannot be locked: ${message}`, { cause });
  }
  const { dev, ino } = statSync(lockPath, { bigint: true });
  return {
    issue() {
      const now = statSync(lockPath, { bigint: true, throwIfNoEntry: false });
      if (now?.dev === dev && now.ino === ino) return null;
      return `The lock file ${lockPath} was deleted or replaced, so another gateway could use the same store. Restart this one.`;
    },
    release() {
      if (database.isOpen) database.close();
    },
  };
}

/** Returns whether a process holds the lock of this store file. Leaves the lock as it is. */
export function isFileLocked(path: string): boolean {
  const lockPath = `${path}.lock`;
  if (statSync(lockPath, { throwIfNoEntry: false }) === undefined) return false;
  const database = new DatabaseSync(lockPath, { readOnly: true, timeout: 0 });
  try {
    return !succeeds(database, 'SELECT count(*) FROM sqlite_schema');
  } finally {
    database.close();
  }
}

function tryLock(database: DatabaseSync): boolean {
  // The lock's journal stays in memory: a full disk does not prevent the lock, and SIGKILL leaves no file.
  return succeeds(database, 'PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
}

/** False while another process has the lock that the statement needs. */
function succeeds(database: DatabaseSync, sql: string): boolean {
  try {
    database.exec(sql);
    return true;
  } catch (cause) {
    if (cause instanceof Error && 'errcode' in cause && cause.errcode === sqliteBusy) return false;
    throw cause;
  }
}
