import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { programEnvironment } from '../../testing/program-environment.ts';
import {
  completion,
  createClaim,
  createReading,
  executed,
  inclusionAt,
  leaseFor,
  now,
  randomAddress,
  reserved,
  transactionBy,
} from '../../testing/store/claims.ts';
import { createTestSqliteStore, type TestSqliteStore } from '../../testing/store/sqlite-store.ts';
import type { Address } from '../../types/units.ts';
import { type OpenStore, StoreUnavailable } from '../store.ts';

/** Whether this machine may mount a file system of a given size. Few test machines may. */
const mayMount = process.getuid?.() === 0 && spawnSync('unshare', ['--mount', 'true']).status === 0;

let testStore: TestSqliteStore;
let payer: Address;
let store: OpenStore;

beforeEach(async () => {
  testStore = await createTestSqliteStore();
  payer = randomAddress();
  store = await testStore.open();
});
afterEach(() => testStore.remove());

describe('A store whose file was deleted or replaced (D-142)', () => {
  const losses: readonly (readonly [string, (path: string) => void])[] = [
    ['deleted', (path) => rmSync(path)],
    [
      'deleted with its write-ahead log',
      (path) => {
        for (const end of ['', '-wal', '-shm']) rmSync(path + end);
      },
    ],
    [
      'replaced by a copy',
      (path) => {
        copyFileSync(path, `${path}.copy`);
        renameSync(`${path}.copy`, path);
      },
    ],
    ['left without its write-ahead log', (path) => rmSync(`${path}-wal`)],
  ];

  it.each(losses)('%s: rejects each step towards a new charge, and reports the loss', async (_name, lose) => {
    const held = await reserved(store, createClaim(payer, 1n), createReading(1_000n));
    const done = await executed(store, payer, 1n);
    const lease = await leaseFor(store);
    lose(testStore.path);
    for (const step of [
      () => store.reserve(createClaim(payer, 1n), createReading(1_000n), now),
      () => store.execute(held.id, completion, null),
      () => store.claimExecuted(lease, 10, now),
      () => store.submit(lease, [done.id], transactionBy(lease.relayer)),
      () => store.retry(done.id, createReading(1_000n), now),
    ]) {
      const fault: unknown = await step().catch((cause: unknown) => cause);
      expect(fault, String(step)).toBeInstanceOf(StoreUnavailable);
      expect(String(fault)).toContain('was deleted or replaced');
    }
    expect(await store.healthIssue()).toContain('was deleted or replaced');
    expect(await store.find(held.id)).toMatchObject({ state: 'reserved' });
  });

  it('still replays paid completions, and settles sent payments', async () => {
    const { authorization, ...claim } = createClaim(payer, 1n);
    const payment = await reserved(store, { ...claim, authorization }, createReading(1_000n));
    await store.execute(payment.id, completion, null);
    const lease = await leaseFor(store);
    const transaction = transactionBy(lease.relayer);
    await store.submit(lease, [payment.id], transaction);
    rmSync(testStore.path);
    await store.settle([payment.id], inclusionAt(101, transaction.hash));
    await store.closeNonce(lease, transaction.relayerNonce);
    expect(await store.find(payment.id)).toMatchObject({ state: 'settled', completion });
    const again = await store.reserve({ ...claim, authorization }, null, now);
    expect(again).toMatchObject({ kind: 'known', sameRequest: true });
  });

  it('has no health issue once the file is back', async () => {
    renameSync(testStore.path, `${testStore.path}.away`);
    expect(await store.healthIssue()).toContain(testStore.path);
    renameSync(`${testStore.path}.away`, testStore.path);
    expect(await store.healthIssue()).toBeNull();
    await reserved(store, createClaim(payer, 1n), createReading(1_000n));
  });

  it('reports a missing key file, without which a restart would lose every completion', async () => {
    const own = await testStore.open({ path: `${testStore.path}.own`, completionKey: undefined as never });
    expect(await own.healthIssue()).toBeNull();
    renameSync(`${testStore.path}.own.key`, `${testStore.path}.away`);
    expect(await own.healthIssue()).toContain(`${testStore.path}.own.key is missing`);
    renameSync(`${testStore.path}.away`, `${testStore.path}.own.key`);
    expect(await own.healthIssue()).toBeNull();
  });

  it('ignores every other file beside the store', async () => {
    writeFileSync(`${testStore.path}.pid`, '1');
    rmSync(`${testStore.path}.pid`);
    expect(await store.healthIssue()).toBeNull();
  });
});

