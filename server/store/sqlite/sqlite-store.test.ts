import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Address } from '../../vocabulary/units.ts';
import { type Store, StoreUnavailable } from '../store.ts';
import { describeStore } from '../store-suite.ts';
import {
  availableTo,
  claimOf,
  now,
  randomAddress,
  readingOf,
  reserved,
  type TestLedger,
  transactionBy,
} from '../test-claims.ts';
import { openSqliteStore } from './sqlite-store.ts';

type SqliteLedger = Omit<TestLedger, 'open'> & {
  readonly path: string;
  open(busyTimeoutMs?: number): Promise<Store>;
};

async function createLedger(): Promise<SqliteLedger> {
  const folder = mkdtempSync(join(tmpdir(), 'paid-inference-store-'));
  const path = join(folder, 'ledger.db');
  const opened: Store[] = [];
  return {
    path,
    async open(busyTimeoutMs = 1_000) {
      const store = openSqliteStore({ path, busyTimeoutMs, balanceAgeMaxSeconds: 2 });
      opened.push(store);
      return store;
    },
    async remove() {
      for (const store of opened) await store.close().catch(() => undefined);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

describe('The SQLite ledger', () => {
  describeStore(createLedger);
});

/** A program that opens a ledger and runs some lines with it. */
function program(path: string, lines: string): string[] {
  const module = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);
  const options = { path, busyTimeoutMs: 1_000, balanceAgeMaxSeconds: 2 };
  const script = `
    const { openSqliteStore } = await import(${module('./sqlite-store.ts')});
    const { claimOf, now, readingOf, reserved } = await import(${module('../test-claims.ts')});
    const store = openSqliteStore(${JSON.stringify(options)});
    ${lines}`;
  return ['--input-type=module', '-e', script];
}

describe('Beyond the law of every ledger', () => {
  let ledger: SqliteLedger;
  let store: Store;
  let payer: Address;

  beforeEach(async () => {
    ledger = await createLedger();
    store = await ledger.open();
    payer = randomAddress();
  });
  afterEach(() => ledger.remove());

  it('what a killed process had reserved is found again, and still pending (D-18)', async () => {
    const child = spawn(
      process.execPath,
      program(
        ledger.path,
        `
        const payment = await reserved(store, claimOf('${payer}', 3n), readingOf(10n));
        process.stdout.write(String(payment.id));
        setInterval(() => undefined, 1_000);`,
      ),
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    try {
      const [id] = await once(child.stdout, 'data');
      child.kill('SIGKILL');
      await once(child, 'exit');
      expect(await (await ledger.open()).find(Number(id))).toMatchObject({
        state: 'reserved',
        authorization: { from: payer },
      });
      expect(await availableTo(store, payer)).toBe(7n);
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('three processes at once on a balance for 10 reserve 10 (D-21)', async () => {
    const run = promisify(execFile);
    const lines = `
      let won = 0;
      for (let at = 0; at < 50; at++) {
        const result = await store.reserve(claimOf('${payer}', 7n), readingOf(76n), now);
        if (result.kind === 'reserved') won++;
        // Gives the others their turn, as a gateway would between two requests.
        await new Promise((resolve) => setImmediate(resolve));
      }
      process.stdout.write(String(won));`;
    const runs = await Promise.all(
      Array.from({ length: 3 }, () => run(process.execPath, program(ledger.path, lines))),
    );
    expect(runs.reduce((sum, { stdout }) => sum + Number(stdout), 0)).toBe(10);
    expect(await availableTo(store, payer)).toBe(6n);
  });

  it('while another process holds the file it is unavailable, and afterwards as it was', async () => {
    const { id } = await reserved(store, claimOf(payer, 3n), readingOf(10n));
    const impatient = await ledger.open(20);
    const other = new DatabaseSync(ledger.path);
    other.exec('BEGIN IMMEDIATE');
    for (const attempt of [
      () => impatient.reserve(claimOf(payer, 1n), readingOf(10n), now),
      () => impatient.execute(id, '{}'),
      () => impatient.find(id),
    ]) {
      await expect(attempt()).rejects.toBeInstanceOf(StoreUnavailable);
    }
    other.exec('ROLLBACK');
    other.close();
    expect(await impatient.find(id)).toMatchObject({ state: 'reserved' });
    expect(await availableTo(impatient, payer)).toBe(7n);
  });

  it.skipIf(process.platform === 'win32')(
    'on a full disk it is unavailable, and keeps what was written before, whole',
    async () => {
      await store.close();
      // A limit on the size of files is the full disk that every machine has. The signal beside it is turned off.
      const lines = `
        let written = 0;
        try {
          for (;;) {
            const { id } = await reserved(store, claimOf('${payer}', 1n), readingOf(1_000n));
            await store.execute(id, 'x'.repeat(20_000));
            written++;
          }
        } catch (fault) {
          process.stdout.write(JSON.stringify({ name: fault.name, written }));
        }`;
      const command = [
        '-c',
        'trap \'\' XFSZ; ulimit -f 400; exec "$@"',
        'sh',
        process.execPath,
        ...program(ledger.path, lines),
      ];
      const { stdout, stderr } = spawnSync('sh', command, { encoding: 'utf8', timeout: 10_000 });
      expect(stderr).toBe('');
      const { name, written } = JSON.parse(stdout) as { name: string; written: number };
      expect(name).toBe('StoreUnavailable');
      expect(written).toBeGreaterThan(0);
      const reopened = await ledger.open();
      const unfinished = await reopened.unfinished();
      expect(unfinished.filter(({ state }) => state === 'executed')).toHaveLength(written);
      expect(await availableTo(reopened, payer)).toBe(1_000n - BigInt(unfinished.length));
    },
  );

  it('a defect of ours is not taken for trouble with the file', async () => {
    const { id } = await reserved(store, claimOf(payer, 1n), readingOf(10n));
    await store.execute(id, '{}');
    const transaction = transactionBy(randomAddress());
    await store.submit(id, transaction);
    for (const attempt of [() => store.submit(id, transaction), () => store.execute(id, '{}')]) {
      await expect(attempt()).rejects.not.toBeInstanceOf(StoreUnavailable);
    }
  });

  it('a balance counts as 2^62 at most, and a price beyond it is too dear rather than an exception', async () => {
    const everything = readingOf((1n << 256n) - 1n);
    for (const value of [(1n << 62n) + 1n, 1n << 63n, 1n << 64n, (1n << 256n) - 1n]) {
      expect(await store.reserve(claimOf(payer, value), everything, now)).toEqual({
        kind: 'insufficient',
        available: 1n << 62n,
      });
    }
    await reserved(store, claimOf(payer, 1n << 62n), everything);
  });

  it('once closed it is unavailable', async () => {
    await store.close();
    await expect(store.find(1)).rejects.toBeInstanceOf(StoreUnavailable);
  });
});
