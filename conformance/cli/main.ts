import { CommanderError } from 'commander';
import pc from 'picocolors';
import { applyPolicy } from '../engine/policy.ts';
import { exitCodes, isUnreached, type Report, usageExitCode } from '../engine/report.ts';
import { journalFault } from '../payment/journal.ts';
import { endingsSaid, renderFor, renderJson } from '../report/formats.ts';
import { renderMarkdown } from '../report/markdown.ts';
import { unreachedLine } from '../report/summary.ts';
import { renderTree } from '../report/tree.ts';
import { uncommanded, uncommandedJson, visibleLine, withoutKeys } from '../report/visible.ts';
import { judge } from '../suite/judge.ts';
import { commandName, createCommand } from './command.ts';
import type { Configuration, Typed } from './configuration.ts';
import { configure } from './configure.ts';
import { findDevnetKeyFile, keyHint, unusedKeyLine } from './devnet.ts';
import { fileClash, type RunFile } from './file-clash.ts';
import { readJudgement } from './judgement.ts';
import { createPlan, renderPlan } from './plan.ts';
import { createProgress } from './progress.ts';
import { openReports, stepSummaryVariable } from './report-files.ts';
import { runtimeFault } from './runtime.ts';
import { watched } from './watched.ts';

export const faultCharactersMax = 1_000;

/** Runs the command line and returns the exit code. An exception that `main` throws is a fault of the suite. */
export async function main(argv: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  const fault = runtimeFault(process.versions.node);
  if (fault !== undefined) return usage(fault);
  const command = createCommand();
  try {
    command.parse(argv);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // `--help` and `--version` also throw, with exit code 0.
    return error.exitCode === 0 ? 0 : usageExitCode;
  }
  const typed = command.opts<Typed>();
  const [url] = command.args;
  if (url === undefined) return usage(noUrl(environment));
  const configured = configure(url, typed, environment);
  if (!configured.ok) return usage(configured.usage);
  const judgement = readJudgement(typed);
  if (!judgement.ok) return usage(judgement.usage);

  const summaryPath = typed.stepSummary ? environment[stepSummaryVariable] : undefined;
  if (typed.stepSummary && !summaryPath) return usage(`--step-summary needs ${stepSummaryVariable}, a file`);
  const clash = fileClash(listFiles(typed, configured.options, environment));
  if (clash !== undefined) return usage(clash);
  const summary = summaryPath ? { path: summaryPath, render: renderMarkdown } : undefined;
  const files = openReports(typed.report ?? [], { endings: endingsSaid, renderFor }, summary);
  if (!files.ok) return usage(files.fault);
  if (typed.dryRun) {
    files.discard();
    const plan = createPlan(configured.options);
    const journal = plan.journal === null ? undefined : journalFault(plan.journal);
    if (journal !== undefined) return usage(journal);
    process.stdout.write(typed.json ? `${JSON.stringify(plan, null, 2)}\n` : renderPlan(plan));
    return 0;
  }
  const { implementation } = judgement;
  const unusedKey = unusedKeyLine(configured.options, typed.profile, environment);
  let isWritten = false;
  const faults = { usage, suite: reportFault };
  const exitCode = await watched(configured.options, faults, async (options, interruptedBy) => {
    const { clear, ...progress } = createProgress(process.stderr, Boolean(environment['CI']), options);
    const judged = await judge({ ...options, ...progress, ...(implementation && { implementation }) });
    clear();
    if (!judged.ok) {
      const code = usage(judged.usage);
      return interruptedBy() ?? code;
    }

    const report = withSignal(applyPolicy(judged.report, judgement.policy), interruptedBy());
    const unwritten = files.write(report);
    isWritten = true;
    const isJudged = !isUnreached(report);
    if (!isJudged) usage(unreachedLine(report, faultCharactersMax) ?? '');
    if (typed.json) process.stdout.write(uncommandedJson(renderJson(report)));
    else if (isJudged) {
      // The written reports keep the exit code of the verdict.
      const isLost = unwritten.length > 0 && !report.isInterrupted;
      const shown = isLost ? { ...report, exitCode: exitCodes['suite-error'] } : report;
      const hints = unusedKey.length > 0 ? unusedKey : keyHint(report, typed.profile);
      process.stdout.write(
        renderTree(shown, pc, { isWhole: typed.verbose === true, hints, columns: process.stdout.columns }),
      );
    }
    for (const fault of unwritten)
      process.stderr.write(`conformance: ${visibleLine(fault, faultCharactersMax)}\n`);
    return unwritten.length === 0 || report.isInterrupted ? report.exitCode : exitCodes['suite-error'];
  });
  if (!isWritten) files.discard();
  return exitCode;
}

/** The files that a run reads and writes. */
function listFiles(typed: Typed, options: Configuration, environment: NodeJS.ProcessEnv): readonly RunFile[] {
  const written = [
    ...(typed.report ?? []).map((path) => ['--report', path] as const),
    ['--journal', options.funded?.journalFile] as const,
    [stepSummaryVariable, typed.stepSummary ? environment[stepSummaryVariable] : undefined] as const,
  ];
  const read = [
    ['--key-file', typed.keyFile],
    ['--expected-failures', typed.expectedFailures],
    ['the devnet key', findDevnetKeyFile(options.targetUrl)],
    ['NODE_EXTRA_CA_CERTS', environment['NODE_EXTRA_CA_CERTS']],
  ] as const;
  const filesIn = (named: readonly (readonly [string, string | undefined])[], isWritten: boolean) =>
    named.flatMap(([option, path]) => (path ? [{ option, path, isWritten }] : []));
  return [...filesIn(written, true), ...filesIn(read, false)];
}

/** Makes the reports name the exit code of the process. A signal after the end of the run changes nothing. */
function withSignal(report: Report, interruptedBy: number | undefined): Report {
  return report.isInterrupted ? { ...report, exitCode: interruptedBy ?? report.exitCode } : report;
}

/** The usage for a missing URL, with the command as the caller typed it. */
function noUrl(environment: NodeJS.ProcessEnv): string {
  const typed = environment['npm_lifecycle_event'] === 'conformance' ? 'npm run conformance --' : commandName;
  return `the base URL of a deployment is missing: ${typed} http://127.0.0.1:8402 (or --help)`;
}

/** Prints an exception and returns its exit code. */
export function reportFault(error: unknown): number {
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  process.stderr.write(
    `conformance: fault of the suite: ${visibleLine(error instanceof Error ? error.message : String(error), faultCharactersMax)}\n`,
  );
  return exitCodes['suite-error'];
}

export function usage(text: string): number {
  process.stderr.write(`conformance: ${uncommanded(withoutKeys(text))}\n`);
  return usageExitCode;
}
