import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inclusionAt, leaseFor, randomAddress, submitted } from '../../testing/store/claims.ts';
import { shareTestServer, type TestServer } from '../../testing/store/postgres-server.ts';
import { createTestPostgresStore, type TestPostgresStore } from '../../testing/store/postgres-store.ts';
import { versioned } from './functions.ts';

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

it('A nonce stays open if a reorganisation reopens its payment while the relayer closes it (D-24)', async () => {
  const store = await testStore.open();
  const lease = await leaseFor(store);
  const { payment, transaction } = await submitted(store, lease, randomAddress(), 8n);
  const { relayerNonce } = transaction;
  await store.settle([payment.id], inclusionAt(101, transaction.hash));
  // Another connection has reopened the payment, and has not committed yet.
  const other = new pg.Client({ connectionString: testStore.url });
  await other.connect();
  await other.query('BEGIN');
  await other.query(`SELECT ${versioned('reopen')}($1, $2)`, [transaction.hash, 1_700_000_000]);
  const closing = expect(store.closeNonce(lease, relayerNonce)).rejects.toThrow('still submitted');
  const waits = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'`;
  await expect.poll(() => testStore.query(waits)).toHaveLength(1);
  await other.query('COMMIT');
  await closing;
  expect(await store.openNonces(lease.relayer)).toMatchObject([
    { relayerNonce, payments: [{ id: payment.id }] },
  ]);
  await other.end();
});
