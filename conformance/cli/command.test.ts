import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../testing/run-cli.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'conformance-command-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('an invalid command line', () => {
  it('with too many arguments leads to the `--` that npm needs', async () => {
    const { code, stderr } = await runCli(folder, ['http://127.0.0.1:1', 'free']);
    expect(stderr).toContain('with npm, write -- before the URL: npm run conformance -- <url>');
    expect(code).toBe(2);
  });

  it('with another fault leads to --help', async () => {
    const { code, stderr } = await runCli(folder, ['http://127.0.0.1:1', '--no-such-option']);
    expect(stderr).toContain('(--help lists all options)');
    expect(code).toBe(2);
  });
});
