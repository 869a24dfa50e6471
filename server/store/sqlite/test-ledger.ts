import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { manualClock } from '../../vocabulary/clock.ts';
import { testAnswerKey } from '../open-test-store.ts';
import type { OpenStore } from '../store.ts';
import { now, type TestLedger } from '../test-claims.ts';
import { openSqliteStore, type SqliteStoreOptions } from './sqlite-store.ts';

export type SqliteLedger = Omit<TestLedger, 'open'> & {
  readonly path: string;
  open(options?: Partial<SqliteStoreOptions>): Promise<OpenStore>;
};

/** An empty ledger in a folder of its own. */
export async function createSqliteLedger(): Promise<SqliteLedger> {
  const folder = mkdtempSync(join(tmpdir(), 'paid-inference-store-'));
  const path = join(folder, 'ledger.db');
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
      const store = await openSqliteStore({ ...common, answerKey: testAnswerKey, ...options });
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
