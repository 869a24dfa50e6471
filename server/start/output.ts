import { setImmediate as nextTurn } from 'node:timers/promises';
import { outputFault, readErrorCode } from './start-fault.ts';

/** Ends the process with the exit code of the command, or with 1 if standard output cannot be written (D-144). */
export async function endWithCode(run: () => Promise<number> | number): Promise<never> {
  process.stdout.on('error', failOutput);
  const code = await run();
  // The error of a write comes in a later turn.
  await nextTurn();
  process.exit(code);
}

/** A reader may close a pipe when it has enough. */
export function failOutput(cause: Error): void {
  if (readErrorCode(cause) === 'EPIPE') return;
  console.error(outputFault(cause));
  process.exit(1);
}
