import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { answerKeyBytes } from '../answer-cipher.ts';

/**
 * The key that lies beside the database, readable by its owner only: whoever copies the database alone reads no answer.
 * Made where there is none and the store is new. Faults are sentences for the operator.
 */
export function readAnswerKey(databasePath: string, mayMake: boolean): Uint8Array {
  if (databasePath === ':memory:') return randomBytes(answerKeyBytes);
  const path = answerKeyPath(databasePath);
  const kept = readIfThere(path);
  if (kept !== null) return kept;
  if (!mayMake) throw new Error(`${path}: the key of the answers in this store is gone: put it back`);
  make(path);
  const made = readIfThere(path);
  if (made === null) throw new Error(`${path}: the key of the answers was removed as it was made`);
  return made;
}

export function answerKeyPath(databasePath: string): string {
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
  if (key.length === answerKeyBytes) return key;
  throw new Error(`${path}: a key of answers has ${answerKeyBytes} bytes, this file has ${key.length}`);
}

/** On disk, whole, before it has its name; of two processes that make one at once, the first wins. */
function make(path: string): void {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const file = openSync(draft, 'wx', 0o600);
  try {
    writeSync(file, randomBytes(answerKeyBytes));
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
