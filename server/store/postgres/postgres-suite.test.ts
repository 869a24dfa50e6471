import { afterAll, beforeAll, describe } from 'vitest';
import { describeStore } from '../store-suite.ts';
import { createPostgresLedger } from './test-ledger.ts';
import { startTestServer, type TestServer } from './test-server.ts';

describe('The PostgreSQL ledger', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.remove());

  describeStore(() => createPostgresLedger(server));
});
