import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Config, configSchema } from '../config/schema.ts';
import { claimStore } from './open-store.ts';

let folder: string;
let config: Config;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'paid-inference-lock-file-'));
  config = configSchema.parse({ devnetFolder: folder });
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('A lock file that is no lock', () => {
  it.each([
    ['another file', (path: string) => writeFileSync(path, 'a note '.repeat(20)), 'file is not a database'],
    ['a folder', (path: string) => mkdirSync(path), 'unable to open database file'],
  ])('such as %s is reported with the way out', async (_name, make, why) => {
    const lock = join(folder, 'gateway.db.lock');
    make(lock);
    expect(await claimStore(config, null)).toEqual({
      ok: false,
      fault: [
        `The lock file ${lock} cannot be locked: ${why}. Let this user write it, or stop every gateway of this store and delete it.`,
      ],
    });
  });
});