describe('A store whose file is truncated while the gateway runs (D-162)', () => {
  it.each([
    ['to nothing', () => 0],
    ['to its first page', () => 4_096],
    ['by its last page', (bytes: number) => bytes - 4_096],
  ])('%s: has a health issue, and rejects each step towards a new charge', async (_name, cut) => {
    for (let count = 0; count < 60; count++) await executed(store, randomAddress(), 1n);
    await store.close();
    store = await testStore.open();
    // From here on the log holds the first page, and SQLite reads the page from there.
    expect(await store.healthIssue()).toBeNull();
    const { size } = statSync(testStore.path);
    truncateSync(testStore.path, cut(size));
    expect(await store.healthIssue()).toContain(`${testStore.path} was truncated`);
    const step = store.reserve(createClaim(payer, 1n), createReading(1_000n), now);
    await expect(step).rejects.toBeInstanceOf(StoreUnavailable);
    // The old length does not bring back the content.
    truncateSync(testStore.path, size);
    expect(await store.healthIssue()).toContain('was truncated');
  });

  it('has no health issue while the file grows and its log is written back', async () => {
    const { size } = statSync(testStore.path);
    for (let count = 0; count < 60; count++) await executed(store, randomAddress(), 1n);
    await testStore.query('PRAGMA wal_checkpoint(TRUNCATE)');
    expect(await store.healthIssue()).toBeNull();
    expect(statSync(testStore.path).size).toBeGreaterThan(size);
  });
});

describe('The health check of a store (D-142)', () => {
  it('commits one write to the file', async () => {
    const written = async () => Number((await testStore.query('PRAGMA user_version'))[0]?.['user_version']);
    const before = await written();
    expect([await store.healthIssue(), await store.healthIssue()]).toEqual([null, null]);
    expect(await written()).toBe(before + 2);
  });

  it.each(['payment', 'payment_transaction', 'chain_tx'])(
    'reports that the table %s is away (D-402)',
    async (table) => {
      await testStore.query(`ALTER TABLE ${table} RENAME TO away`);
      expect(await store.healthIssue()).toContain(`lacks the table ${table}`);
      await testStore.query(`ALTER TABLE away RENAME TO ${table}`);
      expect(await store.healthIssue()).toBeNull();
    },
  );

  it('reports less free space than databaseFreeBytesMin, and nothing when there is enough', async () => {
    const poor = await testStore.open({ freeBytesMin: Number.MAX_SAFE_INTEGER });
    expect(await poor.healthIssue()).toMatch(/bytes are free .*lower advanced\.databaseFreeBytesMin/);
    const rich = await testStore.open({ freeBytesMin: 1 });
    expect(await rich.healthIssue()).toBeNull();
  });

  it.skipIf(process.platform === 'win32')(
    'fails on a full disk, where operations that only read still work',
    () => {
      const module = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);
      const script = `
        const { openTestStore } = await import(${module('../../testing/store/open-test-store.ts')});
        const { createClaim, createReading, now, reserved } = await import(${module('../../testing/store/claims.ts')});
        const store = await openTestStore(${JSON.stringify(testStore.address)}, () => now);
        const before = await store.healthIssue();
        let id;
        try {
          for (;;) ({ id } = await reserved(store, createClaim('${payer}', 1n), createReading(1_000_000n)));
        } catch {}
        const write = () => store.execute(id, 'x'.repeat(20_000), null).then(() => 'kept', (fault) => fault.name);
        const all = await Promise.all([write(), store.find(id).then(({ state }) => state), write()]);
        // A reservation needs more bytes than the write of the health check, which uses up the rest page by
        // page.
        let after = null;
        for (let probes = 0; probes < 100 && after === null; probes++) after = await store.healthIssue();
        process.stdout.write(JSON.stringify({ before, all, after }));
        process.exit();`;
      const program = [process.execPath, '--input-type=module', '-e', script];
      const command = ['-c', 'trap \'\' XFSZ; ulimit -f 800; exec "$@"', 'sh', ...program];
      const env = programEnvironment;
      const { stdout, stderr } = spawnSync('sh', command, { encoding: 'utf8', env, timeout: 30_000 });
      expect(stderr).toBe('');
      expect(JSON.parse(stdout)).toEqual({
        before: null,
        all: ['StoreUnavailable', 'reserved', 'StoreUnavailable'],
        after: expect.stringContaining('cannot be written'),
      });
    },
  );

  it.skipIf(!mayMount)('fails on a full file system, and succeeds when there is space again', async () => {
    const disk = `${testStore.path}.disk`;
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'none', disk]);
    try {
      const full = await testStore.open({ path: `${disk}/store.db` });
      const { id } = await executed(full, payer, 1n);
      const filler = spawnSync('dd', ['if=/dev/zero', `of=${disk}/filler`, 'bs=4096'], {
        encoding: 'utf8',
      });
      expect(filler.stderr).toContain('No space left');
      expect(await full.healthIssue()).toContain('cannot be written');
      const claim = createClaim(payer, 1n);
      await expect(full.reserve(claim, createReading(1_000n), now)).rejects.toBeInstanceOf(StoreUnavailable);
      expect(await full.find(id)).toMatchObject({ state: 'executed', completion });
      rmSync(`${disk}/filler`);
      expect(await full.healthIssue()).toBeNull();
      expect(await full.reserve(claim, createReading(1_000n), now)).toMatchObject({ kind: 'reserved' });
      await full.close();
    } finally {
      execFileSync('umount', [disk]);
    }
  });
});
