import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  completion,
  createClaim,
  createReading,
  executed,
  now,
  randomAddress,
} from '../../testing/store/claims.ts';
import { shareTestServer, type TestServer } from '../../testing/store/postgres-server.ts';
import { createTestPostgresStore, type TestPostgresStore } from '../../testing/store/postgres-store.ts';
import { StoreUnavailable } from '../store.ts';
import { storeVersion, versioned } from './functions.ts';

let server: TestServer;
let testStore: TestPostgresStore;
beforeAll(async () => {
  server = await shareTestServer();
  testStore = await createTestPostgresStore(server);
});
afterAll(async () => {
  await testStore.remove();
  await server.remove();
});

it('The PostgreSQL store is unavailable while its tables are away, as during a restore (D-402)', async () => {
  const store = await testStore.open();
  const payer = randomAddress();
  const { id } = await executed(store, payer, 3n);
  await testStore.query('ALTER SCHEMA paid_inference RENAME TO away');
  await expect(store.find(id)).rejects.toBeInstanceOf(StoreUnavailable);
  const reserving = store.reserve(createClaim(payer, 1n), createReading(10n), now);
  await expect(reserving).rejects.toBeInstanceOf(StoreUnavailable);
  expect(await store.healthIssue()).toContain('does not exist');
  await testStore.query('ALTER SCHEMA away RENAME TO paid_inference');
  expect(await store.find(id)).toMatchObject({ state: 'executed', completion });
  expect(await store.healthIssue()).toBeNull();
});

it.each(['payment', 'payer_account', 'purchase', 'chain_tx', 'relayer_lease'])(
  'The PostgreSQL store is not healthy while the table %s alone is away (D-402)',
  async (table) => {
    const store = await testStore.open();
    await testStore.query(`ALTER TABLE paid_inference.${table} RENAME TO away`);
    expect(await store.healthIssue()).toContain(`"paid_inference.${table}" does not exist`);
    await testStore.query(`ALTER TABLE paid_inference.away RENAME TO ${table}`);
    expect(await store.healthIssue()).toBeNull();
  },
);

it('The PostgreSQL store is not healthy while its functions are away, as after the restore of an older backup (D-426)', async () => {
  const store = await testStore.open();
  await testStore.query(`ALTER FUNCTION ${versioned('reserve')} RENAME TO away`);
  expect(await store.healthIssue()).toContain('Restart the gateway');
  await testStore.query(`ALTER FUNCTION paid_inference.away RENAME TO reserve_${storeVersion}`);
  expect(await store.healthIssue()).toBeNull();
});

const reserveFunction = `FUNCTION ${versioned('reserve')}`;
it.each([
  [
    'a column',
    'TABLE paid_inference.payment RENAME amount TO away',
    'TABLE paid_inference.payment RENAME away TO amount',
  ],
  [
    'a function',
    `${reserveFunction} RENAME TO away`,
    `FUNCTION paid_inference.away RENAME TO reserve_${storeVersion}`,
  ],
])('The PostgreSQL store is unavailable while %s is away (D-402)', async (_part, remove, restore) => {
  const store = await testStore.open();
  const reserve = () => store.reserve(createClaim(randomAddress(), 1n), createReading(10n), now);
  await reserve();
  await testStore.query(`ALTER ${remove}`);
  await expect(reserve()).rejects.toBeInstanceOf(StoreUnavailable);
  await testStore.query(`ALTER ${restore}`);
  expect(await reserve()).toMatchObject({ kind: 'reserved' });
});
