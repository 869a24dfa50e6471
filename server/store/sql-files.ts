import { readdirSync, readFileSync } from 'node:fs';

/** Reads the `.sql` files of a folder in the order of their names. */
export function readSqlFiles(folder: URL): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => readFileSync(new URL(name, folder), 'utf8'));
}
