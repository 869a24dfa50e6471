import { readSqlFiles } from '../sql-files.ts';

/**
 * Reads the migrations, in order. The version of a store is the number of the last migration applied. Never
 * edit a released migration. A migration must leave the programs of older versions at work (D-380): it adds
 * tables, indexes, and columns that are nullable or have a default, and writes no value that they do not know. A
 * migration that removes or renames something sets `store_version.oldest_program` to the first version that does without it.
 */
export function readMigrations(): readonly string[] {
  return readSqlFiles(new URL('./migrations/', import.meta.url));
}
