import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import {
  completionKeyBytes,
  createCompletionCipher,
  lostKeyAdvice,
  wrongCompletionKey,
} from '../completion-cipher.ts';
import type { StorePlace } from './store-place.ts';

/** A key of the completions, and its file; null for a store in memory. */
export type CompletionKey = { readonly key: Uint8Array; readonly path: string | null };

/**
 * Reads the key of the completions, which lies beside the database. Only its owner can read the file, so a copy
 * of the database alone shows no completion. Makes the key for a new store, which has no mark. Errors are
 * sentences for the operator.
 */
export function readCompletionKey(
  { path: databasePath, link }: StorePlace,
  mark: Uint8Array | null,
): CompletionKey {
  if (databasePath === ':memory:') return { key: randomBytes(completionKeyBytes), path: null };
  const path = completionKeyPath(databasePath);
  const found = findKey([path, completionKeyPath(link)], mark);
  if (found === null && mark !== null) throw new Error(missingKey(path));
  if (found !== null && (found.path === path || existsSync(path))) return found;
  // Older versions kept the key beside a symbolic link to the store (D-209).
  make(path, found?.key ?? randomBytes(completionKeyBytes));
  const key = readIfThere(path);
  if (key === null) throw new Error(`the key file ${path} of the completions was removed while it was made`);
  return { key, path };
}

/** Why the key of a store with this mark cannot be used, as a sentence for the operator; null if it can. Writes nothing. */
export function findKeyFault({ path, link }: StorePlace, mark: Uint8Array): string | null {
  const found = findKey([path, link].map(completionKeyPath), mark);
  if (found === null) return missingKey(completionKeyPath(path));
  return createCompletionCipher(found.key).knows(mark) ? null : wrongCompletionKey;
}

function missingKey(path: string): string {
  return `the key file ${path} of the completions in this store is missing. Put the file back. ${lostKeyAdvice}`;
}

/** Finds the first key that made the mark, else the first key. */
function findKey(paths: readonly string[], mark: Uint8Array | null): CompletionKey | null {
  let first: CompletionKey | null = null;
  for (const path of paths) {
    const key = readIfThere(path);
    if (key === null) continue;
    if (mark === null || createCompletionCipher(key).knows(mark)) return { key, path };
    first ??= { key, path };
  }
  return first;
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
function make(path: string, key: Uint8Array): void {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const file = openSync(draft, 'wx', 0o600);
  try {
    writeSync(file, key);
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
