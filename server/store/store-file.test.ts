import { linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findStoreFileFault } from './store-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'store-file-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('D-197: a folder as the store is one error that says what to set', () => {
  mkdirSync(join(folder, 'within'));
  expect(findStoreFileFault(folder)).toBe(
    `The store ${folder} is a folder. Set DATABASE_FILE to a file in it.`,
  );
});

it('D-197: a device as the store is an error', () => {
  expect(findStoreFileFault('/dev/null')).toBe(
    'The store /dev/null is no file. Set DATABASE_FILE to a file.',
  );
});

it('a file with two names is an error, and a new one or one with one name is none', () => {
  const path = join(folder, 'gateway.db');
  expect(findStoreFileFault(path)).toBeNull();
  writeFileSync(path, 'x');
  expect(findStoreFileFault(path)).toBeNull();
  linkSync(path, join(folder, 'second.db'));
  expect(findStoreFileFault(path)).toContain('2 hard links');
});
