import { spawn } from 'node:child_process';

export type Ended = {
  readonly stdout: string;
  readonly stderr: string;
  /** The reason why the program did not end with exit code 0; undefined if it did. */
  readonly fault: string | undefined;
};

export type Surroundings = {
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly deadlineSeconds: number;
  readonly signal: AbortSignal;
};

const outputLengthMax = 1_000_000;

/** Runs a program, and ends it with all its children at the deadline or when the signal aborts. */
export function runProgram(
  [program = '', ...args]: readonly string[],
  { folder, environment, deadlineSeconds, signal }: Surroundings,
): Promise<Ended> {
  return new Promise((resolve) => {
    // A group of its own, so that the deadline also ends the children.
    const child = spawn(program, args, {
      cwd: folder,
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => {
        output[name] = (output[name] + text).slice(-outputLengthMax);
      });
    let stopped: string | undefined;
    const stop = (reason: string) => {
      stopped = reason;
      killGroup(child.pid);
    };
    const timer = setTimeout(() => stop(`did not end within ${deadlineSeconds} s`), deadlineSeconds * 1_000);
    const interrupt = () => stop('was interrupted');
    signal.addEventListener('abort', interrupt, { once: true });
    const end = (fault: string | undefined) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', interrupt);
      resolve({ ...output, fault: stopped ?? fault });
    };
    child.on('error', ({ message }) => end(message));
    child.on('close', (code) => end(code === 0 ? undefined : `ended with exit code ${code}`));
  });
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has no process left.
  }
}
