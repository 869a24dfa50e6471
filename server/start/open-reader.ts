import type { StoreSecrets } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { StoreRefused } from '../store/migration.ts';
import type { StoreReader } from '../store/reader.ts';
import { openSqliteReader } from '../store/sqlite/sqlite-reader.ts';
import { damageRemedy, findPlaceRemedy } from '../store/store-file.ts';
import { findStorePath } from './store-path.ts';

/**
 * Opens the store of the settings to read it, beside gateways. Null for a store that does not exist yet. Rejects with a
 * sentence for the operator.
 */
export async function openReader(config: Config, shared: StoreSecrets | null): Promise<StoreReader | null> {
  if (shared === null) {
    const path = findStorePath(config);
    const way = () => findPlaceRemedy(path) ?? damageRemedy;
    return withWay(`the store ${path}`, way, async () =>
      openSqliteReader(path, config.databaseBusyTimeoutMs),
    );
  }
  const { openPostgresReader } = await import('../store/postgres/postgres-reader.ts');
  const way = () => 'Check DATABASE_URL, and that its server is up';
  return withWay('the shared store', way, () => openPostgresReader(shared.url));
}

/** Adds what to do to the error of a store, unless its error says so. */
async function withWay<Opened>(
  which: string,
  way: () => string,
  open: () => Promise<Opened>,
): Promise<Opened> {
  try {
    return await open();
  } catch (cause) {
    if (cause instanceof StoreRefused) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${which} cannot be read: ${why}. ${way()}.`, { cause });
  }
}
