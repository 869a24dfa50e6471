import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Address } from '../../vocabulary/units.ts';
import { type OpenStore, StoreUnavailable } from '../store.ts';
import {
  answer,
  availableTo,
  claimOf,
  executed,
  inclusionAt,
  laneOf,
  now,
  randomAddress,
  readingOf,
  reserved,
  transactionBy,
} from '../test-claims.ts';
import { startWorker } from './sqlite-store.ts';
import { createSqliteLedger, type SqliteLedger } from './test-ledger.ts';
import { openDoor } from './worker-door.ts';

let ledger: SqliteLedger;
let payer: Address;

beforeEach(async () => {
  ledger = await createSqliteLedger();
  payer = randomAddress();
});
afterEach(() => ledger.remove());

describe('Commits together', () => {
  it('what is asked at once is one transaction; one that fails in it takes no other with it', async () => {
    const store = await ledger.open();
    const payment = await reserved(store, claimOf(payer, 1n), readingOf(1_000n));
    const results = await Promise.allSettled([
      ...Array.from({ length: 20 }, () => reserved(store, claimOf(payer, 1n), null)),
      store.settle([payment.id], inclusionAt(101)),
      store.execute(payment.id, answer),
      store.execute(4_711, answer),
      ...Array.from({ length: 20 }, () => reserved(store, claimOf(payer, 1n), null)),
    ]);
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(2);
    expect(await store.find(payment.id)).toMatchObject({ state: 'executed' });
    expect(await availableTo(store, payer)).toBe(959n);
  });

  it('answers in the order of asking, whatever the size of a group', async () => {
    const store = await ledger.open({ groupMax: 3 });
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
    const store = await ledger.open();
    const claims = Array.from({ length: 50 }, () => reserved(store, claimOf(payer, 1n), readingOf(100n)));
    await store.close();
    expect(await Promise.all(claims)).toHaveLength(50);
    await expect(store.find(1)).rejects.toBeInstanceOf(StoreUnavailable);
    expect(await store.trouble()).toContain('closed');
    await store.close();
    expect(await availableTo(await ledger.open(), payer)).toBe(50n);
  });
});

describe('Has a bound for everything', () => {
  it('more operations than may wait are refused at once, the others are done', async () => {
    const store = await ledger.open({ waitingMax: 10 });
    const results = await Promise.allSettled(
      Array.from({ length: 15 }, () => reserved(store, claimOf(payer, 1n), readingOf(100n))),
    );
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(refused).toHaveLength(5);
    for (const reason of refused) expect(reason).toBeInstanceOf(StoreUnavailable);
    expect(await availableTo(store, payer)).toBe(90n);
    expect(await store.trouble()).toBeNull();
  });

  it('a late answer is unavailability, the event loop turns meanwhile, and what was asked may still happen', async () => {
    const store = await ledger.open({ operationTimeoutMs: 50, busyTimeoutMs: 5_000, waitingMax: 1 });
    const other = new DatabaseSync(ledger.path);
    other.exec('BEGIN IMMEDIATE');
    let turns = 0;
    const turning = setInterval(() => turns++, 1);
    const claim = claimOf(payer, 3n);
    await expect(store.reserve(claim, readingOf(10n), now)).rejects.toThrow(/50 ms; it may still do it/);
    clearInterval(turning);
    expect(turns).toBeGreaterThan(5);
    // It still waits for the file, so it still counts.
    expect(await store.trouble()).toContain('wait');
    await expect(store.find(1)).rejects.toBeInstanceOf(StoreUnavailable);
    other.exec('ROLLBACK');
    other.close();
    const patient = await ledger.open();
    await expect
      .poll(() => patient.lookUp(claim.asset, payer, claim.authorization.nonce))
      .toMatchObject({ state: 'reserved' });
    await expect.poll(() => store.trouble()).toBeNull();
  });
});

