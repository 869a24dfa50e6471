import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  realpathSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { completionKeyPath } from './sqlite/completion-key.ts';

/**
 * Why the gateway must not start on this store file, as a sentence for the operator; null where it may. Call it
 * before anything makes the file.
 */
export function findStoreFileFault(path: string): string | null {
  const file = statSync(path, { throwIfNoEntry: false });
  if (file === undefined) return null;
  if (file.isDirectory()) return `The store ${path} is a folder. Set DATABASE_FILE to a file in it.`;
  if (!file.isFile()) return `The store ${path} is not a regular file. Set DATABASE_FILE to a file.`;
  // Each name of a file has its own lock and its own write-ahead log (D-163).
  if (file.nlink > 1)
    return `The store ${path} has ${file.nlink} hard links, and two gateways could use them without a common lock. Keep one link, and copy the file for a backup.`;
  // An older version may have left the key beside a symbolic link (D-209).
  const keyPath = [realpathSync(path), path].map(completionKeyPath).find((each) => existsSync(each));
  if (file.size === 0 && keyPath !== undefined)
    return `The store ${path} is empty, but its key ${keyPath} exists, so the payments in the store were lost. Put a backup in its place, or delete the file to start a new store.`;
  return null;
}

/**
 * Returns the path of a store's file without symbolic links, so that all its names share one lock, one log and
 * one key (D-209). Creates the file when it is missing.
 */
export function resolveStoreFile(path: string): string {
  createFile(path);
  return realpathSync(path);
}

/**
 * Creates an empty file for its owner alone, because a store holds signatures. SQLite gives its other files the
 * same mode. Does not open an existing file: closing it would drop SQLite's locks on it.
 */
export function createFile(path: string): void {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) closeSync(openSync(path, 'a', 0o600));
}

/** The way out for a store whose content SQLite cannot read. */
export const damageRemedy = 'Repair it, or put a backup in its place';

/** Returns the bytes that this user may still write to the disk of a file. */
export function readFreeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(dirname(path));
  return bavail * bsize;
}

/** With fewer free bytes, SQLite cannot make the files that it needs beside a store. */
const workingBytes = 1 << 20;

/**
 * Returns the way out for a store that SQLite cannot use, if its place is the reason; null for another reason. Even a
 * reader writes beside the file. A backup would replace a store that is sound.
 */
export function findPlaceRemedy(path: string, freeBytes = readFreeBytes): string | null {
  try {
    if (statSync(path).isDirectory()) return 'Set DATABASE_FILE to a file in this folder';
    accessSync(path, constants.R_OK | constants.W_OK);
    accessSync(dirname(path), constants.W_OK | constants.X_OK);
    return freeBytes(path) < workingBytes ? 'Its disk is full. Free some space' : null;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EROFS') return 'Its disk is read-only. Mount it for writing';
    if (code !== 'EACCES' && code !== 'EPERM') return null;
    return 'Let this user write to the file and to its folder, or run the command as the user of the gateway';
  }
}
