import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Path of the command line's entry point. */
export const cli = fileURLToPath(new URL('../cli.ts', import.meta.url));

export type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/**
 * Runs the command in a folder, with only PATH of this process's environment. The output may go to an open
 * file.
 */
export function runCli(
  folder: string,
  args: readonly string[],
  environment: Record<string, string> = {},
  output: number | 'pipe' = 'pipe',
): Promise<Ended> {
  const child = spawn(process.execPath, [cli, ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', ...environment },
    stdio: ['ignore', output, 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout?.on('data', (chunk) => {
    stdout += String(chunk);
  });
  child.stderr?.on('data', (chunk) => {
    stderr += String(chunk);
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })));
}
