import type { ClientBase } from 'pg';
import { createCompletionCipher, wrongCompletionKey } from '../completion-cipher.ts';
import { isSameChain, newerStore, wrongChain } from '../migration.ts';
import { toStoreChain } from '../rows.ts';
import type { StoreChain } from '../store.ts';
import { type StoreInspection, stopFirst, willMigrate } from '../store-inspection.ts';
import { openConnections } from './connections.ts';
import { findDatabaseFault } from './database-fault.ts';
import { asynchronousCommit, writeAndUndo } from './durability.ts';
import { storeVersion } from './functions.ts';
import { readerLimits } from './postgres-reader.ts';
import { readStoreVersion } from './read-version.ts';

export type PostgresInspectionOptions = {
  readonly url: string;
  readonly completionKey: Uint8Array;
  readonly chain: StoreChain;
  /** The connections that one gateway opens. */
  readonly connectionsMax: number;
};

/**
 * Inspects a store in a database, also while gateways run. Its only write is undone. Rejects with a sentence when the
 * server cannot be reached, or refuses the write.
 */
export async function inspectPostgresStore(options: PostgresInspectionOptions): Promise<StoreInspection> {
  const connections = openConnections(options.url, readerLimits);
  try {
    return await connections.alone((client) => inspect(client, options));
  } finally {
    await connections.close();
  }
}

async function inspect(client: ClientBase, options: PostgresInspectionOptions): Promise<StoreInspection> {
  const server = await readServer(client);
  const warnings = findServerWarnings(server, options.connectionsMax);
  const facts = [`PostgreSQL ${server.version}`, `the database has ${Math.ceil(server.bytes / 1e6)} MB`];
  const fault = await findDatabaseFault(client);
  if (fault !== null) return { version: null, faults: [fault], warnings, facts };
  const [version, newest] = [await readStoreVersion(client), storeVersion];
  if (version === 0) return { version: null, faults: [], warnings, facts };
  if (version < newest)
    return { version, faults: [], warnings: [...warnings, describeMigration(version)], facts };
  if (version > newest) return { version, faults: [newerStore(version, newest).message], warnings, facts };
  const faults = await findRowFaults(client, options);
  const startedAt = performance.now();
  await writeAndUndo(client);
  facts.push(`a write took ${Math.ceil(performance.now() - startedAt)} ms`);
  return { version, faults, warnings, facts };
}

/** The oldest version whose gateways go on while this program migrates their store (D-380). */
const oldestBeside = 15;

function describeMigration(version: number): string {
  const migrates = willMigrate(version, storeVersion);
  return version < oldestBeside ? `${migrates}. ${stopFirst}` : migrates;
}

type Server = {
  readonly version: string;
  readonly bytes: number;
  readonly isAsynchronous: boolean;
  readonly isWithoutFsync: boolean;
  /** Connections that are still free for this user. */
  readonly free: number;
};

async function readServer(client: ClientBase): Promise<Server> {
  const { rows } = await client.query(
    `SELECT current_setting('server_version') AS version, pg_database_size(current_database())::text AS bytes,
       current_setting('synchronous_commit') = 'off' AS is_asynchronous,
       current_setting('fsync') = 'off' AS is_without_fsync,
       current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
         - (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS free`,
  );
  const [row] = rows;
  return {
    version: row.version,
    bytes: Number(row.bytes),
    isAsynchronous: row.is_asynchronous,
    isWithoutFsync: row.is_without_fsync,
    free: row.free,
  };
}

function findServerWarnings(
  { isAsynchronous, isWithoutFsync, free }: Server,
  connectionsMax: number,
): string[] {
  const warnings: string[] = [];
  if (isAsynchronous) warnings.push(asynchronousCommit);
  if (isWithoutFsync)
    warnings.push(
      'PostgreSQL runs without fsync, so a crash of its machine may lose committed payments. Set fsync to on.',
    );
  if (free < connectionsMax)
    warnings.push(
      `PostgreSQL has ${free} free connections, and one gateway opens up to ${connectionsMax} (advanced.storeConnectionsMax). Raise max_connections, or lower advanced.storeConnectionsMax.`,
    );
  return warnings;
}

/** Compares chain and key with the rows of the store. */
async function findRowFaults(
  client: ClientBase,
  { chain, completionKey }: PostgresInspectionOptions,
): Promise<readonly string[]> {
  const faults: string[] = [];
  const [row] = (await client.query('SELECT chain_id, asset FROM paid_inference.store_chain')).rows;
  const kept = row && toStoreChain(row);
  if (kept && !isSameChain(kept, chain)) faults.push(wrongChain(kept, chain).message);
  const [key] = (await client.query('SELECT mark FROM paid_inference.completion_key')).rows;
  if (key && !createCompletionCipher(completionKey).knows(key.mark)) faults.push(wrongCompletionKey);
  return faults;
}
