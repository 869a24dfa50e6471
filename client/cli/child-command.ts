import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/** A shell's exit code of a command that a signal ended is this plus the number of the signal. */
const signalExitCode = 128;

/**
 * Runs a command with the terminal of this process. Returns its exit code, or the reason why it did not start.
 */
export async function runCommand(
  [program = '', ...given]: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<number | string> {
  const child = spawn(program, given, { env: environment, stdio: 'inherit' });
  // The terminal sends Ctrl-C to the command too, which decides what it means.
  const ignore = () => undefined;
  const forward = (signal: NodeJS.Signals) => void child.kill(signal);
  process.on('SIGINT', ignore).on('SIGTERM', forward).on('SIGHUP', forward);
  try {
    return await new Promise((resolve) => {
      child.once('error', (error: NodeJS.ErrnoException) =>
        resolve(`the command ${program} did not start (${error.code ?? error.message})`),
      );
      child.once('close', (code, signal) =>
        resolve(code ?? signalExitCode + (signal === null ? 0 : constants.signals[signal])),
      );
    });
  } finally {
    process.off('SIGINT', ignore).off('SIGTERM', forward).off('SIGHUP', forward);
  }
}
