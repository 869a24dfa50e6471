import { existsSync, statSync } from 'node:fs';
import { answerKeyPath } from './sqlite/answer-key.ts';

/**
 * Why a gateway must not start on this store file, in a sentence for the operator; null where it may. To be asked before
 * anything makes the file.
 */
export function findStoreFileFault(path: string): string | null {
  const file = statSync(path, { throwIfNoEntry: false });
  if (file === undefined) return null;
  if (file.isDirectory()) return `The store ${path} is a folder. Set DATABASE_FILE to a file in it.`;
  if (!file.isFile()) return `The store ${path} is no file. Set DATABASE_FILE to a file.`;
  // Each name has a lock and a write-ahead log of its own (D-163).
  if (file.nlink > 1)
    return `The store ${path} has ${file.nlink} hard links, and a gateway on each would not see the other. Keep one link, and copy the file for a backup.`;
  const keyPath = answerKeyPath(path);
  if (file.size === 0 && existsSync(keyPath))
    return `The store ${path} is empty, and its key ${keyPath} is not new: what was in the store is lost. Put a backup in its place, or delete the file to begin anew.`;
  return null;
}
