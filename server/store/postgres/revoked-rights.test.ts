import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { shareTestServer, type TestServer } from '../../testing/store/postgres-server.ts';
import { createTestPostgresStore, type TestPostgresStore } from '../../testing/store/postgres-store.ts';
import type { OpenStore } from '../store.ts';
import { versioned } from './functions.ts';

const user = `gateway_${randomBytes(6).toString('hex')}`;
let server: TestServer;
let testStore: TestPostgresStore;
let store: OpenStore;

beforeAll(async () => {
  server = await shareTestServer();
  testStore = await createTestPostgresStore(server);
  await testStore.open();
  await testStore.query(`CREATE ROLE ${user} LOGIN PASSWORD 'secret'`);
  await testStore.query(`GRANT USAGE ON SCHEMA paid_inference TO ${user}`);
  await testStore.query(`GRANT ALL ON ALL TABLES IN SCHEMA paid_inference TO ${user}`);
  store = await testStore.open({ url: urlOf(user) });
});
afterAll(async () => {
  await store.close();
  await testStore.query(`DROP OWNED BY ${user}`);
  await testStore.query(`DROP ROLE ${user}`);
  await testStore.remove();
  await server.remove();
});

function urlOf(name: string): string {
  const url = new URL(testStore.url);
  url.username = name;
  url.password = 'secret';
  return url.href;
}

it.each([
  ['SELECT', 'payment'],
  ['INSERT', 'payment'],
  ['UPDATE', 'payer_account'],
  ['INSERT', 'payment_transaction'],
  ['UPDATE', 'relayer_lease'],
])('The PostgreSQL store is not healthy while its user lacks %s on %s (D-402)', async (right, table) => {
  await testStore.query(`REVOKE ${right} ON ${table} FROM ${user}`);
  expect(await store.healthIssue()).toContain(`lacks ${right} on paid_inference.${table}. Grant`);
  await testStore.query(`GRANT ${right} ON ${table} TO ${user}`);
  expect(await store.healthIssue()).toBeNull();
});

it('The PostgreSQL store is healthy with rights on columns alone, and without rights that a sale does not need (D-402)', async () => {
  await testStore.query(`REVOKE ALL ON purchase, joined FROM ${user}`);
  await testStore.query(`GRANT SELECT (hash), INSERT (hash) ON purchase TO ${user}`);
  await testStore.query(`GRANT SELECT, INSERT ON joined TO ${user}`);
  expect(await store.healthIssue()).toBeNull();
});

it('The PostgreSQL store is not healthy while its user may not run its functions (D-402)', async () => {
  const reserve = (
    await testStore.query(`SELECT to_regproc('${versioned('reserve')}')::regprocedure AS name`)
  )[0];
  await testStore.query(`REVOKE EXECUTE ON FUNCTION ${reserve?.['name']} FROM PUBLIC`);
  expect(await store.healthIssue()).toContain('may not run the functions');
  await testStore.query(`GRANT EXECUTE ON FUNCTION ${reserve?.['name']} TO PUBLIC`);
  expect(await store.healthIssue()).toBeNull();
});

it('The PostgreSQL store is not healthy while row level security without a policy hides a table (D-402)', async () => {
  await testStore.query('ALTER TABLE payment ENABLE ROW LEVEL SECURITY');
  expect(await store.healthIssue()).toContain('row level security hides paid_inference.payment');
  await testStore.query('CREATE POLICY all_rows ON payment USING (true)');
  expect(await store.healthIssue()).toBeNull();
  await testStore.query('DROP POLICY all_rows ON payment');
  await testStore.query('ALTER TABLE payment DISABLE ROW LEVEL SECURITY');
});
