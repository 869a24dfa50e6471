import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/** The exit codes of the commands that test or measure gateways. */
export const exitCode = { failed: 1, usage: 2, interrupted: 130 } as const;

/** Reads the options of a command. A wrong option ends the process with one line. */
export function readOptions<const Options extends ParseArgsOptionsConfig>(options: Options) {
  try {
    return parseArgs({ options }).values;
  } catch (cause) {
    console.error(`${cause instanceof Error ? cause.message : cause}. --help shows the options.`);
    return process.exit(exitCode.usage);
  }
}

/**
 * Ends the process when it gets a signal. The `exit` handlers then kill the child processes, which a signal alone
 * would leave running.
 */
export function endOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => process.exit(exitCode.interrupted));
}
