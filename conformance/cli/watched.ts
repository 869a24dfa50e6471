import type { JudgeOptions } from '../engine/judge.ts';
import type { Funded } from '../payment/budget.ts';
import { type Journal, openJournal } from '../payment/journal.ts';
import { createTally, type Tally } from '../payment/tally.ts';
import type { Configuration } from './configuration.ts';

/** 128 plus the number of the signal, as in shells. */
export const interruptedExitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

export type Faults = {
  /** Prints a usage fault and returns the exit code. */
  readonly usage: (text: string) => number;
  /** Prints a fault of the suite and returns the exit code. */
  readonly suite: (error: unknown) => number;
};

/**
 * Runs with a journal and signal handlers, and always prints the total of signed payments. The first signal
 * ends the run with a report and the exit code of the signal. The second signal, or an uncaught exception, ends
 * the process after printing the total.
 */
export async function watched(
  { funded, ...configuration }: Configuration,
  faults: Faults,
  run: (options: JudgeOptions, interruptedBy: () => number | undefined) => Promise<number>,
): Promise<number> {
  const opened = funded && openJournal(funded.journalFile);
  if (opened && !opened.ok) return faults.usage(opened.fault);
  const tally = opened && createTally(opened.journal);
  const interruption = new AbortController();
  let interruptedExitCode: number | undefined;

  function onSignal(name: keyof typeof interruptedExitCodes): void {
    if (interruptedExitCode !== undefined) endNow(interruptedExitCode, tally);
    interruptedExitCode = interruptedExitCodes[name];
    interruption.abort();
  }
  const onFault = (error: unknown) => endNow(faults.suite(error), tally);
  const stop = listen(onSignal, onFault);
  try {
    const options = {
      ...configuration,
      ...(funded && tally && { funded: withJournal(funded, tally.journal) }),
      signal: interruption.signal,
    };
    return await run(options, () => interruptedExitCode);
  } catch (error) {
    const exitCode = faults.suite(error);
    sayTotal(tally);
    return exitCode;
  } finally {
    stop();
  }
}

/** The funded payer without the journal's file name, because the suite rejects unknown members. */
function withJournal(
  { journalFile: _, ...payer }: NonNullable<Configuration['funded']>,
  journal: Journal,
): Funded {
  return { ...payer, journal };
}

function listen(
  onSignal: (name: keyof typeof interruptedExitCodes) => void,
  onFault: (error: unknown) => void,
): () => void {
  const onInterrupt = () => onSignal('SIGINT');
  const onTermination = () => onSignal('SIGTERM');
  process.on('SIGINT', onInterrupt).on('SIGTERM', onTermination);
  process.on('uncaughtException', onFault).on('unhandledRejection', onFault);
  return () => {
    process.off('SIGINT', onInterrupt).off('SIGTERM', onTermination);
    process.off('uncaughtException', onFault).off('unhandledRejection', onFault);
  };
}

function endNow(exitCode: number, tally: Tally | undefined): never {
  sayTotal(tally);
  process.exit(exitCode);
}

function sayTotal(tally: Tally | undefined): void {
  const line = tally?.line();
  if (line !== undefined) process.stderr.write(`conformance: ${line}\n`);
}
