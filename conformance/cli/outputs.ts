import { exitCodes } from '../engine/report.ts';
import { fileReason } from '../payment/file-reason.ts';

export type Outputs = {
  /** The exit code of the process: 4 if output was lost, unless a signal ended the run. */
  exitCode(code: number): number;
};

/** Exit codes from 128 on name a signal. */
const signalCodesFrom = 128;

/**
 * Lets the run go on when its output cannot be written. A closed pipe (`| head -1`) changes no exit code. Any
 * other fault, such as a full disk, prints one line on standard error and changes the exit code to 4.
 */
export function watchOutputs(process: Pick<NodeJS.Process, 'stdout' | 'stderr' | 'exitCode'>): Outputs {
  const { stdout, stderr } = process;
  let isLost = false;
  const exitCode = (code: number) => (isLost && code < signalCodesFrom ? exitCodes['suite-error'] : code);
  for (const output of [stdout, stderr]) {
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') return;
      if (output === stdout && !isLost) {
        const name = 'the standard output';
        stderr.write(`conformance: ${name} cannot be written: ${fileReason(error, name)}\n`);
      }
      isLost = true;
      // The fault may come after the end of `main`.
      if (process.exitCode !== undefined) process.exitCode = exitCode(Number(process.exitCode));
    });
  }
  return { exitCode };
}
