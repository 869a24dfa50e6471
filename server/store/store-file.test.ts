import { linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findPlaceRemedy, findStoreFileFault } from './store-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'store-file-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('rejects a folder as the store and names the setting (D-197)', () => {
  mkdirSync(join(folder, 'within'));
  expect(findStoreFileFault(folder)).toBe(
    `The store ${folder} is a folder. Set DATABASE_FILE to a file in it.`,
  );
});

it('rejects a device as the store (D-197)', () => {
  expect(findStoreFileFault('/dev/null')).toBe(
    'The store /dev/null is not a regular file. Set DATABASE_FILE to a file.',
  );
});

it('rejects a file with two hard links, and accepts a new file and a file with one name (D-163)', () => {
  const path = join(folder, 'gateway.db');
  expect(findStoreFileFault(path)).toBeNull();
  writeFileSync(path, 'x');
  expect(findStoreFileFault(path)).toBeNull();
  linkSync(path, join(folder, 'second.db'));
  expect(findStoreFileFault(path)).toContain('2 hard links');
});

it('advises to free space on a full disk, and no backup, because the store is sound (D-142)', () => {
  const path = join(folder, 'gateway.db');
  writeFileSync(path, 'x');
  expect(findPlaceRemedy(path, () => 4_096)).toBe('Its disk is full. Free some space');
  expect(findPlaceRemedy(path, () => 1 << 20)).toBeNull();
});
