import { linkSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createCountingEngine } from './testing/counting-engine.ts';
import { openStartedGateways, type StartedGateways } from './testing/started-gateways.ts';

// Store files that stop a start, and a file that is cut off in operation (D-162, D-163).

let gateways: StartedGateways;
let count = 0;
let file: string;

beforeAll(async () => {
  gateways = await openStartedGateways();
});
afterAll(() => gateways.close());
beforeEach(async () => {
  file = join(gateways.folder, `store-${count++}.db`);
  await (await started()).stop();
});

function start() {
  return gateways.start({ DATABASE_FILE: file }, createCountingEngine(), 10_000, { healthAgeMaxMs: 1 });
}

async function started() {
  const result = await start();
  if (!result.ok) throw new Error(result.fault.join('\n'));
  return result.value;
}

async function faults(): Promise<readonly string[]> {
  const result = await start();
  if (!result.ok) return result.fault;
  await result.value.stop();
  return [];
}

it('does not start on a truncated store, reports it in one line, and leaves the file (D-162)', async () => {
  truncateSync(file, 4_096);
  const way = 'Repair it, or put a backup in its place, or set DATABASE_FILE to another place.';
  expect(await faults()).toEqual([
    `the store ${file} cannot be opened: the file is damaged or truncated (database disk image is malformed). ${way}`,
  ]);
  expect(statSync(file).size).toBe(4_096);
});

it('does not start on a store of a newer version, and only advises to start that version again', async () => {
  const store = new DatabaseSync(file);
  const versions = Number(
    store.prepare('SELECT max(version) AS newest FROM store_version').get()?.['newest'],
  );
  store.exec('INSERT INTO store_version (version, applied_at) VALUES (99, 0)');
  store.close();
  expect(await faults()).toEqual([
    `the store ${file} cannot be opened: the store has version 99, and this program supports versions up to ${versions}. Start the newer version again, because payers can still ask for the completions in this store.`,
  ]);
});

it('does not accept an emptied store as a new one (D-162)', async () => {
  truncateSync(file, 0);
  expect(await faults()).toEqual([
    `The store ${file} is empty, but its key ${file}.key exists, so the payments in the store were lost. Put a backup in its place, or delete the file to start a new store.`,
  ]);
  rmSync(file);
  expect(await faults()).toEqual([]);
});

it('is no longer ready when its store is truncated (D-162)', async () => {
  const gateway = await started();
  const ready = async () => (await fetch(`${gateway.url}/ready`)).status;
  await expect.poll(ready).toBe(200);
  truncateSync(file, 4_096);
  await expect.poll(ready).toBe(503);
  await gateway.stop();
});

it('does not start on a store with a second hard link, which has a lock of its own (D-163)', async () => {
  const link = `${file}.link`;
  linkSync(file, link);
  expect(await faults()).toEqual([
    `The store ${file} has 2 hard links, and two gateways could use them without a common lock. Keep one link, and copy the file for a backup.`,
  ]);
  rmSync(link);
  expect(await faults()).toEqual([]);
});
