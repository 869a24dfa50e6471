import { describe } from 'vitest';
import { createTestSqliteStore } from '../../testing/store/sqlite-store.ts';
import { describeStore } from '../../testing/store/store-suite.ts';

describe('The SQLite store', () => {
  describeStore(createTestSqliteStore);
});
