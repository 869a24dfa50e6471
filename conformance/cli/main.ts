import { closeSync, openSync, writeSync } from 'node:fs';
import { CommanderError } from 'commander';
import pc from 'picocolors';
import { judge, type Progress } from '../engine/judge.ts';
import { exitCodes } from '../engine/report.ts';
import { renderTree } from '../report/tree.ts';
import { createCommand, type Typed } from './command.ts';
import { configure } from './configure.ts';
import { planOf, renderPlan } from './plan.ts';

const usageExitCode = 2;

/** Runs the command line and gives the exit code. Whatever is thrown past it is a fault of the suite. */
export async function main(argv: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  const command = createCommand();
  try {
    command.parse(argv);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help and version end like this too, with a code of 0.
    return error.exitCode === 0 ? 0 : usageExitCode;
  }
  const typed = command.opts<Typed>();
  const configured = configure(command.args[0] ?? '', typed, environment);
  if (!configured.ok) return usage(configured.usage);

  if (typed.dryRun) {
    const plan = planOf(configured.options);
    process.stdout.write(typed.json ? `${JSON.stringify(plan, null, 2)}\n` : renderPlan(plan));
    return 0;
  }
  const file = openReport(typed.report);
  if (file === 'unwritable') return usage(`--report ${typed.report} cannot be written`);
  const judged = await judge({ ...configured.options, onProgress: showProgress });
  clearProgress();
  if (!judged.ok) return usage(judged.usage);

  const json = `${JSON.stringify(judged.report, null, 2)}\n`;
  if (file !== undefined) {
    writeSync(file, json);
    closeSync(file);
  }
  process.stdout.write(typed.json ? json : renderTree(judged.report, pc));
  return judged.report.exitCode;
}

/** The exit code of an exception, and what is said about it. */
export function reportFault(error: unknown): number {
  clearProgress();
  process.stderr.write(
    `conformance: fault of the suite: ${error instanceof Error ? error.message : String(error)}\n`,
  );
  return exitCodes['suite-error'];
}

function usage(text: string): number {
  process.stderr.write(`conformance: ${text}\n`);
  return usageExitCode;
}

/** Opened before anything is sent: a run must not be lost for want of a folder. */
function openReport(path: string | undefined): number | 'unwritable' | undefined {
  if (path === undefined) return undefined;
  try {
    return openSync(path, 'w');
  } catch {
    return 'unwritable';
  }
}

function showProgress({ requirement, done, total }: Progress): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${done}/${total} ${requirement}`);
}

function clearProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
}
