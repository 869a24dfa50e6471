import pg from 'pg';
import { openPostgresStore, type PostgresStoreOptions } from '../../store/postgres/postgres-store.ts';
import type { OpenStore } from '../../store/store.ts';
import { manualClock } from '../../types/clock.ts';
import { now, type TestStore } from './claims.ts';
import { testCompletionKey } from './open-test-store.ts';
import type { TestServer } from './postgres-server.ts';

export type TestPostgresStore = Omit<TestStore, 'open'> & {
  readonly url: string;
  open(options?: Partial<PostgresStoreOptions>): Promise<OpenStore>;
};

/** Creates an empty store in its own database. */
export async function createTestPostgresStore(server: TestServer): Promise<TestPostgresStore> {
  const url = await server.createDatabase();
  const clock = manualClock(now);
  const opened: OpenStore[] = [];
  const admin = new pg.Pool({ connectionString: url, max: 1, options: '-c search_path=paid_inference' });
  admin.on('error', () => undefined);
  return {
    url,
    clock,
    address: { driver: 'postgres', url },
    async open(options = {}) {
      const common = {
        url,
        clock,
        // Every opened store uses the clock of the test.
        readServerSeconds: async () => clock.steadySeconds(),
        completionKey: testCompletionKey,
        balanceAgeMaxSeconds: 2,
        operationTimeoutMs: 10_000,
      };
      const store = await openPostgresStore({
        ...common,
        connectTimeoutMs: 10_000,
        connectionsMax: 5,
        ...options,
      });
      opened.push(store);
      return store;
    },
    query: async (sql) => (await admin.query(sql)).rows,
    async remove() {
      for (const store of opened) await store.close();
      await admin.end();
    },
  };
}
