import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  asset,
  completion,
  createClaim,
  createReading,
  executed,
  inclusionAt,
  now,
  proofIn,
  randomAddress,
  randomBytes32,
  reserved,
} from '../../testing/store/claims.ts';
import { shareTestServer, type TestServer } from '../../testing/store/postgres-server.ts';
import { createTestPostgresStore, type TestPostgresStore } from '../../testing/store/postgres-store.ts';
import { type Address, type Bytes32, unixSeconds } from '../../types/units.ts';
import { LeaseLost } from '../relayer-lease.ts';
import { type Claim, type OpenStore, type PaymentRecord, StoreUnavailable } from '../store.ts';
import { openConnections } from './connections.ts';
import { readerLimits } from './postgres-reader.ts';

let server: TestServer;
let testStore: TestPostgresStore;
let store: OpenStore;

beforeAll(async () => {
  server = await shareTestServer();
  testStore = await createTestPostgresStore(server);
  store = await testStore.open();
});
afterAll(async () => {
  await testStore.remove();
  await server.remove();
});

const claims = (count: number) =>
  Array.from({ length: count }, (_, at) =>
    createClaim(randomAddress(), BigInt(at + 1), { fingerprint: `request ${at}` }),
  );
const reserve = (claim: Claim) => store.reserve(claim, createReading(100n), now);
/** The number of transactions that wrote the rows of these payments last. */
async function countWrites(ids: readonly number[]): Promise<unknown> {
  const list = ids.join(', ');
  return (
    await testStore.query(
      `SELECT count(DISTINCT xmin::text)::int AS writes FROM payment WHERE id IN (${list})`,
    )
  )[0];
}

describe('Concurrent calls of the PostgreSQL store', () => {
  it('reserve, execute and look up in one transaction each, and get their own results', async () => {
    const made = claims(64);
    const results = await Promise.all(made.map(reserve));
    const payments = results.map((result) => {
      if (result.kind !== 'reserved') throw new Error(result.kind);
      return result.payment;
    });
    expect(payments.map(({ fingerprint }) => fingerprint)).toEqual(
      made.map(({ fingerprint }) => fingerprint),
    );
    const ids = payments.map(({ id }) => id);
    expect(await countWrites(ids)).toEqual({ writes: 1 });
    const proofs = ids.map((_, at) => (at % 2 === 0 ? proofIn('batch') : null));
    await Promise.all(ids.map((id, at) => store.execute(id, `${completion} ${at}`, proofs[at] ?? null)));
    expect(await countWrites(ids)).toEqual({ writes: 1 });
    const unknown = createClaim(randomAddress(), 1n);
    const found = await Promise.all(
      [...made, unknown].map(({ asset, authorization: { from, nonce } }) => store.lookUp(asset, from, nonce)),
    );
    expect(found).toMatchObject([
      ...ids.map((id, at) => ({ id, completion: `${completion} ${at}`, proof: proofs[at]?.header ?? null })),
      null,
    ]);
    expect(await testStore.query('SELECT count(*)::int AS proofs FROM proof')).toEqual([{ proofs: 32 }]);
  });

  it('owe payments and write their completions in one transaction each, also while others are wrong', async () => {
    const payments = (await Promise.all(claims(16).map(reserve))).map((each) => {
      if (each.kind !== 'reserved') throw new Error(each.kind);
      return each.payment;
    });
    const ids = payments.map(({ id }) => id);
    await Promise.all(ids.map((id) => store.owe(id)));
    expect(await countWrites(ids)).toEqual({ writes: 1 });
    const [first, ...others] = payments as [PaymentRecord, ...PaymentRecord[]];
    const complete = ({ id, leaseUntil }: PaymentRecord, text: string) =>
      store.completeOwed(id, leaseUntil, text, proofIn('batch'));
    const wrong = [
      { ...first, leaseUntil: unixSeconds(first.leaseUntil - 1) },
      { ...first, id: 4_711 },
    ];
    const late = wrong.map((each) => complete(each, 'late'));
    const writes = [first, ...others].map((each) => complete(each, `${completion} ${each.id}`));
    for (const { status } of await Promise.allSettled(late)) expect(status).toBe('rejected');
    await Promise.all(writes);
    expect(await countWrites(ids)).toEqual({ writes: 1 });
    for (const id of ids) expect(await store.find(id)).toMatchObject({ completion: `${completion} ${id}` });
  });

  it('write each long completion in a transaction of its own', async () => {
    const payments = await Promise.all(claims(2).map(reserve));
    const ids = payments.map((each) => (each.kind === 'reserved' ? each.payment.id : 0));
    const long = 'x'.repeat(100_000);
    await Promise.all(ids.map((id) => store.execute(id, long, null)));
    expect(await countWrites(ids)).toEqual({ writes: 2 });
    for (const id of ids) expect(await store.find(id)).toMatchObject({ completion: long });
  });

  it('fail alone when one of them is wrong', async () => {
    const [first, wrong, last] = claims(3) as [Claim, Claim, Claim];
    const results = await Promise.allSettled(
      [first, { ...wrong, fingerprint: null as never }, last].map(reserve),
    );
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(results[1]).toMatchObject({
      reason: expect.not.objectContaining({ name: StoreUnavailable.name }),
    });
    const [one, other] = await Promise.all([first, last].map(reserve));
    if (one?.kind !== 'known' || other?.kind !== 'known') throw new Error('the claims are not reserved');
    await store.release(other.payment.id);
    const executions = [one, other].map(({ payment }) => store.execute(payment.id, completion, null));
    const [kept, lost] = await Promise.allSettled(executions);
    expect(kept?.status).toBe('fulfilled');
    expect(lost).toMatchObject({ status: 'rejected', reason: expect.any(LeaseLost) });
  });
});

