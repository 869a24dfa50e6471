import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { openPostgresStore } from '../store/postgres/postgres-store.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import type { OpenStore } from '../store/store.ts';
import { createClaim, createReading, randomAddress } from '../testing/store/claims.ts';
import { testCompletionKey } from '../testing/store/open-test-store.ts';
import { startTestServer } from '../testing/store/postgres-server.ts';
import { systemClock } from '../types/clock.ts';
import { unixSeconds } from '../types/units.ts';
import { interleave } from './measure/rounds.ts';
import { median, spread } from './measure/statistics.ts';
import { payThrough } from './measure/store-payments.ts';

/**
 * Measures reservations and transitions per second of each store, with fsync, at several concurrencies. The
 * second store commits one operation at a time: the ratio shows the gain of grouped commits. Then compares the
 * stores by whole payments, in interleaved rounds, and counts the round trips to PostgreSQL.
 * Usage: node server/bench/store.bench.ts [milliseconds a measurement]
 */
const durationMs = Number(process.argv[2] ?? 1_000);
const concurrencies = [1, 8, 64] as const;
const paymentsAtOnce = [1, 32, 64] as const;
const rounds = 5;
const payers = Array.from({ length: 64 }, randomAddress);
/** Longer than the whole run, so that no reservation expires. */
const leaseSeconds = 3_600;
const completion = JSON.stringify({ content: 'x'.repeat(1_000) });

type Measured = { readonly reserves: number; readonly transitions: number };

const folder = mkdtempSync(join(tmpdir(), 'paid-inference-bench-'));
const server = await startTestServer({ durable: true });
const common = { clock: systemClock, balanceAgeMaxSeconds: 60, completionKey: testCompletionKey };
const sqlite = (name: string, groupMax: number) =>
  openSqliteStore({ ...common, path: join(folder, `${name}.db`), busyTimeoutMs: 1_000, groupMax });
const stores: Record<string, () => Promise<OpenStore>> = {
  'sqlite, grouped commits': () => sqlite('grouped', 512),
  'sqlite, one at a time': () => sqlite('single', 1),
  'postgres, 16 connections': async () =>
    openPostgresStore({ ...common, url: await server.createDatabase(), connectionsMax: 16 }),
};
const results = new Map<string, Measured>();
try {
  for (const [name, open] of Object.entries(stores)) {
    const store = await open();
    await measure(store, 8, 200);
    for (const at of concurrencies) results.set(`${name} ${at}`, await measure(store, at, durationMs));
    await store.close();
  }
  print();
  await comparePayments();
} finally {
  await server.remove();
  rmSync(folder, { recursive: true, force: true });
}

async function measure(store: OpenStore, concurrency: number, ms: number): Promise<Measured> {
  const ids: number[] = [];
  const reserves = await perSecond(concurrency, ms, async (turn) => {
    const now = systemClock.nowSeconds();
    const payer = payers[turn % payers.length] ?? randomAddress();
    const leaseUntil = unixSeconds(now + leaseSeconds);
    const claim = createClaim(payer, 1n, { leaseUntil });
    const purchase = { hash: claim.authorization.nonce, isRetry: false };
    const result = await store.reserve(claim, createReading(1n << 60n, now, now), now, purchase);
    if (result.kind !== 'reserved') throw new Error(result.kind);
    ids.push(result.payment.id);
  });
  const transitions = await perSecond(concurrency, ms, async () => {
    const id = ids.pop();
    if (id === undefined) return false;
    await store.execute(id, completion, null);
    return true;
  });
  return { reserves, transitions };
}

/** Runs `concurrency` loops of `work` until the time is over or `work` returns false. */
async function perSecond(
  concurrency: number,
  ms: number,
  work: (turn: number) => Promise<unknown>,
): Promise<number> {
  let turns = 0;
  let done = 0;
  const startedAt = systemClock.monotonicMs();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (systemClock.monotonicMs() - startedAt < ms) {
        if ((await work(turns++)) === false) return;
        done++;
      }
    }),
  );
  return (done * 1_000) / (systemClock.monotonicMs() - startedAt);
}

/** Counts the queries of this process. Each is one round trip. */
function countQueries(): () => number {
  let queries = 0;
  const { prototype } = pg.Client;
  const query = prototype.query as (...parameters: readonly unknown[]) => unknown;
  prototype.query = function (this: pg.Client, ...parameters: readonly unknown[]) {
    queries++;
    return query.call(this, ...parameters);
  } as typeof prototype.query;
  return () => queries;
}

async function comparePayments(): Promise<void> {
  const relayer = randomAddress();
  const sqlitePayments = await sqlite('payments', 512);
  const postgresPayments = await openPostgresStore({ ...common, url: await server.createDatabase() });
  const queries = countQueries();
  for (const atOnce of paymentsAtOnce) {
    const measured = await interleave([sqlitePayments, postgresPayments], rounds, async (store) => {
      const before = queries();
      const { payments, perSecond } = await payThrough(store, payers, relayer, atOnce, durationMs);
      return { perSecond, trips: (queries() - before) / payments };
    });
    const ours = measured.get(postgresPayments) ?? [];
    const base = measured.get(sqlitePayments) ?? [];
    const ratio = spread(ours.map(({ perSecond }, at) => perSecond / (base[at]?.perSecond ?? Number.NaN)));
    const trips = median(ours.map((figures) => figures.trips));
    console.log(
      `${atOnce} payments at once: postgres / sqlite ${ratio.median.toFixed(2)} (${ratio.least.toFixed(2)} to ` +
        `${ratio.most.toFixed(2)}), ${trips.toFixed(2)} round trips to postgres a payment`,
    );
  }
  await sqlitePayments.close();
  await postgresPayments.close();
}

function print(): void {
  const baseline = 'sqlite, one at a time';
  console.log(
    `${'store'.padEnd(26)}${'at once'.padStart(8)}${'reserves/s'.padStart(12)}${'ratio'.padStart(8)}` +
      `${'transitions/s'.padStart(15)}${'ratio'.padStart(8)}`,
  );
  for (const name of Object.keys(stores)) {
    for (const at of concurrencies) {
      const [measured, single] = [results.get(`${name} ${at}`), results.get(`${baseline} ${at}`)];
      if (measured === undefined || single === undefined) continue;
      console.log(
        name.padEnd(26) +
          String(at).padStart(8) +
          measured.reserves.toFixed(0).padStart(12) +
          (measured.reserves / single.reserves).toFixed(1).padStart(8) +
          measured.transitions.toFixed(0).padStart(15) +
          (measured.transitions / single.transitions).toFixed(1).padStart(8),
      );
    }
  }
}
