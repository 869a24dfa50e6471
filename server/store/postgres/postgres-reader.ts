import { checkVersion, createReader, type StoreReader } from '../reader.ts';
import { openConnections } from './connections.ts';
import { readMigrations } from './migrations.ts';
import { readStoreVersion } from './read-version.ts';

/** A page of an old range may read the whole table before its first payment. */
const operationTimeoutMs = 60_000;
export const readerLimits = {
  connectionsMax: 1,
  waitingMax: 256,
  connectTimeoutMs: 3_000,
  operationTimeoutMs,
  idleTimeoutMs: 60_000,
} as const;

/**
 * Opens the store of a database to read it, also while gateways run. Null for a store that does not exist yet. Rejects
 * with a sentence for a store of another version, and for a server that does not respond.
 */
export async function openPostgresReader(url: string): Promise<StoreReader | null> {
  const connections = openConnections(url, readerLimits);
  try {
    const version = await connections.alone(readStoreVersion);
    if (version === 0) {
      await connections.close();
      return null;
    }
    checkVersion(version, readMigrations().length);
  } catch (cause) {
    await connections.close();
    throw cause;
  }
  return createReader(async (sql, ...values) => (await connections.run(sql, ...values)).rows, {
    value: (place) => `$${place}`,
    table: (name) => `paid_inference.${name}`,
    close: () => connections.close(),
  });
}
