import { readSqlFiles } from '../sql-files.ts';
import { readMigrations } from './migrations.ts';

/** The version of this program, and of the stores that it makes. */
export const storeVersion = readMigrations().length;

/**
 * The name of a function of this program. Functions hold no data, and each version has its own, so that
 * programs of two versions work on one store (D-380). So a change of a function needs a new version, even with an
 * empty migration.
 */
export function versioned(name: string): string {
  return `paid_inference.${name}_${storeVersion}`;
}

/** Reads the functions of this version. Each is one statement for the caller, so it is atomic. */
export function readFunctions(): string {
  const code = readSqlFiles(new URL('./functions/', import.meta.url)).join('\n');
  const names = [...code.matchAll(/^CREATE FUNCTION (\w+)/gm)].map(([, name]) => name);
  return code.replaceAll(new RegExp(`\\b(${names.join('|')})(?=\\()`, 'g'), `$1_${storeVersion}`);
}
