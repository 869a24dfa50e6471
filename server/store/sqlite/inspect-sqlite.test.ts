import {
  copyFileSync,
  existsSync,
  linkSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asset, executed, randomAddress } from '../../testing/store/claims.ts';
import { createTestSqliteStore, type TestSqliteStore } from '../../testing/store/sqlite-store.ts';
import { lockFile } from '../file-lock.ts';
import type { OpenStore, StoreChain } from '../store.ts';
import { inspectSqliteStore, type SqliteInspectionOptions } from './inspect-sqlite.ts';
import { readMigrations } from './migrations.ts';
import { openSqliteStore } from './sqlite-store.ts';

const chain: StoreChain = { chainId: 84_532, asset };
const version = readMigrations().length;
let testStore: TestSqliteStore;
const opened: OpenStore[] = [];

beforeEach(async () => {
  testStore = await createTestSqliteStore();
});
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  await testStore.remove();
});

function inspect(change: Partial<SqliteInspectionOptions> = {}) {
  const { path } = testStore;
  return inspectSqliteStore({ path, chain, busyTimeoutMs: 1_000, freeBytesMin: 0, ...change });
}

/** The bytes of all files of the store. */
function readFiles(path: string) {
  return ['', '-wal', '.key'].map((end) => (existsSync(path + end) ? readFileSync(path + end) : null));
}

/** Opens the store with a key of its own beside it, as a gateway does. */
async function open(): Promise<OpenStore> {
  const { path, clock } = testStore;
  const store = await openSqliteStore({ path, clock, chain, busyTimeoutMs: 1_000, balanceAgeMaxSeconds: 2 });
  opened.push(store);
  return store;
}

async function closedStore(): Promise<void> {
  const store = await open();
  await executed(store, randomAddress(), 3n);
  await store.close();
}

describe('An inspection of a SQLite store', () => {
  it('finds nothing wrong with a closed store, and leaves every byte', async () => {
    await closedStore();
    const before = readFiles(testStore.path);
    expect(inspect()).toEqual({
      version,
      faults: [],
      warnings: [],
      facts: [
        expect.stringMatching(/^\d+ MB$/),
        expect.stringMatching(/^\d+ MB free on its disk$/),
        expect.stringMatching(/^a durable write took \d+ ms$/),
        'no gateway uses it now',
      ],
    });
    expect(readFiles(testStore.path)).toEqual(before);
    expect(existsSync(`${testStore.path}-shm`)).toBe(false);
  });

  it('works beside a gateway, which goes on writing', async () => {
    const lock = await lockFile(testStore.path, 0);
    const store = await open();
    try {
      await executed(store, randomAddress(), 3n);
      const walBytes = statSync(`${testStore.path}-wal`).size;
      expect(inspect()).toMatchObject({
        version,
        faults: [],
        facts: expect.arrayContaining(['a gateway uses it']),
      });
      // The write reached the log on the disk.
      expect(statSync(`${testStore.path}-wal`).size).toBeGreaterThan(walBytes + 150_000);
      expect(await store.healthIssue()).toBeNull();
      await executed(store, randomAddress(), 3n);
      expect(await testStore.query('SELECT count(*) AS keys FROM completion_key')).toEqual([{ keys: 1n }]);
      expect((await store.totals()).get('executed')?.payments).toBe(2);
      expect(await lockFile(testStore.path, 0)).toBeNull();
    } finally {
      lock?.release();
    }
  });

  it('leaves the log of a crashed gateway to the next start', async () => {
    const store = await open();
    await executed(store, randomAddress(), 3n);
    const crashed = join(dirname(testStore.path), 'crashed.db');
    for (const end of ['', '-wal', '.key']) {
      if (existsSync(testStore.path + end)) copyFileSync(testStore.path + end, crashed + end);
    }
    const [file, log] = readFiles(crashed);
    expect(inspect({ path: crashed })).toMatchObject({ faults: [] });
    const [fileAfter, logAfter] = readFiles(crashed);
    expect(fileAfter).toEqual(file);
    expect(logAfter?.subarray(0, log?.length)).toEqual(log);
    const database = new DatabaseSync(crashed);
    expect(database.prepare('SELECT count(*) AS payments FROM payment').get()).toEqual({ payments: 1 });
    expect(database.prepare('SELECT count(*) AS keys FROM completion_key').get()).toEqual({ keys: 1 });
    expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    database.close();
  });

  it('reports a missing file as a store that does not exist yet, and creates nothing', () => {
    expect(inspect()).toEqual({ version: null, faults: [], warnings: [], facts: [] });
    expect(existsSync(testStore.path)).toBe(false);
  });
});

describe('An inspection of a SQLite store reports', () => {
  beforeEach(closedStore);

  it('a store of another token', () => {
    const other = { ...chain, asset: randomAddress() };
    expect(inspect({ chain: other }).faults).toEqual([
      expect.stringContaining(`token ${asset} on chain 84532`),
    ]);
  });

  it('a missing key, and another key', () => {
    renameSync(`${testStore.path}.key`, `${testStore.path}.key.old`);
    expect(inspect().faults).toEqual([
      expect.stringContaining('.key of the completions in this store is missing'),
    ]);
    writeFileSync(`${testStore.path}.key`, Buffer.alloc(32, 9));
    expect(inspect().faults).toEqual([expect.stringContaining('encrypted with another key')]);
    expect(readFileSync(`${testStore.path}.key`)).toEqual(Buffer.alloc(32, 9));
  });

  it('too little room on the disk', () => {
    const faults = [expect.stringMatching(/^Only \d+ bytes are free .*databaseFreeBytesMin/)];
    expect(inspect({ freeBytesMin: Number.MAX_SAFE_INTEGER }).faults).toEqual(faults);
  });

  it('a newer version as a fault, and an older one as a warning', () => {
    const write = (sql: string) => {
      const database = new DatabaseSync(testStore.path);
      database.exec(sql);
      database.close();
    };
    write('INSERT INTO store_version (version, applied_at) VALUES (99, 0)');
    expect(inspect().faults).toEqual([expect.stringContaining('the store has version 99')]);
    write(`DELETE FROM store_version WHERE version >= ${version}`);
    expect(inspect()).toMatchObject({
      version: version - 1,
      faults: [],
      warnings: [expect.stringContaining(`version ${version - 1}, and the next start`)],
    });
  });

  it('a second hard link', () => {
    linkSync(testStore.path, `${testStore.path}.link`);
    expect(inspect().faults).toEqual([expect.stringContaining('2 hard links')]);
  });

  it('an emptied file', () => {
    truncateSync(testStore.path, 0);
    expect(inspect().faults).toEqual([expect.stringContaining('the payments in the store were lost')]);
  });

  it('a file that is no database, by throwing', () => {
    writeFileSync(
      testStore.path,
      'not a database, but a text that is longer than a head of one. '.repeat(50),
    );
    expect(() => inspect()).toThrow('file is not a database');
  });
});
