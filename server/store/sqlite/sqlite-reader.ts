import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { checkVersion, createReader, type StoreReader } from '../reader.ts';
import { prepareStatements } from './database.ts';
import { readMigrations } from './migrations.ts';
import { readStoreVersion } from './read-version.ts';

/**
 * Opens a store file to read it, also while a gateway runs. Null for a store that does not exist yet. Throws a sentence
 * for a store of another version, and for a file that is no database.
 */
export function openSqliteReader(path: string, busyTimeoutMs: number): StoreReader | null {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return null;
  const database = new DatabaseSync(path, { readOnly: true, readBigInts: true, timeout: busyTimeoutMs });
  try {
    checkVersion(readStoreVersion(database), readMigrations().length);
  } catch (cause) {
    database.close();
    throw cause;
  }
  const statements = prepareStatements(database);
  return createReader(async (sql, ...values) => statements.all(sql, ...values), {
    value: () => '?',
    table: (name) => name,
    close: async () => database.close(),
  });
}
