import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { asset, executed, randomAddress } from '../../testing/store/claims.ts';
import { testCompletionKey } from '../../testing/store/open-test-store.ts';
import { shareTestServer, type TestServer } from '../../testing/store/postgres-server.ts';
import { createTestPostgresStore, type TestPostgresStore } from '../../testing/store/postgres-store.ts';
import type { StoreChain } from '../store.ts';
import { inspectPostgresStore, type PostgresInspectionOptions } from './inspect-postgres.ts';
import { readMigrations } from './migrations.ts';

const chain: StoreChain = { chainId: 84_532, asset };
const version = readMigrations().length;
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

function inspect(change: Partial<PostgresInspectionOptions> = {}) {
  const { url } = testStore;
  return inspectPostgresStore({ url, completionKey: testCompletionKey, chain, connectionsMax: 5, ...change });
}

describe('An inspection of a PostgreSQL store', () => {
  it('finds nothing wrong beside a gateway, writes no row, and leaves no connection', async () => {
    const store = await testStore.open({ chain });
    await executed(store, randomAddress(), 3n);
    const countOf = async (sql: string) => (await testStore.query(sql))[0]?.['count'];
    const connections = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()`;
    const before = await countOf(connections);
    expect(await inspect()).toEqual({
      version,
      faults: [],
      // The server of the tests runs without fsync.
      warnings: [expect.stringContaining('without fsync')],
      facts: [
        expect.stringMatching(/^PostgreSQL \d/),
        expect.stringMatching(/^the database has \d+ MB$/),
        expect.stringMatching(/^a write took \d+ ms$/),
      ],
    });
    await expect.poll(() => countOf(connections)).toBe(before);
    expect(await countOf('SELECT count(*) FROM completion_key')).toBe('1');
    expect(await store.healthIssue()).toBeNull();
  });

  it('reports an empty database as a store that does not exist yet, and creates nothing', async () => {
    expect(await inspect()).toMatchObject({ version: null, faults: [] });
    expect(await testStore.query("SELECT to_regnamespace('paid_inference') AS schema")).toEqual([
      { schema: null },
    ]);
  });

  it('reports another token, another key, and too few connections', async () => {
    await testStore.open({ chain });
    const other = { ...chain, asset: randomAddress() };
    const found = await inspect({ chain: other, completionKey: Buffer.alloc(32, 8), connectionsMax: 10_000 });
    expect(found.faults).toEqual([
      expect.stringContaining(`token ${asset} on chain 84532`),
      expect.stringContaining('encrypted with another key'),
    ]);
    expect(found.warnings).toContainEqual(
      expect.stringMatching(/\d+ free connections, .*storeConnectionsMax/),
    );
  });

  it('reports a newer version as a fault, and an older one as a warning', async () => {
    await testStore.open({ chain });
    await testStore.query('INSERT INTO store_version VALUES (99, 0, 99)');
    expect((await inspect()).faults).toEqual([expect.stringContaining('the store has version 99')]);
    await testStore.query(`DELETE FROM store_version WHERE version >= ${version}`);
    const found = await inspect();
    expect(found).toMatchObject({ version: version - 1, faults: [] });
    expect(found.warnings).toContainEqual(
      expect.stringContaining('the next start of this program migrates it'),
    );
    expect(found.warnings.join()).not.toContain('Stop older gateways');
  });

  it('asks to stop the gateways of a store that is too old for two versions (D-380)', async () => {
    await testStore.open({ chain });
    await testStore.query('DELETE FROM store_version WHERE version >= 15');
    expect((await inspect()).warnings).toContainEqual(
      expect.stringContaining('Stop older gateways of the store'),
    );
  });

  it('finds nothing wrong with a newer store that this program can use (D-380)', async () => {
    await testStore.open({ chain });
    await testStore.query(`INSERT INTO store_version VALUES (${version + 1}, 0)`);
    expect(await inspect()).toMatchObject({ version, faults: [] });
  });

  it('rejects with the reason when the server is away', async () => {
    const away = new URL(testStore.url);
    away.port = '1';
    await expect(inspect({ url: away.href })).rejects.toThrow('ECONNREFUSED');
  });
});
