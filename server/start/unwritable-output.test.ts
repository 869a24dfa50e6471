import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { programEnvironment } from '../testing/program-environment.ts';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'paid-inference-output-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function run(script: string, ...args: readonly string[]): Promise<{ code: number; stderr: string }> {
  const child = spawn('bash', ['-c', script, 'bash', process.execPath, main, ...args], {
    cwd: folder,
    env: { ...programEnvironment, PORT: '0' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'close');
  const stderr = await text(child.stderr);
  const [code] = (await ended) as [number];
  return { code, stderr };
}

const full = 'exec "$@" >/dev/full';
const unread = 'set -o pipefail; "$@" | true';

it.runIf(existsSync('/dev/full')).each([
  ['a full disk', ['--json'], full, 'ENOSPC). The disk is full. Make room'],
  ['a full disk', ['--check-config'], full, 'ENOSPC). The disk is full. Make room'],
  ['a full disk', ['--print-config'], full, 'ENOSPC). The disk is full. Make room'],
  ['a full disk', ['--settings'], full, 'ENOSPC). The disk is full. Make room'],
  ['a full disk', ['doctor', '--help'], full, 'ENOSPC). The disk is full. Make room'],
  ['a full disk', ['backup', '--help'], full, 'ENOSPC). The disk is full. Make room'],
  ['a closed pipe', ['--json'], unread, 'EPIPE). The program that reads it has ended'],
])(
  'exits with 1 and one sentence when standard output is %s: %j (D-144)',
  async (_place, args, script, why) => {
    const { code, stderr } = await run(script, ...args);
    expect(code).toBe(1);
    expect(stderr).toContain(`Standard output cannot be written (${why}`);
    expect(stderr).not.toMatch(/^ {4}at /m);
  },
);
