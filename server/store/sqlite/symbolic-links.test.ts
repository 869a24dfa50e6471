import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  completion,
  createClaim,
  createReading,
  executed,
  now,
  randomAddress,
} from '../../testing/store/claims.ts';
import { manualClock } from '../../types/clock.ts';
import { type OpenStore, StoreUnavailable } from '../store.ts';
import { findStoreFileFault } from '../store-file.ts';
import { openSqliteStore } from './sqlite-store.ts';

let folder: string;
let file: string;
let link: string;
let opened: OpenStore[];

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'paid-inference-links-')));
  mkdirSync(join(folder, 'data'));
  file = join(folder, 'data', 'real.db');
  link = join(folder, 'gateway.db');
  symlinkSync(file, link);
  opened = [];
});
afterEach(async () => {
  for (const store of opened) await store.close();
  rmSync(folder, { recursive: true });
});

async function open(path: string): Promise<OpenStore> {
  const clock = manualClock(now);
  const store = await openSqliteStore({ path, clock, busyTimeoutMs: 1_000, balanceAgeMaxSeconds: 2 });
  opened.push(store);
  return store;
}

/** Opens the store, makes an executed payment in it, and closes it. */
async function fill(path: string): Promise<number> {
  const store = await open(path);
  const { id } = await executed(store, randomAddress(), 1n);
  await store.close();
  return id;
}

async function reserve(store: OpenStore): Promise<unknown> {
  return store
    .reserve(createClaim(randomAddress(), 1n), createReading(1_000n), now)
    .catch((cause: unknown) => cause);
}

describe('A store at a symbolic link (D-209)', () => {
  it.each([
    ['the write-ahead log was deleted', () => rmSync(`${file}-wal`)],
    ['the shared memory was deleted', () => rmSync(`${file}-shm`)],
    ['the file was deleted', () => rmSync(file)],
    [
      'the file was replaced by a copy',
      () => {
        copyFileSync(file, `${file}.copy`);
        renameSync(`${file}.copy`, file);
      },
    ],
    ['the link was deleted', () => rmSync(link)],
    [
      'the link leads to another file',
      () => {
        writeFileSync(`${file}.other`, '');
        rmSync(link);
        symlinkSync(`${file}.other`, link);
      },
    ],
  ])('sells nothing new when %s', async (_name, lose) => {
    const store = await open(link);
    await executed(store, randomAddress(), 1n);
    expect(await store.healthIssue()).toBeNull();
    lose();
    expect(await reserve(store)).toBeInstanceOf(StoreUnavailable);
    expect(await store.healthIssue()).toContain('was deleted or replaced');
  });

  it('sells nothing new without its write-ahead log when a folder of the path is a link', async () => {
    symlinkSync('data', join(folder, 'linked'));
    const store = await open(join(folder, 'linked', 'real.db'));
    await executed(store, randomAddress(), 1n);
    rmSync(`${file}-wal`);
    expect(await reserve(store)).toBeInstanceOf(StoreUnavailable);
  });

  it.each([
    ['link', 'file', () => [link, file]],
    ['file', 'link', () => [file, link]],
  ])('opens by its %s and then by its %s, with one key beside the file', async (_one, _other, paths) => {
    const [first = '', second = ''] = paths();
    const id = await fill(first);
    expect(existsSync(`${link}.key`)).toBe(false);
    expect(await (await open(second)).find(id)).toMatchObject({ completion });
  });
});

describe('A store whose key an older version put beside the link (D-209)', () => {
  it('copies the key to the file, and then opens by both names', async () => {
    const id = await fill(link);
    renameSync(`${file}.key`, `${link}.key`);
    expect(await (await open(link)).find(id)).toMatchObject({ completion });
    expect(readFileSync(`${file}.key`)).toEqual(readFileSync(`${link}.key`));
    rmSync(`${link}.key`);
    expect(await (await open(file)).find(id)).toMatchObject({ completion });
  });

  it('opens with the right key when the file of an older store has another one', async () => {
    const id = await fill(link);
    renameSync(`${file}.key`, `${link}.key`);
    writeFileSync(`${file}.key`, Buffer.alloc(32, 9));
    const store = await open(link);
    expect(await store.find(id)).toMatchObject({ completion });
    rmSync(`${link}.key`);
    expect(await store.healthIssue()).toContain(`The key file ${link}.key is missing`);
    await expect(open(link)).rejects.toThrow('encrypted with another key');
  });

  it('is not replaced by a new store when the file was emptied', async () => {
    await fill(link);
    renameSync(`${file}.key`, `${link}.key`);
    writeFileSync(file, '');
    expect(findStoreFileFault(link)).toContain(`its key ${link}.key exists`);
    renameSync(`${link}.key`, `${file}.key`);
    expect(findStoreFileFault(link)).toContain(`its key ${file}.key exists`);
  });
});