describe('When something is wrong with it, it is unavailable', () => {
  it('while another process holds the file, and afterwards as it was', async () => {
    const store = await ledger.open({ busyTimeoutMs: 20 });
    const { id } = await reserved(store, claimOf(payer, 3n), readingOf(10n));
    const other = new DatabaseSync(ledger.path);
    other.exec('BEGIN IMMEDIATE');
    for (const attempt of [
      () => store.reserve(claimOf(payer, 1n), readingOf(10n), now),
      () => store.execute(id, '{}'),
      () => store.find(id),
    ]) {
      await expect(attempt()).rejects.toBeInstanceOf(StoreUnavailable);
    }
    other.exec('ROLLBACK');
    other.close();
    expect(await store.find(id)).toMatchObject({ state: 'reserved' });
    expect(await availableTo(store, payer)).toBe(7n);
  });

  it('once its thread is gone: what waits, what comes, and readiness says so', async () => {
    const options = { path: ledger.path, clock: ledger.clock, busyTimeoutMs: 1_000, balanceAgeMaxSeconds: 2 };
    const worker = startWorker(options);
    const limits = { waitingMax: 100, operationTimeoutMs: 10_000, onFault: () => undefined };
    const door = await openDoor(worker, { ...limits, clock: ledger.clock });
    const other = new DatabaseSync(ledger.path);
    other.exec('BEGIN IMMEDIATE');
    const asked = [door.ask('find', [1]), door.ask('reserve', [claimOf(payer, 1n), readingOf(9n), now])];
    const outcomes = Promise.allSettled(asked);
    expect(door.trouble()).toBeNull();
    await worker.terminate();
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailable) });
    }
    other.close();
    await expect(door.ask('find', [1])).rejects.toBeInstanceOf(StoreUnavailable);
    expect(door.trouble()).toContain('ended');
    await door.close();
  });

  it.skipIf(process.platform === 'win32')(
    'on a full disk, and what was written before is whole',
    async () => {
      // A limit on the size of files is the full disk that every machine has. The signal beside it is turned off.
      const module = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);
      const script = `
        const { openTestStore } = await import(${module('../open-test-store.ts')});
        const { claimOf, now, readingOf, reserved } = await import(${module('../test-claims.ts')});
        const store = await openTestStore(${JSON.stringify(ledger.address)}, () => now);
        let written = 0;
        try {
          for (;;) {
            const { id } = await reserved(store, claimOf('${payer}', 1n), readingOf(1_000n));
            await store.execute(id, 'x'.repeat(20_000));
            written++;
          }
        } catch (fault) {
          process.stdout.write(JSON.stringify({ name: fault.name, written }));
          process.exit();
        }`;
      const program = [process.execPath, '--input-type=module', '-e', script];
      const command = ['-c', 'trap \'\' XFSZ; ulimit -f 400; exec "$@"', 'sh', ...program];
      const { stdout, stderr } = spawnSync('sh', command, { encoding: 'utf8', timeout: 10_000 });
      expect(stderr).toBe('');
      const { name, written } = JSON.parse(stdout) as { name: string; written: number };
      expect(name).toBe('StoreUnavailable');
      expect(written).toBeGreaterThan(0);
      const reopened = await ledger.open();
      const totals = await reopened.totals();
      expect(totals.get('executed')?.payments).toBe(written);
      const pending = [...totals.values()].reduce((sum, { amount }) => sum + amount, 0n);
      expect(await availableTo(reopened, payer)).toBe(1_000n - pending);
    },
  );

  it('but a defect of ours is not taken for trouble with the file', async () => {
    const store = await ledger.open();
    const { id } = await executed(store, payer, 1n);
    const lease = await laneOf(store);
    const transaction = transactionBy(lease.relayer);
    await store.submit(lease, [id], transaction);
    for (const attempt of [
      () => store.submit(lease, [id], { ...transaction, relayerNonce: 9 }),
      () => store.execute(id, '{}'),
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

describe('Opened again', () => {
  it('takes the key that it made, which only its owner may read, and no other', async () => {
    const own = { answerKey: undefined as never };
    const store = await ledger.open(own);
    const { id } = await executed(store, payer, 1n);
    await store.close();
    const keyPath = `${ledger.path}.key`;
    expect(statSync(keyPath).mode & 0o777).toBe(0o600);
    expect(statSync(ledger.path).mode & 0o777).toBe(0o600);
    const key = readFileSync(keyPath);
    expect(key).toHaveLength(32);
    const reopened = await ledger.open(own);
    expect(await reopened.find(id)).toMatchObject({ answer });
    await reopened.close();
    await expect(ledger.open({ answerKey: Buffer.alloc(32, 1) })).rejects.toThrow('sealed with another key');
    expect(await (await ledger.open({ answerKey: key })).find(id)).toMatchObject({ answer });
    rmSync(keyPath);
    await expect(ledger.open(own), 'a lost key is not made anew').rejects.toThrow('put it back');
    writeFileSync(keyPath, 'short');
    await expect(ledger.open(own)).rejects.toThrow('has 5');
  });

  it('a changed answer is said to the operator, not to the payer', async () => {
    const faults: string[] = [];
    const store: OpenStore = await ledger.open({ onFault: (fault) => faults.push(fault) });
    const { id } = await executed(store, payer, 1n);
    await ledger.query(`UPDATE payment SET answer = x'00' WHERE id = ${id}`);
    expect(await store.find(id)).toMatchObject({ state: 'executed', answer: null });
    expect(faults).toEqual([expect.stringContaining(`payment ${id}`)]);
  });

  it('a ledger of a newer program is refused, one without versions too, and neither is touched', async () => {
    await (await ledger.open()).close();
    await ledger.query('INSERT INTO ledger_version (version, applied_at) VALUES (99, 0)');
    await expect(ledger.open()).rejects.toThrow(/version 99.*versions up to 1.*newer program/);
    await ledger.query('DROP TABLE ledger_version');
    await expect(ledger.open()).rejects.toThrow('before ledgers had versions');
    expect(await ledger.query("SELECT 1 FROM sqlite_schema WHERE name = 'ledger_version'")).toEqual([]);
  });

  it('what cannot be opened is a sentence, not a store', async () => {
    await expect(ledger.open({ path: `${ledger.path}/none/ledger.db` })).rejects.toThrow();
    writeFileSync(ledger.path, 'x'.repeat(4_096));
    chmodSync(ledger.path, 0o600);
    await expect(ledger.open()).rejects.toThrow('not a database');
  });
});

describe('Amounts', () => {
  it('a balance counts as 2^62 at most, and a price beyond it is too dear rather than an exception', async () => {
    const store = await ledger.open();
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
