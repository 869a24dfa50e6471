import { spawnSync } from 'node:child_process';
import { renameSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  answer,
  availableTo,
  claimOf,
  executed,
  inclusionAt,
  leaseFor,
  now,
  randomAddress,
  readingOf,
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

describe('Commits together', () => {
  it('what is asked at once is one transaction; one that fails in it takes no other with it', async () => {
    const store = await testStore.open();
    const payment = await reserved(store, claimOf(payer, 1n), readingOf(1_000n));
    const results = await Promise.allSettled([
      ...Array.from({ length: 20 }, () => reserved(store, claimOf(payer, 1n), null)),
      store.settle([payment.id], inclusionAt(101)),
      store.execute(payment.id, answer, null),
      store.execute(4_711, answer, null),
      ...Array.from({ length: 20 }, () => reserved(store, claimOf(payer, 1n), null)),
    ]);
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(2);
    expect(await store.find(payment.id)).toMatchObject({ state: 'executed' });
    expect(await availableTo(store, payer)).toBe(959n);
  });

  it('answers in the order of asking, whatever the size of a group', async () => {
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

  it('does what was asked before it closes, and nothing after', async () => {
    const store = await testStore.open();
    const claims = Array.from({ length: 50 }, () => reserved(store, claimOf(payer, 1n), readingOf(100n)));
    await store.close();
    expect(await Promise.all(claims)).toHaveLength(50);
    await expect(store.find(1)).rejects.toBeInstanceOf(StoreUnavailable);
    expect(await store.healthIssue()).toContain('closed');
    await store.close();
    expect(await availableTo(await testStore.open(), payer)).toBe(50n);
  });
});

describe('Has a bound for everything', () => {
  it('more operations than may wait are refused at once, the others are done', async () => {
    const store = await testStore.open({ waitingMax: 10 });
    const results = await Promise.allSettled(
      Array.from({ length: 15 }, () => reserved(store, claimOf(payer, 1n), readingOf(100n))),
    );
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(refused).toHaveLength(5);
    for (const reason of refused) expect(reason).toBeInstanceOf(StoreUnavailable);
    expect(await availableTo(store, payer)).toBe(90n);
    expect(await store.healthIssue()).toBeNull();
  });

  it('a late answer is unavailability, the event loop turns meanwhile, and what was asked may still happen', async () => {
    const store = await testStore.open({ operationTimeoutMs: 300, busyTimeoutMs: 20_000, waitingMax: 1 });
    const other = new DatabaseSync(testStore.path);
    other.exec('BEGIN IMMEDIATE');
    let turns = 0;
    const turning = setInterval(() => turns++, 1);
    const claim = claimOf(payer, 3n);
    await expect(store.reserve(claim, readingOf(10n), now)).rejects.toThrow(/300 ms; it may still do it/);
    clearInterval(turning);
    expect(turns).toBeGreaterThan(1);
    // It still waits for the file, so it still counts.
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

describe('When something is wrong with it, it is unavailable', () => {
  it('while another process holds the file, and afterwards as it was', async () => {
    const store = await testStore.open({ busyTimeoutMs: 20 });
    const { id } = await reserved(store, claimOf(payer, 3n), readingOf(10n));
    const other = new DatabaseSync(testStore.path);
    other.exec('BEGIN IMMEDIATE');
    for (const attempt of [
      () => store.reserve(claimOf(payer, 1n), readingOf(10n), now),
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
    'on a full disk, and what was written before is whole',
    async () => {
      // A limit on the size of files is the full disk that every machine has. The signal beside it is turned off.
      const module = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);
      const script = `
        const { openTestStore } = await import(${module('../../testing/store/open-test-store.ts')});
        const { claimOf, now, readingOf, reserved } = await import(${module('../../testing/store/claims.ts')});
        const store = await openTestStore(${JSON.stringify(testStore.address)}, () => now);
        let written = 0;
        try {
          for (;;) {
            const { id } = await reserved(store, claimOf('${payer}', 1n), readingOf(1_000n));
            await store.execute(id, 'x'.repeat(20_000), null);
            written++;
          }
        } catch (fault) {
          process.stdout.write(JSON.stringify({ name: fault.name, written }));
          process.exit();
        }`;
      const program = [process.execPath, '--input-type=module', '-e', script];
      const command = ['-c', 'trap \'\' XFSZ; ulimit -f 800; exec "$@"', 'sh', ...program];
      const env = { PATH: process.env['PATH'] ?? '' };
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

  it('but a defect of ours is not taken for trouble with the file', async () => {
    const store = await testStore.open();
    const { id } = await executed(store, payer, 1n);
    const lease = await leaseFor(store);
    const transaction = transactionBy(lease.relayer);
    await store.submit(lease, [id], transaction);
    for (const attempt of [
      () => store.submit(lease, [id], { ...transaction, relayerNonce: 9 }),
      () => store.execute(id, '{}', null),
      () => store.reserve({ ...claimOf(payer, 1n), fingerprint: null as never }, readingOf(9n), now),
      () => store.reserve({ ...claimOf(payer, 1n), fingerprint: (() => '') as never }, readingOf(9n), now),
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

describe('A thread that dies', () => {
  const threads: Worker[] = [];
  const note = (thread: Worker) => threads.push(thread);
  beforeEach(() => {
    threads.length = 0;
    process.on('worker', note);
  });
  afterEach(() => void process.off('worker', note));
  const kill = () => threads.at(-1)?.terminate();

  it('has a successor: the next call works, on what was written before', async () => {
    const faults: string[] = [];
    const store = await testStore.open({ onFault: (fault) => faults.push(fault) });
    const { id } = await executed(store, payer, 3n);
    await kill();
    expect(await store.find(id)).toMatchObject({ state: 'executed' });
    for (let death = 2; death <= 3; death++) {
      await kill();
      await expect.poll(() => store.find(id).catch(() => null)).toMatchObject({ state: 'executed' });
      await store.execute(id, answer, null);
      expect(await store.healthIssue()).toBeNull();
      expect(threads).toHaveLength(death + 1);
    }
    expect(faults).toEqual(Array(3).fill(expect.stringContaining('started again')));
    expect(await availableTo(store, payer)).toBe(97n);
  });

  it('takes with it what it had before it, which is unavailable, and nothing of the file', async () => {
    const store = await testStore.open();
    const { id } = await executed(store, payer, 3n);
    const other = new DatabaseSync(testStore.path);
    other.exec('BEGIN IMMEDIATE');
    const asked = [store.release(id), store.reserve(claimOf(payer, 1n), readingOf(9n), now)];
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

  it('whose store cannot be opened again is followed by few others, until it can', async () => {
    const store = await testStore.open();
    const { id } = await executed(store, payer, 3n);
    renameSync(testStore.path, `${testStore.path}.away`);
    const from = performance.now();
    await kill();
    await expect.poll(() => store.healthIssue()).toContain('its file is gone');
    await expect(store.find(id)).rejects.toThrow('its file is gone');
    await expect.poll(() => threads.length).toBe(5);
    expect(performance.now() - from, 'pauses of 100, 200 and 400 ms').toBeGreaterThan(700);
    renameSync(`${testStore.path}.away`, testStore.path);
    const found = expect.poll(() => store.find(id).catch(() => null));
    await found.toMatchObject({ state: 'executed' });
    expect(await store.healthIssue()).toBeNull();
  });

  it('of a store in memory has none, for that died with it', async () => {
    const store = await testStore.open({ path: ':memory:' });
    await executed(store, payer, 3n);
    await kill();
    await expect(store.find(1)).rejects.toBeInstanceOf(StoreUnavailable);
    expect(await store.healthIssue()).toContain('ended');
    expect(threads).toHaveLength(1);
    await store.close();
  });

  it('while it is closed, or away, ends all the same', async () => {
    const store = await testStore.open();
    const closing = store.close();
    await kill();
    await closing;
    const other = await testStore.open();
    renameSync(testStore.path, `${testStore.path}.away`);
    await kill();
    await expect.poll(() => other.healthIssue()).toContain('gone');
    await other.close();
    expect(await other.healthIssue()).toContain('closed');
  });
});

describe('Amounts', () => {
  it('a balance counts as 2^62 at most, and a price beyond it is too dear rather than an exception', async () => {
    const store = await testStore.open();
    const everything = readingOf((1n << 256n) - 1n);
    for (const value of [(1n << 62n) + 1n, 1n << 63n, 1n << 64n, (1n << 256n) - 1n]) {
      expect(await store.reserve(claimOf(payer, value), everything, now)).toEqual({
        kind: 'insufficient',
        available: 1n << 62n,
      });
    }
    await reserved(store, claimOf(payer, 1n << 62n), everything);
  });
});
