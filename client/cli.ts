#!/usr/bin/env node
import { CommanderError } from 'commander';
import { findOptionsKeptByNpm } from './cli/npm-options.ts';
import { type CommandOutcome, exitCodes, usageFault } from './cli/outcome.ts';
import { tolerateOutputFaults } from './cli/output-faults.ts';
import { createProgram } from './cli/program.ts';
import { refuseTwice } from './cli/refuse-twice.ts';
import { openTerminal } from './cli/terminal.ts';
import { hideGivenKeys, hideKeys, visible, visibleJson, visibleLine } from './cli/visible.ts';

tolerateOutputFaults(reportOutputFault);
// Node's own exit code for an uncaught exception is 1, which here means "refused" or "false".
process.once('uncaughtException', (error) => {
  process.stderr.write(`paid-inference: ${describeInternalError(error)}\n`);
  process.exit(exitCodes.ours);
});
await run(process.argv.slice(2));

/**
 * Runs one command. Writes its object or text to standard output and its error, in one line, to standard error.
 */
async function run(given: readonly string[]): Promise<void> {
  // Read before commander parses the arguments, because wrong usage is one JSON object too.
  const own = given.includes('--') ? given.slice(0, given.indexOf('--')) : given;
  const json = own.includes('--json');
  const terminal = openTerminal(json, hideGiven);
  const interruption = new AbortController();
  process.once('SIGINT', () => interruption.abort());
  const context = { terminal, environment: process.env, signal: interruption.signal };
  let outcome: CommandOutcome | null = null;
  const program = createProgram(context, (ended) => {
    outcome = ended;
  });
  const commands = [program, ...program.commands, ...program.commands.flatMap((command) => command.commands)];
  for (const command of commands) {
    // `finish` writes commander's messages in one line.
    command.exitOverride().configureOutput({ writeErr: () => undefined });
    refuseTwice(command);
  }
  const names = commands.flatMap(({ options }) => options.flatMap(({ long }) => long?.slice(2) ?? []));
  const kept = findOptionsKeptByNpm([...new Set(names)], own, process.env);
  if (kept !== null) return finish(usageFault(kept), json);
  try {
    await program.parseAsync(given, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return; // --help
    outcome = error instanceof CommanderError ? usageFault(describeUsageError(error)) : crashed(error);
  }
  if (outcome !== null) finish(outcome, json);
}

function finish({ exitCode, json, text, note, fault }: CommandOutcome, asJson: boolean): void {
  // A fault may repeat an argument or a variable. A completion may too, and has no fault.
  const hide = (shown: string) => (fault === undefined ? shown : hideGiven(shown));
  if (asJson) process.stdout.write(`${hide(visibleJson(json))}\n`);
  else if (text !== undefined) process.stdout.write(`${text}\n`);
  if (note !== undefined && !asJson) process.stderr.write(`${visible(note)}\n`);
  if (fault !== undefined) process.stderr.write(`paid-inference: ${hide(visibleLine(fault))}\n`);
  process.exitCode = exitCode;
}

/** The command goes on, because a purchase may be under way, and its file is still to be saved. */
function reportOutputFault(fault: string): void {
  const [command = '', ...rest] = process.argv.slice(2);
  const isLost = ['chat', 'complete'].includes(command) && !rest.some((each) => each.startsWith('--save'));
  const hint = isLost ? ' With --save <file>, a purchase keeps its completion in a file.' : '';
  process.stderr.write(`paid-inference: ${fault}${hint}\n`);
  process.once('exit', () => {
    process.exitCode ||= exitCodes.unknown;
  });
}

function hideGiven(text: string): string {
  return hideGivenKeys(text, [...process.argv.slice(2), ...Object.values(process.env)]);
}

function crashed(error: unknown): CommandOutcome {
  const message = describeInternalError(error);
  return { exitCode: exitCodes.ours, json: { kind: 'fault', message }, fault: message };
}

/** Gives the kind and place of an error. Leaves its message out, because a message may hold a key. */
function describeInternalError(error: unknown): string {
  if (!(error instanceof Error)) return 'internal error';
  const [where = ''] = /\bat .*/.exec(error.stack ?? '') ?? [];
  return visibleLine(`internal error: ${error.name} ${where}`.trimEnd());
}

/** Removes keys from commander's message, which repeats unknown arguments. */
function describeUsageError({ message, code }: CommanderError): string {
  if (code === 'commander.help') return 'missing command: --help lists the commands';
  const safe = hideKeys(message.replace(/^error: /, '').replaceAll('\n', ' '));
  const isKey = /unknown option '--(private-)?key\b(?!-file)/.test(message);
  return `${safe} (${isKey ? 'a key is never an argument: put it into a file and name the file with --key-file' : '--help lists the options'})`;
}
