import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  asset,
  completion,
  createClaim,
  createReading,
  executed,
  leaseFor,
  now,
  randomAddress,
  reserved,
} from '../../testing/store/claims.ts';
import { shareTestServer, type TestServer } from '../../testing/store/postgres-server.ts';
import { createTestPostgresStore, type TestPostgresStore } from '../../testing/store/postgres-store.ts';
import { unixSeconds } from '../../types/units.ts';
import { LeaseLost } from '../relayer-lease.ts';

const chain = { chainId: 84_532, asset };
const completionKey = Buffer.alloc(32, 9);
const payer = randomAddress();

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

describe('D-236: two gateways with different keys on one PostgreSQL store', () => {
  it('cannot both open it', async () => {
    const openings = await Promise.allSettled([
      testStore.open({ chain }),
      testStore.open({ chain, completionKey }),
    ]);
    expect(openings.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  it('release no payment of each other while one of them has a lease', async () => {
    const store = await testStore.open({ chain });
    const { id } = await executed(store, payer, 3n);
    const lease = await leaseFor(store);
    await testStore.query('DELETE FROM completion_key');
    const opening = () => testStore.open({ chain, completionKey });
    await expect(opening()).rejects.toThrow('a gateway still uses the store');
    expect(await store.find(id)).toMatchObject({ state: 'executed', completion });
    expect(await testStore.query('SELECT mark FROM completion_key')).toEqual([]);
    await store.endLease(lease);
    expect(await (await opening()).find(id)).toMatchObject({ state: 'released' });
  });

  it('leave the store to the new key: the other one writes no completion and is not healthy', async () => {
    const store = await testStore.open({ chain });
    const { id, leaseUntil } = await reserved(store, createClaim(payer, 3n), createReading(100n));
    const owed = await reserved(store, createClaim(payer, 3n), createReading(100n));
    await store.owe(owed.id);
    expect(await store.healthIssue()).toBeNull();
    await testStore.query('DELETE FROM completion_key');
    const other = await testStore.open({ chain, completionKey });
    await expect(store.execute(id, completion, null)).rejects.toBeInstanceOf(LeaseLost);
    await expect(store.owe(id)).rejects.toBeInstanceOf(LeaseLost);
    const write = store.completeOwed(owed.id, leaseUntil, completion, null);
    await expect(write).rejects.toBeInstanceOf(LeaseLost);
    await store.endOwedRun(owed.id, leaseUntil);
    expect(await store.takeOwed(owed.id, unixSeconds(now + 60), now)).toBeNull();
    expect(await other.takeOwed(owed.id, unixSeconds(now + 60), now)).toMatchObject({ isOwed: true });
    expect(await store.healthIssue()).toContain('another key');
    expect(await other.find(id)).toMatchObject({ state: 'reserved', completion: null });
    await other.execute(id, completion, null);
    expect(await other.find(id)).toMatchObject({ state: 'executed', completion });
  });
});
