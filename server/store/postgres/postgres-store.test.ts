import { once } from 'node:events';
import { createServer } from 'node:net';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  availableTo,
  completion,
  createClaim,
  createReading,
  executed,
  inclusionAt,
  now,
  paymentOfTheFirstVersion,
  randomAddress,
  reserved,
} from '../../testing/store/claims.ts';
import { expectOldPayments, oldChain, readOldStore } from '../../testing/store/old-stores.ts';
import { shareTestServer, type TestServer } from '../../testing/store/postgres-server.ts';
import { createTestPostgresStore, type TestPostgresStore } from '../../testing/store/postgres-store.ts';
import type { Address } from '../../types/units.ts';
import { type OpenStore, StoreUnavailable } from '../store.ts';
import { readMigrations } from './migrations.ts';

let server: TestServer;
let testStore: TestPostgresStore;
let payer: Address;

beforeAll(async () => {
  server = await shareTestServer();
});
afterAll(() => server.remove());
beforeEach(async () => {
  testStore = await createTestPostgresStore(server);
  payer = randomAddress();
});
afterEach(() => testStore.remove());

describe('The PostgreSQL store', () => {
  it('is unavailable while statements time out, and changes nothing by them', async () => {
    const patient = await testStore.open();
    const { id } = await reserved(patient, createClaim(payer, 3n), createReading(10n));
    const store = await testStore.open({ operationTimeoutMs: 100 });
    const other = await connect();
    await other.query('BEGIN; LOCK TABLE paid_inference.payment IN ACCESS EXCLUSIVE MODE');
    for (const attempt of [
      () => store.reserve(createClaim(payer, 1n), createReading(10n), now),
      () => store.execute(id, completion, null),
      () => store.find(id),
      () => store.settle([id], inclusionAt(101)),
    ]) {
      await expect(attempt()).rejects.toBeInstanceOf(StoreUnavailable);
    }
    await other.end();
    await expect.poll(() => store.find(id)).toMatchObject({ state: 'reserved' });
    expect(await availableTo(patient, payer)).toBe(7n);
  });

  it('rejects operations that wait too long for a connection, and operations beyond waitingMax', async () => {
    const limits = { connectionsMax: 2, waitingMax: 3, connectTimeoutMs: 1_000, operationTimeoutMs: 30_000 };
    const store = await testStore.open(limits);
    await reserved(store, createClaim(payer, 1n), createReading(10n));
    const other = await connect();
    await other.query('BEGIN; LOCK TABLE paid_inference.payment IN ACCESS EXCLUSIVE MODE');
    const finds = Array.from({ length: 8 }, () => store.find(1));
    const [first, second, ...late] = finds;
    const outcomes = Promise.allSettled(late);
    expect(await store.healthIssue()).toContain('wait');
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailable) });
    }
    await other.end();
    expect(await Promise.all([first, second])).toMatchObject([{ id: 1 }, { id: 1 }]);
    expect(await store.healthIssue()).toBeNull();
  });

  it.skipIf(process.env['DATABASE_URL'] !== undefined)(
    'is unavailable while the server is down, and available when the server is up again',
    async () => {
      const store = await testStore.open();
      const { id } = await executed(store, payer, 3n);
      const busy = Promise.allSettled(
        Array.from({ length: 50 }, () => store.reserve(createClaim(payer, 1n), createReading(100n), now)),
      );
      await server.power?.off();
      for (const outcome of await busy) {
        if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(StoreUnavailable);
      }
      await expect(store.find(id)).rejects.toBeInstanceOf(StoreUnavailable);
      expect(await store.healthIssue()).toContain('ECONNREFUSED');
      await server.power?.on();
      expect(await store.find(id)).toMatchObject({ state: 'executed', completion });
      expect(await store.healthIssue()).toBeNull();
    },
  );

  it('is unhealthy from a write that found a full disk until a new page can be written (D-142)', async () => {
    const store = await testStore.open();
    const { id } = await executed(store, payer, 3n);
    // New pages do not fit, and pages with free space still take updates.
    await testStore.query(`CREATE FUNCTION paid_inference.no_space() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE 'could not extend file' USING ERRCODE = 'disk_full'; END $$`);
    for (const table of ['payment', 'completion_key'])
      await testStore.query(`CREATE TRIGGER full_disk BEFORE INSERT ON paid_inference.${table}
        EXECUTE FUNCTION paid_inference.no_space()`);
    const reserving = store.reserve(createClaim(payer, 1n), createReading(10n), now);
    await expect(reserving).rejects.toBeInstanceOf(StoreUnavailable);
    expect(await store.healthIssue()).toContain('could not extend file');
    expect(await store.find(id)).toMatchObject({ state: 'executed' });
    await testStore.query('DROP FUNCTION paid_inference.no_space CASCADE');
    expect(await store.healthIssue()).toBeNull();
    expect(await testStore.query('SELECT count(*)::int AS marks FROM completion_key')).toEqual([
      { marks: 1 },
    ]);
  });

  it('makes one durable write for each health check (D-142)', async () => {
    const store = await testStore.open();
    const version = () => testStore.query('SELECT xmin::text AS version FROM completion_key');
    const before = await version();
    expect(await store.healthIssue()).toBeNull();
    expect(await version()).not.toEqual(before);
  });

  it('throws a timeout when the server does not respond while the store opens', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = silent.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    const url = `postgresql://gateway:a-secret-word@127.0.0.1:${port}/store`;
    const opening = testStore.open({ url, connectTimeoutMs: 100 });
    await expect(opening).rejects.toThrow(/timeout/);
    await expect(opening).rejects.not.toThrow(/secret/);
    silent.close();
  });

  it('finishes accepted operations when it closes, and is unavailable then', async () => {
    const store = await testStore.open();
    const claims = Array.from({ length: 20 }, () =>
      reserved(store, createClaim(payer, 1n), createReading(100n)),
    );
    await store.close();
    expect(await Promise.all(claims)).toHaveLength(20);
    await expect(store.find(1)).rejects.toBeInstanceOf(StoreUnavailable);
    expect(await store.healthIssue()).toContain('closed');
  });

  it('throws another error than StoreUnavailable for a defect of the caller', async () => {
    const store = await testStore.open();
    const { id } = await executed(store, payer, 3n);
    for (const attempt of [
      () => store.execute(id, 'another completion', null),
      () => store.reserve({ ...createClaim(payer, 1n), fingerprint: null as never }, createReading(9n), now),
      () => store.find('x' as never),
    ]) {
      const fault = await catchFault(attempt());
      expect(fault).toBeInstanceOf(Error);
      expect(fault).not.toBeInstanceOf(StoreUnavailable);
    }
    expect(await availableTo(store, payer)).toBe(97n);
  });

  it('never shows its password in an error', async () => {
    const url = new URL(testStore.url);
    url.password = 'a-secret-word';
    for (const wrong of [
      url.href,
      'postgresql://gateway:a-secret-word@127.0.0.1:1/store',
      'postgresql://gateway:a-secret-word@[::1/store',
      'a-secret-word',
    ]) {
      const fault = await catchFault(testStore.open({ url: wrong }));
      expect(fault, wrong).toBeInstanceOf(Error);
      const everything = JSON.stringify([fault, Object.getOwnPropertyDescriptors(fault), String(fault)]);
      expect(everything).not.toContain('a-secret-word');
    }
  });
});

