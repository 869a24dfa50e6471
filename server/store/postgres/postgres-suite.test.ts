import { afterAll, beforeAll, describe } from 'vitest';
import { startTestServer, type TestServer } from '../../testing/store/postgres-server.ts';
import { createTestPostgresStore } from '../../testing/store/postgres-store.ts';
import { describeStore } from '../../testing/store/store-suite.ts';

describe('The PostgreSQL store', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.remove());

  describeStore(() => createTestPostgresStore(server));
});
