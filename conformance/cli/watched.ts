import type { JudgeOptions } from '../engine/judge.ts';
import type { Funded } from '../payment/budget.ts';
import { type Journal, openJournal } from '../payment/journal.ts';
import { type Tally, tallyOf } from '../payment/tally.ts';
import type { Configuration } from './configuration.ts';

/** 128 and the number of the signal, as shells have it. */
const interruptedExitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

export type Faults = {
  /** Says what to change, and gives the exit code. */
  readonly usage: (text: string) => number;
  /** Says what went wrong in the suite, and gives the exit code. */
  readonly suite: (error: unknown) => number;
};

/**
 * Runs with a journal and with an ear for signals, so that no way out leaves unsaid what was signed. The first signal ends
 * the run, which then reports as ever, with the exit code that `run` is told; at the second, and where something is thrown
 * past everything else, the total is the last word.
 */
export async function watched(
  { funded, ...configuration }: Configuration,
  faults: Faults,
  run: (options: JudgeOptions, interruptedBy: () => number | undefined) => Promise<number>,
): Promise<number> {
  const opened = funded && openJournal(funded.journalFile);
  if (opened && !opened.ok) return faults.usage(opened.fault);
  const tally = opened && tallyOf(opened.journal);
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

/** What may be signed with: no more than its names, since others are refused. */
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
