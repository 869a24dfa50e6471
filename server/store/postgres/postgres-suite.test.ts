import { afterAll, beforeAll, describe } from 'vitest';
import { describeAllowances } from '../../testing/store/allowances-suite.ts';
import { shareTestServer, type TestServer } from '../../testing/store/postgres-server.ts';
import { createTestPostgresStore } from '../../testing/store/postgres-store.ts';
import { describeStore } from '../../testing/store/store-suite.ts';

describe('The PostgreSQL store', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await shareTestServer();
  });
  afterAll(() => server.remove());

  describeStore(() => createTestPostgresStore(server));
  describeAllowances(() => createTestPostgresStore(server));
});
