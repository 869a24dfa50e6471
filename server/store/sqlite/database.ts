import { closeSync, existsSync, openSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { Row } from '../rows.ts';

/** The statements of the ledger, each prepared once. */
export type Statements = {
  /** How many rows it changed. */
  run(sql: string, ...values: readonly SQLInputValue[]): number;
  one(sql: string, ...values: readonly SQLInputValue[]): Row | undefined;
  all(sql: string, ...values: readonly SQLInputValue[]): readonly Row[];
};

/**
 * Opens the file in WAL mode with synchronous=FULL, so that a commit survives a power cut. Only the owner may read it: it
 * holds signatures.
 */
export function openDatabase(path: string, busyTimeoutMs: number): DatabaseSync {
  // SQLite gives the log and the shared memory beside it the same mode. A file that is there is not opened aside: to close
  // it again would drop the locks that SQLite has on it.
  if (path !== ':memory:' && !existsSync(path)) closeSync(openSync(path, 'a', 0o600));
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs, readBigInts: true });
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;');
  return database;
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
