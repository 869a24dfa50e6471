import { spawnSync } from 'node:child_process';
import { renameSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { programEnvironment } from '../../testing/program-environment.ts';
import {
  availableTo,
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
import { StoreUnavailable } from '../store.ts';

let testStore: TestSqliteStore;
let payer: Address;

beforeEach(async () => {
  testStore = await createTestSqliteStore();
  payer = randomAddress();
});
afterEach(() => testStore.remove());

describe('The commits of a SQLite store', () => {
  it('commits concurrent operations in one transaction, and undoes only those that fail', async () => {
    const store = await testStore.open();
    const payment = await reserved(store, createClaim(payer, 1n), createReading(1_000n));
    const results = await Promise.allSettled([
      ...Array.from({ length: 20 }, () => reserved(store, createClaim(payer, 1n), null)),
      store.settle([payment.id], inclusionAt(101)),
      store.execute(payment.id, completion, null),
      store.execute(4_711, completion, null),
      ...Array.from({ length: 20 }, () => reserved(store, createClaim(payer, 1n), null)),
    ]);
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(2);
    expect(await store.find(payment.id)).toMatchObject({ state: 'executed' });
    expect(await availableTo(store, payer)).toBe(959n);
  });

  it('responds in the order of the requests, across groups', async () => {
    const store = await testStore.open({ groupMax: 3 });
    const { id } = await executed(store, payer, 1n);
    const steps = [
      store.settle([id], inclusionAt(101)),
      ...Array.from({ length: 10 }, () => store.find(id)),
      store.finalise(101),
      store.find(id),
    ];
    expect((await Promise.all(steps)).at(-1)).toMatchObject({ state: 'final' });
  });

  it('finishes accepted operations when it closes, and is unavailable then', async () => {
    const store = await testStore.open();
    const claims = Array.from({ length: 50 }, () =>
      reserved(store, createClaim(payer, 1n), createReading(100n)),
    );
    await store.close();
    expect(await Promise.all(claims)).toHaveLength(50);
    await expect(store.find(1)).rejects.toBeInstanceOf(StoreUnavailable);
    expect(await store.healthIssue()).toContain('closed');
    await store.close();
    expect(await availableTo(await testStore.open(), payer)).toBe(50n);
  });
});

describe('The limits of a SQLite store', () => {
  it('rejects operations beyond waitingMax at once and runs the others', async () => {
    const store = await testStore.open({ waitingMax: 10 });
    const results = await Promise.allSettled(
      Array.from({ length: 15 }, () => reserved(store, createClaim(payer, 1n), createReading(100n))),
    );
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(refused).toHaveLength(5);
    for (const reason of refused) expect(reason).toBeInstanceOf(StoreUnavailable);
    expect(await availableTo(store, payer)).toBe(90n);
    expect(await store.healthIssue()).toBeNull();
  });

  it('is unavailable after the timeout, blocks no event loop, and may still run the operation', async () => {
    const store = await testStore.open({ operationTimeoutMs: 300, busyTimeoutMs: 20_000, waitingMax: 1 });
    const other = new DatabaseSync(testStore.path);
    other.exec('BEGIN IMMEDIATE');
    let turns = 0;
    const turning = setInterval(() => turns++, 1);
    const claim = createClaim(payer, 3n);
    await expect(store.reserve(claim, createReading(10n), now)).rejects.toThrow(
      /within 300 ms; the operation may still happen/,
    );
    clearInterval(turning);
    expect(turns).toBeGreaterThan(1);
    // The operation still waits for the file, so it still counts.
    expect(await store.healthIssue()).toContain('wait');
    await expect(store.find(1)).rejects.toBeInstanceOf(StoreUnavailable);
    other.exec('ROLLBACK');
    other.close();
    const patient = await testStore.open();
    await expect
      .poll(() => patient.lookUp(claim.asset, payer, claim.authorization.nonce))
      .toMatchObject({ state: 'reserved' });
    await expect.poll(() => store.healthIssue()).toBeNull();
  });
});

describe('A SQLite store with a fault', () => {
  it('is unavailable while another process locks the file, and unchanged after', async () => {
    const store = await testStore.open({ busyTimeoutMs: 20 });
    const { id } = await reserved(store, createClaim(payer, 3n), createReading(10n));
    const other = new DatabaseSync(testStore.path);
    other.exec('BEGIN IMMEDIATE');
    for (const attempt of [
      () => store.reserve(createClaim(payer, 1n), createReading(10n), now),
      () => store.execute(id, '{}', null),
      () => store.find(id),
    ]) {
      await expect(attempt()).rejects.toBeInstanceOf(StoreUnavailable);
    }
    other.exec('ROLLBACK');
    other.close();
    expect(await store.find(id)).toMatchObject({ state: 'reserved' });
    expect(await availableTo(store, payer)).toBe(7n);
  });

  it.skipIf(process.platform === 'win32')(
    'is unavailable on a full disk, and keeps all earlier writes',
    async () => {
      // A limit on the size of files acts like a full disk on every machine. The trap ignores the signal of
      // that limit.
      const module = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);
      const script = `
        const { openTestStore } = await import(${module('../../testing/store/open-test-store.ts')});
        const { createClaim, createReading, now, reserved } = await import(${module('../../testing/store/claims.ts')});
        const store = await openTestStore(${JSON.stringify(testStore.address)}, () => now);
        let written = 0;
        try {
          for (;;) {
            const { id } = await reserved(store, createClaim('${payer}', 1n), createReading(1_000n));
            await store.execute(id, 'x'.repeat(20_000), null);
            written++;
          }
        } catch (fault) {
          process.stdout.write(JSON.stringify({ name: fault.name, written }));
          process.exit();
        }`;
      const program = [process.execPath, '--input-type=module', '-e', script];
      const command = ['-c', 'trap \'\' XFSZ; ulimit -f 800; exec "$@"', 'sh', ...program];
      const env = programEnvironment;
      const { stdout, stderr } = spawnSync('sh', command, { encoding: 'utf8', env, timeout: 30_000 });
      expect(stderr).toBe('');
      const { name, written } = JSON.parse(stdout) as { name: string; written: number };
      expect(name).toBe('StoreUnavailable');
      expect(written).toBeGreaterThan(0);
      const reopened = await testStore.open();
      const totals = await reopened.totals();
      expect(totals.get('executed')?.payments).toBe(written);
      const pending = [...totals.values()].reduce((sum, { amount }) => sum + amount, 0n);
      expect(await availableTo(reopened, payer)).toBe(1_000n - pending);
    },
  );

  it('throws another error than StoreUnavailable for a defect of the caller', async () => {
    const store = await testStore.open();
    const { id } = await executed(store, payer, 1n);
    const lease = await leaseFor(store);
    const transaction = transactionBy(lease.relayer);
    await store.submit(lease, [id], transaction);
    for (const attempt of [
      () => store.submit(lease, [id], { ...transaction, relayerNonce: 9 }),
      () => store.execute(id, '{}', null),
      () => store.reserve({ ...createClaim(payer, 1n), fingerprint: null as never }, createReading(9n), now),
      () =>
        store.reserve(
          { ...createClaim(payer, 1n), fingerprint: (() => '') as never },
          createReading(9n),
          now,
        ),
    ]) {
      const fault: unknown = await attempt().then(
        () => null,
        (cause: unknown) => cause,
      );
      expect(fault).toBeInstanceOf(Error);
      expect(fault).not.toBeInstanceOf(StoreUnavailable);
    }
    expect(await store.find(id)).toMatchObject({ state: 'submitted' });
  });
});

describe('A worker thread of the store that ends', () => {
  const threads: Worker[] = [];
  const note = (thread: Worker) => threads.push(thread);
  beforeEach(() => {
    threads.length = 0;
    process.on('worker', note);
  });
  afterEach(() => void process.off('worker', note));
  const kill = () => threads.at(-1)?.terminate();

  it('is replaced, and the next call finds all earlier writes', async () => {
    const faults: string[] = [];
    const store = await testStore.open({ onFault: (fault) => faults.push(fault) });
    const { id } = await executed(store, payer, 3n);
    await kill();
    expect(await store.find(id)).toMatchObject({ state: 'executed' });
    for (let death = 2; death <= 3; death++) {
      await kill();
      await expect.poll(() => store.find(id).catch(() => null)).toMatchObject({ state: 'executed' });
      await store.execute(id, completion, null);
      expect(await store.healthIssue()).toBeNull();
      expect(threads).toHaveLength(death + 1);
    }
    expect(faults).toEqual(Array(3).fill(expect.stringContaining('starts the thread again')));
    expect(await availableTo(store, payer)).toBe(97n);
  });

  it('rejects its open requests with StoreUnavailable, and loses no write', async () => {
    const store = await testStore.open();
    const { id } = await executed(store, payer, 3n);
    const other = new DatabaseSync(testStore.path);
    other.exec('BEGIN IMMEDIATE');
    const asked = [store.release(id), store.reserve(createClaim(payer, 1n), createReading(9n), now)];
    const outcomes = Promise.allSettled(asked);
    await new Promise((resolve) => setImmediate(resolve));
    await kill();
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailable) });
    }
    other.exec('ROLLBACK');
    other.close();
    expect(await store.find(id)).toMatchObject({ state: 'executed' });
    expect(await availableTo(store, payer)).toBe(97n);
  });

  it('is replaced after growing pauses while its file is missing, and runs again when the file is back', async () => {
    const store = await testStore.open();
    const { id } = await executed(store, payer, 3n);
    renameSync(testStore.path, `${testStore.path}.away`);
    const from = performance.now();
    await kill();
    await expect.poll(() => store.healthIssue()).toContain('the store file is missing');
    await expect(store.find(id)).rejects.toThrow('the store file is missing');
    await expect.poll(() => threads.length).toBe(5);
    expect(performance.now() - from, 'pauses of 100, 200 and 400 ms').toBeGreaterThan(700);
    renameSync(`${testStore.path}.away`, testStore.path);
    const found = expect.poll(() => store.find(id).catch(() => null));
    await found.toMatchObject({ state: 'executed' });
    expect(await store.healthIssue()).toBeNull();
  });

  it('is not replaced when the store was in memory', async () => {
    const store = await testStore.open({ path: ':memory:' });
    await executed(store, payer, 3n);
    await kill();
    await expect(store.find(1)).rejects.toBeInstanceOf(StoreUnavailable);
    expect(await store.healthIssue()).toContain('ended');
    expect(threads).toHaveLength(1);
    await store.close();
  });

  it('does not prevent the store from closing', async () => {
    const store = await testStore.open();
    const closing = store.close();
    await kill();
    await closing;
    const other = await testStore.open();
    renameSync(testStore.path, `${testStore.path}.away`);
    await kill();
    await expect.poll(() => other.healthIssue()).toContain('missing');
    await other.close();
    expect(await other.healthIssue()).toContain('closed');
  });
});

describe('Amounts of a SQLite store', () => {
  it('clamps a balance to 2^62, and returns insufficient for a higher price', async () => {
    const store = await testStore.open();
    const everything = createReading((1n << 256n) - 1n);
    for (const value of [(1n << 62n) + 1n, 1n << 63n, 1n << 64n, (1n << 256n) - 1n]) {
      expect(await store.reserve(createClaim(payer, value), everything, now)).toEqual({
        kind: 'insufficient',
        available: 1n << 62n,
      });
    }
    await reserved(store, createClaim(payer, 1n << 62n), everything);
  });
});
