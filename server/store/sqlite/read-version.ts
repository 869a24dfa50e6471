import type { DatabaseSync } from 'node:sqlite';

/** Reads the version of a store without a change to it; 0 for a file without a store. */
export function readStoreVersion(database: DatabaseSync): number {
  const find = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name = ?");
  // Stores of version 9 and older have this table under its first name.
  const table = ['store_version', 'ledger_version'].find((name) => find.get(name) !== undefined);
  if (table === undefined) return 0;
  return Number(
    database.prepare(`SELECT coalesce(max(version), 0) AS version FROM ${table}`).get()?.['version'],
  );
}
