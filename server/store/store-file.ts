import { existsSync, statSync } from 'node:fs';
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
  const keyPath = completionKeyPath(path);
  if (file.size === 0 && existsSync(keyPath))
    return `The store ${path} is empty, but its key ${keyPath} exists, so the payments in the store were lost. Put a backup in its place, or delete the file to start a new store.`;
  return null;
}
