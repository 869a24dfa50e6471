import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { asset, executed, inclusionAt, randomAddress } from '../../testing/store/claims.ts';
import { testCompletionKey } from '../../testing/store/open-test-store.ts';
import { shareTestServer, type TestServer } from '../../testing/store/postgres-server.ts';
import { createTestPostgresStore, type TestPostgresStore } from '../../testing/store/postgres-store.ts';
import { StoreRefused } from '../migration.ts';
import { StoreUnavailable } from '../store.ts';
import { inspectPostgresStore } from './inspect-postgres.ts';

const chain = { chainId: 84_532, asset };
const readOnly = /^the database is read-only\. .*DATABASE_URL.* default_transaction_read_only$/;
let server: TestServer;
let testStore: TestPostgresStore;

beforeAll(async () => {
  server = await shareTestServer();
});
afterAll(() => server.remove());
beforeEach(async () => {
  testStore = await createTestPostgresStore(server);
});
afterEach(() => testStore.remove());

/** The sentence of a failed start, which the doctor reports in the same words. */
async function findFault(sessionOptions = ''): Promise<string> {
  const url = new URL(testStore.url);
  if (sessionOptions !== '') url.searchParams.set('options', sessionOptions);
  const cause = await testStore.open({ chain, url: url.href }).catch((error: unknown) => error);
  if (!(cause instanceof StoreRefused)) throw cause;
  const common = { completionKey: testCompletionKey, chain, connectionsMax: 5 };
  const { faults } = await inspectPostgresStore({ url: url.href, ...common });
  expect(faults).toEqual([cause.message]);
  return cause.message;
}

describe('Start and doctor report a database that no gateway can use, with a way out (D-144)', () => {
  it('a read-only database without a store', async () => {
    expect(await findFault('-c default_transaction_read_only=on')).toMatch(readOnly);
  });

  it('a read-only database with a store', async () => {
    await testStore.open({ chain });
    expect(await findFault('-c default_transaction_read_only=on')).toMatch(readOnly);
  });

  it('a user who may not create a schema', async () => {
    expect(await findFault('-c role=pg_monitor')).toMatch(/^the user may not create .*Grant it CREATE/);
  });

  it('a schema of another user', async () => {
    await testStore.query('CREATE SCHEMA paid_inference; GRANT USAGE ON SCHEMA paid_inference TO pg_monitor');
    expect(await findFault('-c role=pg_monitor')).toMatch(/^the user may not create .*Grant it CREATE/);
  });

  it('a table of another program in the schema of the store', async () => {
    await testStore.query('CREATE SCHEMA paid_inference');
    await testStore.query('CREATE TABLE paid_inference.payment (id int)');
    expect(await findFault()).toMatch(/^the schema paid_inference has the table payment,.*set DATABASE_URL/);
    expect(await testStore.query('SELECT id FROM payment')).toEqual([]);
  });

  it('but not an empty schema, nor one with a table of another name', async () => {
    await testStore.query('CREATE SCHEMA paid_inference');
    await testStore.query('CREATE TABLE paid_inference.notes (id int)');
    const store = await testStore.open({ chain });
    expect(await store.healthIssue()).toBeNull();
  });
});

it('The PostgreSQL store is unavailable for writes while the database is read-only, and healthy again afterwards', async () => {
  const store = await testStore.open();
  const { id } = await executed(store, randomAddress(), 3n);
  const database = new URL(testStore.url).pathname.slice(1);
  await testStore.query(`ALTER DATABASE ${database} SET default_transaction_read_only = on`);
  await testStore.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  await expect.poll(() => store.healthIssue()).toBe('the store is read-only');
  await expect(store.settle([id], inclusionAt(101))).rejects.toBeInstanceOf(StoreUnavailable);
  expect(await store.find(id)).toMatchObject({ state: 'executed' });
  expect(await store.healthIssue()).toBe('the store is read-only');
  await testStore.query(
    `SET default_transaction_read_only = off; ALTER DATABASE ${database} RESET default_transaction_read_only`,
  );
  expect(await store.healthIssue()).toBeNull();
  await store.settle([id], inclusionAt(101));
  expect(await store.find(id)).toMatchObject({ state: 'settled' });
});
