import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openSqliteStore, type SqliteStoreOptions } from '../../store/sqlite/sqlite-store.ts';
import type { OpenStore } from '../../store/store.ts';
import { manualClock } from '../../types/clock.ts';
import { now, type TestStore } from './claims.ts';
import { testCompletionKey } from './open-test-store.ts';

export type TestSqliteStore = Omit<TestStore, 'open'> & {
  readonly path: string;
  open(options?: Partial<SqliteStoreOptions>): Promise<OpenStore>;
};

/** Creates an empty store in its own folder. */
export async function createTestSqliteStore(): Promise<TestSqliteStore> {
  const folder = mkdtempSync(join(tmpdir(), 'paid-inference-store-'));
  const path = join(folder, 'store.db');
  const clock = manualClock(now);
  const opened: OpenStore[] = [];
  return {
    path,
    clock,
    address: { driver: 'sqlite', path },
    async open(options = {}) {
      const common = {
        path,
        clock,
        busyTimeoutMs: 5_000,
        balanceAgeMaxSeconds: 2,
        operationTimeoutMs: 10_000,
      };
      const store = await openSqliteStore({ ...common, completionKey: testCompletionKey, ...options });
      opened.push(store);
      return store;
    },
    async query(sql) {
      const database = new DatabaseSync(path, { readBigInts: true, timeout: 1_000 });
      try {
        return database.prepare(sql).all();
      } finally {
        database.close();
      }
    },
    async remove() {
      for (const store of opened) await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
