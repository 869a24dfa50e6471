import type { StoreSecrets } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import type { StoreReader } from '../store/reader.ts';
import { openSqliteReader } from '../store/sqlite/sqlite-reader.ts';
import { findStorePath } from './store-path.ts';

/**
 * Opens the store of the settings to read it, beside gateways. Null for a store that does not exist yet. Rejects with a
 * sentence for the operator.
 */
export async function openReader(config: Config, shared: StoreSecrets | null): Promise<StoreReader | null> {
  if (shared === null) return openSqliteReader(findStorePath(config), config.databaseBusyTimeoutMs);
  const { openPostgresReader } = await import('../store/postgres/postgres-reader.ts');
  return openPostgresReader(shared.url);
}
