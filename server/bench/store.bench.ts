import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPostgresStore } from '../store/postgres/postgres-store.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import type { OpenStore } from '../store/store.ts';
import { createClaim, createReading, randomAddress } from '../testing/store/claims.ts';
import { testCompletionKey } from '../testing/store/open-test-store.ts';
import { startTestServer } from '../testing/store/postgres-server.ts';
import { systemClock } from '../types/clock.ts';
import { unixSeconds } from '../types/units.ts';

/**
 * Measures reservations and transitions per second of each store, with fsync, at several concurrencies. The
 * second store commits one operation at a time: the ratio shows the gain of grouped commits.
 * Usage: node server/bench/store.bench.ts [milliseconds a measurement]
 */
const durationMs = Number(process.argv[2] ?? 1_000);
const concurrencies = [1, 8, 64] as const;
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
} finally {
  await server.remove();
  rmSync(folder, { recursive: true, force: true });
}
print();

async function measure(store: OpenStore, concurrency: number, ms: number): Promise<Measured> {
  const ids: number[] = [];
  const reserves = await perSecond(concurrency, ms, async (turn) => {
    const now = systemClock.nowSeconds();
    const payer = payers[turn % payers.length] ?? randomAddress();
    const leaseUntil = unixSeconds(now + leaseSeconds);
    const claim = createClaim(payer, 1n, { leaseUntil });
    const result = await store.reserve(claim, createReading(1n << 60n, now, now), now);
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
