import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { completionKeyBytes } from '../completion-cipher.ts';

/**
 * Reads the key of the completions, which lies beside the database. Only its owner can read the file, so a copy
 * of the database alone shows no completion. Makes the key for a new store. Errors are sentences for the
 * operator.
 */
export function readCompletionKey(databasePath: string, mayMake: boolean): Uint8Array {
  if (databasePath === ':memory:') return randomBytes(completionKeyBytes);
  const path = completionKeyPath(databasePath);
  const kept = readIfThere(path);
  if (kept !== null) return kept;
  if (!mayMake)
    throw new Error(`the key file ${path} of the completions in this store is missing. Put the file back`);
  make(path);
  const made = readIfThere(path);
  if (made === null) throw new Error(`the key file ${path} of the completions was removed while it was made`);
  return made;
}

export function completionKeyPath(databasePath: string): string {
  return `${databasePath}.key`;
}

function readIfThere(path: string): Uint8Array | null {
  let key: Uint8Array;
  try {
    key = readFileSync(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw cause;
  }
  if (key.length === completionKeyBytes) return key;
  throw new Error(`the key file ${path} must have ${completionKeyBytes} bytes, not ${key.length}`);
}

/**
 * Writes the whole key to disk before the file gets its name. When two processes make a key at once, the first
 * wins.
 */
function make(path: string): void {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const file = openSync(draft, 'wx', 0o600);
  try {
    writeSync(file, randomBytes(completionKeyBytes));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  try {
    linkSync(draft, path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
  } finally {
    rmSync(draft);
  }
  syncFolder(dirname(path));
}

function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
