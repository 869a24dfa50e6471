import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { programEnvironment } from './program-environment.ts';

export type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** A command takes a second. The deadline allows for a very busy machine. */
const deadlineMs = 30_000;

const otherUser = { uid: 65_534, gid: 65_534 };

/**
 * Runs the command of the gateway as a process, and waits for its end. Its code is null after the deadline. Root may
 * write everywhere; without `isRoot` another user runs the command.
 */
export async function runGatewayCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  cwd: string,
  { isRoot = true }: { readonly isRoot?: boolean } = {},
): Promise<Ended> {
  const main = new URL('../main.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [main, ...args], {
    ...(!isRoot && process.getuid?.() === 0 && otherUser),
    cwd,
    env: { ...programEnvironment, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: deadlineMs,
    killSignal: 'SIGKILL',
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
}
