import {
  closeSync,
  fsyncSync,
  lstatSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describeOpenFault, describeTaken } from '../../types/new-file.ts';
import { damageRemedy, findPlaceRemedy } from '../store-file.ts';
import { completionKeyPath, findCompletionKey, syncFolder } from './completion-key.ts';
import { readStoreVersion } from './read-version.ts';

type StoreCopy = {
  readonly version: number;
  readonly payments: number;
  readonly bytes: number;
  /** The copy of the key; null where the store has no key yet. */
  readonly keyPath: string | null;
};

/**
 * Copies a store file and its key into new files, also while a gateway runs (D-381). The copy is one moment of the
 * store, and is on disk when it gets its name. Throws a sentence when it cannot be made; it then leaves no file.
 */
export function copySqliteStore(link: string, to: string, busyTimeoutMs: number): StoreCopy {
  const keyPath = completionKeyPath(to);
  const draft = `${to}.incomplete`;
  // SQLite would apply the log of an older database with this name to the copy.
  const names = [to, keyPath, `${to}-wal`, `${to}-shm`, `${to}-journal`];
  onNewFile(to, () => names.forEach(refuseTaken));
  if (onNewFile(to, () => isTaken(draft)))
    throw new Error(`${draft} exists already. Delete it, unless another backup is writing it`);
  const path = findStore(link);
  // A copy holds signatures, so only its owner may read it.
  onNewFile(to, () => closeSync(openSync(draft, 'wx', 0o600)));
  const made = [draft];
  try {
    readStore(link, () => vacuumInto(path, draft, busyTimeoutMs));
    const { version, payments, mark } = check(draft);
    const key = mark === null ? null : findCompletionKey({ path, link }, mark);
    if (key !== null) {
      closeSync(openSync(keyPath, 'wx', 0o600));
      made.push(keyPath);
      writeFileSync(keyPath, key, { flush: true });
    }
    bringToDisk(draft);
    refuseTaken(to);
    renameSync(draft, to);
    made.push(to);
    syncFolder(dirname(to));
    return { version, payments, bytes: statSync(to).size, keyPath: key === null ? null : keyPath };
  } catch (cause) {
    // Only files of this copy: another command may have made one of these names meanwhile.
    for (const each of made) rmSync(each, { force: true });
    throw cause;
  }
}

function findStore(link: string): string {
  const size = readStore(link, () => statSync(link, { throwIfNoEntry: false })?.size ?? 0);
  if (size === 0) throw new Error(`there is no store at ${link} yet`);
  return realpathSync(link);
}

/** A fault of the new file keeps its own sentence. */
function readStore<T>(link: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const isDamaged = /not a database|malformed/.test(why);
    const remedy = findPlaceRemedy(link) ?? (isDamaged ? damageRemedy : null);
    if (remedy === null) throw cause;
    throw new Error(`the store ${link} cannot be read: ${why}. ${remedy}`, { cause });
  }
}

function onNewFile<T>(to: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw describeOpenFault(cause, to);
  }
}

function refuseTaken(path: string): void {
  if (isTaken(path)) throw new Error(describeTaken(path));
}

/** A link to a file that is away, such as one on another disk, takes a name too. */
function isTaken(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Writes all tables as one reader sees them. A gateway goes on writing into its log meanwhile. */
function vacuumInto(path: string, to: string, busyTimeoutMs: number): void {
  const database = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs });
  try {
    database.prepare('VACUUM INTO ?').run(to);
  } finally {
    database.close();
  }
}

/** Reads the whole copy once, and what the operator wants to know of it. */
function check(path: string): {
  readonly version: number;
  readonly payments: number;
  readonly mark: Uint8Array | null;
} {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const found = database.prepare('PRAGMA quick_check(1)').get()?.['quick_check'];
    if (found !== 'ok') throw new Error(`the copy is damaged (${String(found).replaceAll('\n', ' ')})`);
    const version = readStoreVersion(database);
    if (version === 0) throw new Error('the file is a database without a store');
    const payments = Number(database.prepare('SELECT count(*) AS payments FROM payment').get()?.['payments']);
    return { version, payments, mark: readMark(database) };
  } finally {
    database.close();
  }
}

/** Stores of version 9 and older have the table under its first name. */
function readMark(database: DatabaseSync): Uint8Array | null {
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const table = ['completion_key', 'answer_key'].find((name) => tables.some((each) => each['name'] === name));
  const row = table === undefined ? undefined : database.prepare(`SELECT mark FROM ${table}`).get();
  return (row?.['mark'] as Uint8Array | undefined) ?? null;
}

function bringToDisk(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
