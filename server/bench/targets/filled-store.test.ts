import { afterAll, beforeAll, expect, it } from 'vitest';
import { completion, executed, inclusionAt, proofIn, randomAddress } from '../../testing/store/claims.ts';
import { createTestSqliteStore, type TestSqliteStore } from '../../testing/store/sqlite-store.ts';
import { fillStore } from './filled-store.ts';

let filled: TestSqliteStore;

beforeAll(async () => {
  filled = await createTestSqliteStore();
  const store = await filled.open();
  const payment = await executed(store, randomAddress(), 1n, 100n, proofIn('batch'));
  await store.settle([payment.id], inclusionAt(101));
  await store.close();
  fillStore(filled.path, 100);
  fillStore(filled.path, 250);
});
afterAll(() => filled.remove());

it('a filled store has this many final payments, and not the real one', async () => {
  const [row] = await filled.query(
    `SELECT count(*) AS payments, count(DISTINCT nonce) AS nonces, sum(state = 'final') AS final FROM payment`,
  );
  expect(row).toMatchObject({ payments: 250n, nonces: 250n, final: 250n });
});

it('each payment has an account, and a proof in a batch of at most 64', async () => {
  expect(await filled.query('PRAGMA foreign_key_check')).toEqual([]);
  const [row] = await filled.query(
    `SELECT count(*) AS complete FROM payment p JOIN payer_account USING (asset, payer)
     JOIN proof ON payment_id = p.id JOIN proof_batch b ON b.id = batch_id`,
  );
  expect(row).toMatchObject({ complete: 250n });
  const batches = await filled.query(
    'SELECT count(*) AS proofs FROM proof GROUP BY batch_id ORDER BY batch_id',
  );
  expect(batches.map(({ proofs }) => proofs)).toEqual([64n, 64n, 64n, 58n]);
});

it('a gateway can sell from a filled store', async () => {
  const store = await filled.open();
  const payment = await executed(store, randomAddress(), 1n, 100n, proofIn('batch'));
  expect(await store.find(payment.id)).toMatchObject({ state: 'executed', completion });
});