it('looks proofs and keys up together, on a few connections (D-443)', async () => {
  const fresh = await createTestPostgresStore(server);
  const opened = await fresh.open();
  const payments = await Promise.all([1n, 2n].map((amount) => executed(opened, randomAddress(), amount)));
  await opened.settle(
    payments.map(({ id }) => id),
    inclusionAt(101),
  );
  const known = await fresh.query('SELECT proof_id AS id FROM proof ORDER BY id');
  const asked = [...known.map(({ id }) => id as Bytes32), ...Array.from({ length: 64 }, randomBytes32)];
  const found = await Promise.all(asked.map((id) => opened.findProof(id)));
  expect(found.map((each) => each?.proofId ?? null)).toEqual(
    asked.map((id, at) => (at < known.length ? id : null)),
  );
  const keys = [randomAddress(), ...Array.from({ length: 64 }, randomAddress)];
  await opened.addSigner(keys[0] as Address, '{}', `1:${randomAddress()}`);
  const signers = await Promise.all(keys.map((key) => opened.findSigner(key)));
  expect(signers.map((each) => each?.address ?? null)).toEqual(
    keys.map((key, at) => (at === 0 ? key : null)),
  );
  const [row] = await fresh.query(
    'SELECT count(*)::int AS sessions FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  expect(row?.['sessions']).toBeLessThan(4);
  await opened.close();
  await fresh.remove();
});

it('reads payments by indexes also in an empty store, because plans stay while it grows (D-253)', async () => {
  const fresh = await createTestPostgresStore(server);
  // A process counts its scans when its last connection ends.
  const countScans = async () => {
    const others =
      'SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';
    await expect.poll(() => fresh.query(others)).toEqual([]);
    const [row] = await fresh.query(
      "SELECT seq_scan::int AS whole, idx_scan::int AS indexed FROM pg_stat_user_tables WHERE relname = 'payment'",
    );
    return row as { readonly whole: number; readonly indexed: number };
  };
  await (await fresh.open()).close();
  const before = await countScans();
  const opened = await fresh.open();
  const { id } = await executed(opened, randomAddress(), 3n);
  await opened.lookUp(asset, randomAddress(), randomBytes32());
  await opened.readOutcomes([id]);
  await opened.settle([id], inclusionAt(101));
  await opened.dropCompletionsBefore(now);
  const later = await reserved(opened, createClaim(randomAddress(), 3n), createReading(100n));
  await opened.owe(later.id);
  await opened.endOwedRun(later.id, later.leaseUntil);
  await opened.takeOwed(later.id, unixSeconds(now + 60), now);
  await opened.completeOwed(later.id, unixSeconds(now + 61), completion, null);
  await opened.dropOwedBefore(now);
  await opened.owedTotals();
  await opened.close();
  const after = await countScans();
  expect(after.indexed).toBeGreaterThan(before.indexed);
  expect(after.whole).toBe(before.whole);
  await fresh.remove();
});

it('lets the server compile no statement (D-391)', async () => {
  const connections = openConnections(testStore.url, readerLimits);
  const { rows } = await connections.run('SHOW jit');
  await connections.close();
  expect(rows).toEqual([{ jit: 'off' }]);
});
