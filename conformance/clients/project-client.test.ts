import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { runCli } from '../testing/run-cli.ts';
import type { ClientReport } from './report.ts';

const client = fileURLToPath(new URL('../../client/cli.ts', import.meta.url));
const page = readFileSync(new URL('../CLIENTS.md', import.meta.url), 'utf8');

/** The script of the page for the client of this project, with the paths of this machine. */
function readScript(): string {
  const [, script = ''] = /client -- sh -c '([^']+)'/.exec(page) ?? [];
  return script.replace('node client/cli.ts', `"${process.execPath}" "${client}"`);
}

it('the command of this project passes every requirement, as the page says', {
  timeout: 300_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-project-client-'));
  try {
    const options = ['client', '--json', '--silence-seconds', '1', '--', 'sh', '-c', readScript()];
    const { code, stdout } = await runCli(folder, options);
    const report: ClientReport = JSON.parse(stdout);
    expect(report.results.filter(({ outcome }) => outcome !== 'pass')).toEqual([]);
    expect(code).toBe(0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
