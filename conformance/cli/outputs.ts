import { exitCodes } from '../engine/report.ts';
import { fileReason } from '../payment/file-reason.ts';

export type Outputs = {
  /** The exit code of the process: 4 where what it printed was lost, unless a signal ended the run. */
  exitCode(code: number): number;
};

/** From here on an exit code names a signal. */
const signalCodesFrom = 128;

/**
 * Lets the run go on to its end when its output cannot be written. Whoever closes a pipe has seen enough (`| head -1`): that changes
 * no exit code. Any other fault, such as a full disk, is one line on standard error, and a fault of this process, not of the target.
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
      // The fault may come once `main` has ended.
      if (process.exitCode !== undefined) process.exitCode = exitCode(Number(process.exitCode));
    });
  }
  return { exitCode };
}
