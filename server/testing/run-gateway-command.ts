import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { programEnvironment } from './program-environment.ts';

export type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** Runs the command of the gateway as a process, and waits for its end. */
export async function runGatewayCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  cwd: string,
): Promise<Ended> {
  const main = new URL('../main.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [main, ...args], {
    cwd,
    env: { ...programEnvironment, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
}
