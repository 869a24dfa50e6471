import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Path of the command line's entry point. */
export const cli = fileURLToPath(new URL('../cli.ts', import.meta.url));

export type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** The variables that each program of a test gets. The cache halves the start of a program. */
export const plainEnvironment: Readonly<Record<string, string>> = Object.fromEntries(
  ['PATH', 'NODE_COMPILE_CACHE'].map((name) => [name, process.env[name] ?? '']),
);

/**
 * Runs the command as a process in a folder, without the variables of this process's environment. The output may go
 * to an open file.
 */
export function runCli(
  folder: string,
  args: readonly string[],
  environment: Record<string, string> = {},
  output: number | 'pipe' = 'pipe',
): Promise<Ended> {
  const child = spawn(process.execPath, [cli, ...args], {
    cwd: folder,
    env: { ...plainEnvironment, ...environment },
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
