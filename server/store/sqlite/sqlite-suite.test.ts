import { describe } from 'vitest';
import { describeStore } from '../store-suite.ts';
import { createTestSqliteStore } from './test-store.ts';

describe('The SQLite store', () => {
  describeStore(createTestSqliteStore);
});
