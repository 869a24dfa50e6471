import { afterAll, beforeAll, describe } from 'vitest';
import { describeStore } from '../store-suite.ts';
import { startTestServer, type TestServer } from './test-server.ts';
import { createTestPostgresStore } from './test-store.ts';

describe('The PostgreSQL store', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.remove());

  describeStore(() => createTestPostgresStore(server));
});
