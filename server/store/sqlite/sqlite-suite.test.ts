import { describe } from 'vitest';
import { describeStore } from '../store-suite.ts';
import { createSqliteLedger } from './test-ledger.ts';

describe('The SQLite ledger', () => {
  describeStore(createSqliteLedger);
});
