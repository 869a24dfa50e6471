import { statSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { Row } from '../rows.ts';

/** The statements of the store, each prepared once. */
export type Statements = {
  /** Returns the number of changed rows. */
  run(sql: string, ...values: readonly SQLInputValue[]): number;
  one(sql: string, ...values: readonly SQLInputValue[]): Row | undefined;
  all(sql: string, ...values: readonly SQLInputValue[]): readonly Row[];
};

/**
 * Opens the file in WAL mode with synchronous=FULL, so that a commit survives a power cut. The path must be
 * without symbolic links. Checks the whole file once; throws a sentence for the operator when it is damaged
 * (D-162).
 */
export function openDatabase(path: string, busyTimeoutMs: number): DatabaseSync {
  // With a log, the log may hold a page that a crash wrote in part. Without a log, the file must be complete.
  const closedBytes = readSize(`${path}-wal`) === 0 ? readSize(path) : 0;
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs, readBigInts: true });
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;');
    const pageBytes = Number(database.prepare('PRAGMA page_size').get()?.['page_size']);
    if (closedBytes % pageBytes !== 0) throw new Error(damaged('its last page is incomplete'));
    const found = database.prepare('PRAGMA quick_check(1)').get()?.['quick_check'];
    if (found !== 'ok') throw new Error(damaged(String(found).replaceAll('\n', ' ')));
    return database;
  } catch (cause) {
    database.close();
    throw isDamage(cause) ? new Error(damaged(cause.message), { cause }) : cause;
  }
}

function readSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function damaged(how: string): string {
  return `the file is damaged or truncated (${how})`;
}

/** SQLITE_CORRUPT and SQLITE_NOTADB, by the low byte of the extended codes. */
function isDamage(cause: unknown): cause is Error {
  return cause instanceof Error && 'errcode' in cause && [11, 26].includes(Number(cause.errcode) & 0xff);
}

export function prepareStatements(database: DatabaseSync): Statements {
  const prepared = new Map<string, ReturnType<DatabaseSync['prepare']>>();
  return {
    run: (sql, ...values) => Number(prepare(sql).run(...values).changes),
    one: (sql, ...values) => prepare(sql).get(...values),
    all: (sql, ...values) => prepare(sql).all(...values),
  };

  function prepare(sql: string): ReturnType<DatabaseSync['prepare']> {
    let statement = prepared.get(sql);
    if (statement === undefined) {
      statement = database.prepare(sql);
      prepared.set(sql, statement);
    }
    return statement;
  }
}
