import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

const module = new URL('./claim-file.ts', import.meta.url).href;

test('A ledger in a folder that was removed from under the process is an error, and not tried for ever', () => {
  const script = `
    import { mkdtempSync, rmdirSync } from 'node:fs';
    import { tmpdir } from 'node:os';
    import { join } from 'node:path';
    import { claimFile } from '${module}';
    const folder = mkdtempSync(join(tmpdir(), 'claim-file-'));
    process.chdir(folder);
    rmdirSync(folder);
    claimFile('.data/devnet/ledger.sqlite');`;
  const { status, signal, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    timeout: 15_000,
    env: {},
    encoding: 'utf8',
  });
  expect({ status, signal }).toEqual({ status: 1, signal: null });
  expect(stderr).toContain('ENOENT');
});
