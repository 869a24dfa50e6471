import type { DatabaseSync } from 'node:sqlite';
import { newerStore } from '../migration.ts';
import { readSqlFiles } from '../sql-files.ts';

/**
 * Reads the migrations, in order. The version of a store is the number of the last migration applied. Never
 * edit a released migration.
 *
 * Amounts are INTEGER: a balance is clamped to 2^62, far above every price of this gateway. The window of an
 * authorization is text of 78 digits, which sorts like the uint256 that the payer signed.
 */
export function readMigrations(): readonly string[] {
  return readSqlFiles(new URL('./migrations/', import.meta.url));
}

/**
 * Migrates a store to the newest version in one transaction. Throws a sentence when the store is newer than
 * this program.
 */
export function migrate(database: DatabaseSync, now: number): void {
  const migrations = readMigrations();
  database.exec('BEGIN IMMEDIATE');
  try {
    const version = readVersion(database);
    if (version > migrations.length) throw newerStore(version, migrations.length);
    for (const [at, migration] of migrations.entries()) {
      if (at < version) continue;
      database.exec(migration);
      database.prepare('INSERT INTO store_version (version, applied_at) VALUES (?, ?)').run(at + 1, now);
    }
    database.exec('COMMIT');
  } catch (cause) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw cause;
  }
}

/** Reads the version of a store, and makes the table of versions for a new store, which has version 0. */
function readVersion(database: DatabaseSync): number {
  const rows = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const tables = new Set(rows.map(({ name }) => name));
  // Stores of version 9 and older have this table under its first name.
  if (tables.has('ledger_version')) database.exec('ALTER TABLE ledger_version RENAME TO store_version');
  else if (tables.has('payment') && !tables.has('store_version')) {
    throw new Error(
      'the store is older than version 1 and cannot be migrated. Move the file away to start a new store',
    );
  }
  database.exec(
    'CREATE TABLE IF NOT EXISTS store_version (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL)',
  );
  const row = database.prepare('SELECT coalesce(max(version), 0) AS version FROM store_version').get();
  return Number(row?.['version']);
}