describe('A PostgreSQL store that several gateways open', () => {
  it('makes its schema once when six open it at the same time', async () => {
    const stores = await Promise.all(Array.from({ length: 6 }, () => testStore.open()));
    await reserved(stores[0] as OpenStore, createClaim(payer, 1n), createReading(9n));
    expect(await availableTo(stores[5] as OpenStore, payer)).toBe(8n);
    expect(await testStore.query('SELECT version FROM store_version')).toHaveLength(readMigrations().length);
    expect(await testStore.query('SELECT count(*)::int AS marks FROM completion_key')).toEqual([
      { marks: 1 },
    ]);
  });

  it('rejects a store of a newer program, and another key', async () => {
    const { id } = await executed(await testStore.open(), payer, 1n);
    await expect(testStore.open({ completionKey: Buffer.alloc(32, 1) })).rejects.toThrow(
      'encrypted with another key',
    );
    await expect(testStore.open({ completionKey: Buffer.alloc(16) })).rejects.toThrow('32 bytes, not 16');
    const faults: string[] = [];
    const store = await testStore.open({ onFault: (fault) => faults.push(fault) });
    await testStore.query(`UPDATE payment SET completion = '\\x00' WHERE id = ${id}`);
    expect(await store.find(id)).toMatchObject({ completion: null });
    expect(faults).toEqual([expect.stringContaining(`payment ${id}`)]);
    await testStore.query('INSERT INTO store_version VALUES (99, 0, 99)');
    await expect(testStore.open()).rejects.toThrow(
      `version 99, and this program supports versions up to ${readMigrations().length}.`,
    );
  });

  it('migrates a store of the first version to the newest and keeps its payments', async () => {
    const admin = await connect();
    await admin.query('CREATE SCHEMA paid_inference; SET search_path = paid_inference');
    await admin.query(
      `${readMigrations()[0]} CREATE FUNCTION settle() RETURNS void LANGUAGE sql AS 'SELECT'`,
    );
    await admin.query('CREATE TABLE ledger_version (version int PRIMARY KEY, applied_at bigint NOT NULL)');
    await admin.query('INSERT INTO ledger_version VALUES (1, 0)');
    await admin.query(paymentOfTheFirstVersion(payer));
    await admin.end();
    const store = await testStore.open();
    const kept = await store.find(1);
    expect(kept).toMatchObject({ state: 'submitted', authorization: { from: payer, value: 3n } });
    await store.settle([1], inclusionAt(101));
    expect(await availableTo(store, payer)).toBe(97n);
    expect(await testStore.query('SELECT version FROM store_version')).toHaveLength(readMigrations().length);
  });

  it('migrates a store of version 10 and keeps its payments, claims, transactions and proofs', async () => {
    const admin = await connect();
    await admin.query('CREATE SCHEMA paid_inference; SET search_path = paid_inference');
    await admin.query(readOldStore('postgres', readMigrations()));
    await admin.end();
    const store = await testStore.open({ chain: oldChain });
    await expectOldPayments(store);
    expect(await testStore.query('SELECT version FROM store_version')).toHaveLength(readMigrations().length);
    await (await testStore.open({ chain: oldChain })).close();
  });

  it('rejects another chain or token than that of its first opening (D-67)', async () => {
    const own = { chainId: 84_532, asset: randomAddress() };
    const stores = await Promise.all([1, 2, 3].map(() => testStore.open({ chain: own })));
    const { id } = await executed(stores[0] as OpenStore, payer, 1n);
    for (const chain of [
      { ...own, asset: randomAddress() },
      { ...own, chainId: 8_453 },
    ]) {
      await expect(testStore.open({ chain })).rejects.toThrow(
        `the store belongs to token ${own.asset} on chain 84532, and the gateway is set to token ${chain.asset} on chain ${chain.chainId}`,
      );
    }
    expect(await (await testStore.open({ chain: own })).find(id)).toMatchObject({ state: 'executed' });
    expect(await testStore.query('SELECT asset FROM store_chain')).toEqual([{ asset: own.asset }]);
  });

  it('needs no right to change the schema when the schema is up to date', async () => {
    await testStore.open();
    const role = `gateway_${payer.slice(2, 14)}`;
    await testStore.query(`CREATE ROLE ${role} LOGIN PASSWORD 'for-a-test'`);
    await testStore.query(`GRANT USAGE ON SCHEMA paid_inference TO ${role}`);
    await testStore.query(
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA paid_inference TO ${role}`,
    );
    const url = new URL(testStore.url);
    url.username = role;
    url.password = 'for-a-test';
    const store = await testStore.open({ url: url.href });
    await reserved(store, createClaim(payer, 1n), createReading(9n));
    expect(await availableTo(store, payer)).toBe(8n);
    expect(await store.pruneJournal(9)).toBe(0);
    await store.close();
    await testStore.query(`DROP OWNED BY ${role}`);
    await testStore.query(`DROP ROLE ${role}`);
  });
});

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: testStore.url });
  await client.connect();
  return client;
}

function catchFault(attempt: Promise<unknown>): Promise<unknown> {
  return attempt.then(
    () => null,
    (cause: unknown) => cause,
  );
}
