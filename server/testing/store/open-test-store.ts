import type { OpenStore } from '../../store/store.ts';
import type { UnixSeconds } from '../../types/units.ts';
import type { StoreAddress } from './claims.ts';

/** The completion key of every process of a test. */
export const testCompletionKey = Buffer.alloc(32, 7);

/** Opens the store of a test, as each process of that test does. Imports only the driver of that store. */
export async function openTestStore(
  address: StoreAddress,
  nowSeconds: () => UnixSeconds,
): Promise<OpenStore> {
  const clock = { nowSeconds, steadySeconds: nowSeconds, monotonicMs: () => performance.now() };
  const common = { clock, completionKey: testCompletionKey, balanceAgeMaxSeconds: 2 };
  if (address.driver === 'sqlite') {
    const { openSqliteStore } = await import('../../store/sqlite/sqlite-store.ts');
    return openSqliteStore({
      ...common,
      path: address.path,
      busyTimeoutMs: 5_000,
      operationTimeoutMs: 10_000,
    });
  }
  const { openPostgresStore } = await import('../../store/postgres/postgres-store.ts');
  const readServerSeconds = async () => nowSeconds();
  return openPostgresStore({
    ...common,
    readServerSeconds,
    url: address.url,
    connectionsMax: 4,
    operationTimeoutMs: 10_000,
  });
}
