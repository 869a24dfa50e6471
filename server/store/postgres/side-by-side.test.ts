import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  availableTo,
  completion,
  createClaim,
  createReading,
  inclusionAt,
  leaseFor,
  now,
  randomAddress,
  reserved,
  transactionBy,
} from '../../testing/store/claims.ts';
import { shareTestServer, type TestServer } from '../../testing/store/postgres-server.ts';
import { createTestPostgresStore, type TestPostgresStore } from '../../testing/store/postgres-store.ts';
import type { OpenStore } from '../store.ts';
import { storeVersion } from './functions.ts';
import { readMigrations } from './migrations.ts';

let server: TestServer;
let testStore: TestPostgresStore;

/** The last version without functions of its own. */
const oldVersion = 16;

beforeAll(async () => {
  server = await shareTestServer();
});
afterAll(() => server.remove());
beforeEach(async () => {
  testStore = await createTestPostgresStore(server);
});
afterEach(() => testStore.remove());

describe('Two versions on one PostgreSQL store (D-380)', () => {
  it('lets a gateway go on after a newer version has added columns and tables', async () => {
    const store = await testStore.open();
    // Each connection keeps the plans of its statements.
    await Promise.all(Array.from({ length: 20 }, () => buy(store)));
    for (const table of ['payment', 'payer_account', 'chain_tx', 'relayer_lease', 'purchase', 'joined'])
      await testStore.query(`ALTER TABLE ${table} ADD COLUMN of_newer bigint NOT NULL DEFAULT 1`);
    await testStore.query('CREATE TABLE of_newer (id bigint)');
    await Promise.all(Array.from({ length: 20 }, () => buy(store)));
    expect(await store.healthIssue()).toBeNull();
    expect((await store.totals()).get('settled')?.payments).toBe(40);
  });

  it('keeps the functions of older versions when it migrates a store', async () => {
    const admin = await createOldStore();
    await admin.query("CREATE FUNCTION reserve() RETURNS int LANGUAGE sql AS 'SELECT 16'");
    await buy(await testStore.open());
    expect((await admin.query('SELECT reserve()')).rows).toEqual([{ reserve: 16 }]);
    await admin.end();
  });

  it('opens a store that a newer version has migrated, and adds its own functions', async () => {
    await (await testStore.open()).close();
    await testStore.query(`INSERT INTO store_version VALUES (${storeVersion + 1}, 0)`);
    await dropFunctions();
    await buy(await testStore.open());
  });

  it('waits for the lock of a backup, and delays no gateway for long meanwhile', async () => {
    const [admin, backup] = [await createOldStore(), await connect()];
    await backup.query('BEGIN; SELECT FROM payment');
    const opening = testStore.open();
    const waits =
      "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
    await expect.poll(async () => (await admin.query(waits)).rows.length).toBe(1);
    // The statements of a gateway end after 5 seconds.
    await admin.query("SET statement_timeout = '5s'; SELECT FROM payment");
    await backup.query('COMMIT');
    await buy(await opening);
    await Promise.all([admin.end(), backup.end()]);
  });

  it('have migrations that remove nothing, or that name the oldest program', () => {
    const removal =
      /\b(DROP (TABLE|COLUMN|FUNCTION|CONSTRAINT)|RENAME|SET NOT NULL|(ALTER|SET DATA) (COLUMN \w+ )?TYPE)\b/i;
    const namesOldest = /UPDATE store_version SET oldest_program = \d+/;
    const wrong = readMigrations().flatMap((migration, at) => {
      const code = migration.replaceAll(/^\s*--.*$/gm, '');
      return at >= oldVersion && removal.test(code) && !namesOldest.test(code) ? [at + 1] : [];
    });
    expect(wrong).toEqual([]);
    // The pattern finds the renames of version 11.
    expect(removal.test(readMigrations()[10] ?? '')).toBe(true);
  });
});

/** Brings a payment from its reservation to its settlement. */
async function buy(store: OpenStore): Promise<void> {
  const own = randomAddress();
  const { id } = await reserved(store, createClaim(own, 3n), createReading(10n));
  await store.execute(id, completion, null);
  expect(await store.find(id)).toMatchObject({ state: 'executed', completion });
  const lease = await leaseFor(store, randomAddress());
  await store.claimExecuted(lease, 0, now);
  const transaction = transactionBy(lease.relayer);
  await store.submit(lease, [id], transaction);
  expect(await store.openNonces(lease.relayer)).toMatchObject([{ payments: [{ id }] }]);
  await store.settle([id], inclusionAt(101, transaction.hash));
  await store.closeNonce(lease, transaction.relayerNonce);
  await store.endLease(lease);
  expect(await availableTo(store, own)).toBeGreaterThanOrEqual(7n);
}

/** Makes a store as version 16 did. The connection that it returns uses the schema of the store. */
async function createOldStore(): Promise<pg.Client> {
  const admin = await connect();
  await admin.query('CREATE SCHEMA paid_inference');
  await admin.query('CREATE TABLE store_version (version int PRIMARY KEY, applied_at bigint NOT NULL)');
  for (const [at, migration] of readMigrations().slice(0, oldVersion).entries()) {
    await admin.query(migration);
    await admin.query('INSERT INTO store_version VALUES ($1, 0)', [at + 1]);
  }
  await admin.query(
    `CREATE FUNCTION forget_purchase() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`,
  );
  await admin.query(`CREATE TRIGGER payment_forgotten AFTER UPDATE ON payment FOR EACH ROW
    EXECUTE FUNCTION forget_purchase()`);
  return admin;
}

async function dropFunctions(): Promise<void> {
  const own = `SELECT oid::regprocedure::text AS name FROM pg_proc
    WHERE pronamespace = 'paid_inference'::regnamespace AND proname LIKE '%\\_${storeVersion}'`;
  for (const { name } of (await testStore.query(own)) as readonly { readonly name: string }[])
    await testStore.query(`DROP FUNCTION ${name}`);
}

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: testStore.url,
    options: '-c search_path=paid_inference',
  });
  await client.connect();
  return client;
}
