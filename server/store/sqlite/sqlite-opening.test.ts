import {
  chmodSync,
  copyFileSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  availableTo,
  completion,
  executed,
  inclusionAt,
  paymentOfTheFirstVersion,
  randomAddress,
} from '../../testing/store/claims.ts';
import { expectOldPayments, oldChain, readOldStore } from '../../testing/store/old-stores.ts';
import { createTestSqliteStore, type TestSqliteStore } from '../../testing/store/sqlite-store.ts';
import type { Address } from '../../types/units.ts';
import type { OpenStore } from '../store.ts';
import { readMigrations } from './migrations.ts';

let testStore: TestSqliteStore;
let payer: Address;

beforeEach(async () => {
  testStore = await createTestSqliteStore();
  payer = randomAddress();
});
afterEach(() => testStore.remove());

describe('A SQLite store that is opened again', () => {
  it('accepts only the key that it made, which only its owner may read', async () => {
    const own = { completionKey: undefined as never };
    const store = await testStore.open(own);
    const { id } = await executed(store, payer, 1n);
    await store.close();
    const keyPath = `${testStore.path}.key`;
    expect(statSync(keyPath).mode & 0o777).toBe(0o600);
    expect(statSync(testStore.path).mode & 0o777).toBe(0o600);
    const key = readFileSync(keyPath);
    expect(key).toHaveLength(32);
    const reopened = await testStore.open(own);
    expect(await reopened.find(id)).toMatchObject({ completion });
    await reopened.close();
    await expect(testStore.open({ completionKey: Buffer.alloc(32, 1) })).rejects.toThrow(
      /encrypted with another key.*delete the row/,
    );
    expect(await (await testStore.open({ completionKey: key })).find(id)).toMatchObject({ completion });
    rmSync(keyPath);
    await expect(testStore.open(own), 'a lost key is not replaced').rejects.toThrow('Put the file back');
    writeFileSync(keyPath, 'short');
    await expect(testStore.open(own)).rejects.toThrow('not 5');
    rmSync(keyPath);
    await testStore.query('DELETE FROM completion_key');
    const faults: string[] = [];
    const chain = { chainId: 84_532, asset: randomAddress() };
    await testStore.open({ ...own, chain, onFault: (fault) => faults.push(fault) });
    expect(faults, 'the operator gave the key up').toEqual([expect.stringContaining('released 1 payment')]);
    expect(readFileSync(keyPath)).not.toEqual(key);
  });

  it('reports a changed completion to the operator, and returns none to the payer', async () => {
    const faults: string[] = [];
    const store: OpenStore = await testStore.open({ onFault: (fault) => faults.push(fault) });
    const { id } = await executed(store, payer, 1n);
    await testStore.query(`UPDATE payment SET completion = x'00' WHERE id = ${id}`);
    expect(await store.find(id)).toMatchObject({ state: 'executed', completion: null });
    expect(faults).toEqual([expect.stringContaining(`payment ${id}`)]);
  });

  it('rejects a store of a newer program and a store without versions, and changes neither', async () => {
    await (await testStore.open()).close();
    await testStore.query('INSERT INTO store_version (version, applied_at) VALUES (99, 0)');
    await expect(testStore.open()).rejects.toThrow(
      `version 99, and this program supports versions up to ${readMigrations().length}.`,
    );
    await testStore.query('DROP TABLE store_version');
    await expect(testStore.open()).rejects.toThrow('older than version 1');
    expect(await testStore.query("SELECT 1 FROM sqlite_schema WHERE name = 'store_version'")).toEqual([]);
  });

  it('migrates a store of the first version to the newest and keeps its payments', async () => {
    const database = new DatabaseSync(testStore.path);
    database.exec(`${readMigrations()[0]}
      CREATE TABLE ledger_version (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL);
      INSERT INTO ledger_version VALUES (1, 0);
      ${paymentOfTheFirstVersion(payer)}`);
    database.close();
    const store = await testStore.open();
    const kept = await store.find(1);
    expect(kept).toMatchObject({ state: 'submitted', authorization: { from: payer, value: 3n } });
    await store.settle([1], inclusionAt(101));
    expect(await availableTo(store, payer)).toBe(97n);
    expect(await testStore.query('SELECT version FROM store_version')).toHaveLength(readMigrations().length);
  });

  it('migrates a store of version 9 and keeps its payments, claims, transactions and proofs', async () => {
    const database = new DatabaseSync(testStore.path);
    database.exec(readOldStore('sqlite', readMigrations()));
    database.close();
    const store = await testStore.open({ chain: oldChain });
    await expectOldPayments(store);
    await store.close();
    expect(await testStore.query('SELECT version FROM store_version')).toHaveLength(readMigrations().length);
    await (await testStore.open({ chain: oldChain })).close();
  });

  it('rejects another chain or token than that of its first opening (D-67)', async () => {
    const own = { chainId: 84_532, asset: randomAddress() };
    const { id } = await executed(await testStore.open({ chain: own }), payer, 1n);
    for (const chain of [
      { ...own, asset: randomAddress() },
      { ...own, chainId: 8_453 },
    ]) {
      await expect(testStore.open({ chain })).rejects.toThrow(
        `the store belongs to token ${own.asset} on chain 84532, and the gateway is set to token ${chain.asset} on chain ${chain.chainId}`,
      );
    }
    expect(await (await testStore.open({ chain: own })).find(id)).toMatchObject({ state: 'executed' });
    expect(await testStore.query('SELECT asset FROM store_chain')).toEqual([{ asset: own.asset }]);
  });

  describe('rejects a truncated file with one sentence (D-162)', () => {
    const sentence = /^the file is damaged or truncated \([^\n]+\)$/;
    const cuts: readonly (readonly [string, (bytes: number) => number])[] = [
      ['within its header', () => 10],
      ['after its first page', () => 4_096],
      ['in the middle of a page', (bytes) => Math.floor(bytes / 2) + 1],
      ['by one byte', (bytes) => bytes - 1],
    ];

    it.each(cuts)('truncated %s, after the gateway ended', async (_name, cut) => {
      const store = await testStore.open();
      for (let count = 0; count < 60; count++) await executed(store, randomAddress(), 1n);
      await store.close();
      truncateSync(testStore.path, cut(statSync(testStore.path).size));
      await expect(testStore.open()).rejects.toThrow(sentence);
    });

    it('truncated beside the complete log of a killed gateway', async () => {
      const filled = await testStore.open();
      for (let count = 0; count < 60; count++) await executed(filled, randomAddress(), 1n);
      await filled.close();
      const store = await testStore.open();
      expect(await store.healthIssue()).toBeNull();
      const killed = `${testStore.path}.killed`;
      for (const end of ['', '-wal']) copyFileSync(testStore.path + end, killed + end);
      const { size } = statSync(killed);
      truncateSync(killed, size - (size % 8_192) - 4_096 * 8);
      await expect(testStore.open({ path: killed })).rejects.toThrow(sentence);
    });
  });

  it('throws a sentence for a missing folder and for a file that is no database', async () => {
    await expect(testStore.open({ path: `${testStore.path}/none/store.db` })).rejects.toThrow();
    writeFileSync(testStore.path, 'x'.repeat(4_096));
    chmodSync(testStore.path, 0o600);
    await expect(testStore.open()).rejects.toThrow('not a database');
  });
});
