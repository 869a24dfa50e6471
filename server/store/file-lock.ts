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

/** A lock file that this process cannot lock, though no other process holds it. Its message says what to do. */
export class LockRefused extends Error {
  override readonly name = 'LockRefused';
}

const retryMs = 50;
const sqliteBusy = 5;

/**
 * Locks a store's file for this process, by a transaction that stays open in an empty SQLite file beside the
 * store. The operating system holds the lock: the lock ends with the process, and holds across containers that
 * share the volume. Waits `waitMs` for another holder to release the lock, then returns null. Throws `LockRefused`
 * when the lock file cannot be locked.
 */
export async function lockFile(path: string, waitMs: number): Promise<FileLock | null> {
  makeFolder(dirname(path));
  const lockPath = `${resolveStoreFile(path)}.lock`;
  // Open the file once: when a process closes any descriptor of a file, POSIX drops all its locks on that file.
  createFile(lockPath);
  const database = openLock(lockPath);
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
    throw refuse(lockPath, cause);
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

function openLock(lockPath: string): DatabaseSync {
  try {
    return new DatabaseSync(lockPath, { timeout: 0 });
  } catch (cause) {
    throw refuse(lockPath, cause);
  }
}

function refuse(lockPath: string, cause: unknown): LockRefused {
  const why = cause instanceof Error ? cause.message : 'unknown';
  const way = 'Let this user write it, or stop every gateway of this store and delete it.';
  return new LockRefused(`The lock file ${lockPath} cannot be locked: ${why}. ${way}`, { cause });
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
  if (!succeeds(database, 'PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')) return false;
  // SQLite opens a file that this user cannot write too, and its transaction then excludes no other process. The
  // write stays in memory.
  if (succeeds(database, 'PRAGMA user_version = 1')) return true;
  database.exec('ROLLBACK');
  return false;
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
