import { DatabaseSync } from 'node:sqlite';

/** The `application_id` of a SQLite file with payments of a real chain: "x402" in ASCII. */
const realChainMark = 0x78343032;

/** Marks the store of a real chain, so that no devnet deletes it (D-228). */
export function markRealStore(file: string, busyTimeoutMs: number): void {
  withDatabase(file, busyTimeoutMs, (database) => {
    if (readMark(database) !== realChainMark) database.exec(`PRAGMA application_id = ${realChainMark}`);
  });
}

/** SQLite's code for a file that is no database. */
const notADatabase = 26;

/**
 * Returns whether a gateway with a real chain used this file. False for a file that is no database. Throws if SQLite
 * cannot read the file, because a damaged or locked store may be a real one.
 */
export function isRealStore(file: string, busyTimeoutMs: number): boolean {
  try {
    return withDatabase(file, busyTimeoutMs, readMark) === realChainMark;
  } catch (cause) {
    if ((cause as { readonly errcode?: number }).errcode === notADatabase) return false;
    throw cause;
  }
}

function readMark(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA application_id').get()?.['application_id']);
}

function withDatabase<T>(file: string, timeout: number, use: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file, { timeout });
  try {
    return use(database);
  } finally {
    database.close();
  }
}
