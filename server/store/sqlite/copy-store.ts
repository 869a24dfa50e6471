import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
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
  for (const path of [to, keyPath]) if (existsSync(path)) throw new Error(`${path} exists already`);
  if ((statSync(link, { throwIfNoEntry: false })?.size ?? 0) === 0)
    throw new Error(`there is no store at ${link} yet`);
  const path = realpathSync(link);
  const draft = `${to}.incomplete`;
  // A copy holds signatures, so only its owner may read it.
  closeSync(openSync(draft, 'wx', 0o600));
  try {
    vacuumInto(path, draft, busyTimeoutMs);
    const { version, payments, mark } = check(draft);
    const key = mark === null ? null : findCompletionKey({ path, link }, mark);
    if (key !== null) writeFileSync(keyPath, key, { flag: 'wx', mode: 0o600, flush: true });
    bringToDisk(draft);
    renameSync(draft, to);
    syncFolder(dirname(to));
    return { version, payments, bytes: statSync(to).size, keyPath: key === null ? null : keyPath };
  } catch (cause) {
    for (const each of [draft, keyPath]) rmSync(each, { force: true });
    throw cause;
  }
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
