import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { programEnvironment } from '../testing/program-environment.ts';
import { writeNewFile } from './write-text.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'paid-inference-text-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('writes all of a text to a pipe, also when the process ends afterwards (D-396)', async () => {
  // A pipe takes a small part of it before its reader has read.
  const program = `import { Readable } from 'node:stream';
    import { writeToOutput } from '${new URL('./write-text.ts', import.meta.url)}';
    await writeToOutput(Readable.from(['x'.repeat(8_000_000)]));
    process.exit(0);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    env: programEnvironment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  expect((await text(child.stdout)).length).toBe(8_000_000);
});

it('leaves no file after a fault, because a part would look like all', async () => {
  const path = join(folder, 'payments.csv');
  const rows = Readable.from(
    (async function* () {
      yield 'first';
      throw new Error('the store is away');
    })(),
  );
  await expect(writeNewFile(rows, path)).rejects.toThrow('the store is away');
  expect(existsSync(path)).toBe(false);
  await writeNewFile(Readable.from(['all']), path);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it('says what to do about a folder that is missing', async () => {
  const path = join(folder, 'missing', 'payments.csv');
  await expect(writeNewFile(Readable.from(['all']), path)).rejects.toThrow(
    `the folder of ${path} does not exist. Create it, or name another file with --out`,
  );
});
