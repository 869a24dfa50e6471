#!/usr/bin/env node
import { CommanderError } from 'commander';
import { tolerateClosedPipe } from './cli/closed-pipe.ts';
import { keptByNpm } from './cli/npm-options.ts';
import { type CommandOutcome, exitCodes, usageFault } from './cli/outcome.ts';
import { createProgram } from './cli/program.ts';
import { openTerminal } from './cli/terminal.ts';
import { visible, visibleJson, visibleLine } from './cli/visible.ts';

tolerateClosedPipe(process.stdout, process.stderr);
// Node's own code for what nobody catches is 1, which says that something was refused or is false.
process.once('uncaughtException', (error) => {
  process.stderr.write(`paid-inference: ${faultOfOurs(error)}\n`);
  process.exit(exitCodes.ours);
});
await run(process.argv.slice(2));

/** Runs one command: its object or text to standard output, its fault in one line to standard error. */
async function run(given: readonly string[]): Promise<void> {
  // Before commander has read them: wrong usage is one JSON object too.
  const json = given.includes('--json');
  const terminal = openTerminal(json);
  const interruption = new AbortController();
  process.once('SIGINT', () => interruption.abort());
  const context = { terminal, environment: process.env, signal: interruption.signal };
  let outcome: CommandOutcome | null = null;
  const program = createProgram(context, (ended) => {
    outcome = ended;
  });
  const commands = [program, ...program.commands, ...program.commands.flatMap((command) => command.commands)];
  // What commander would write to standard error is said below, in one line.
  for (const command of commands) command.exitOverride().configureOutput({ writeErr: () => undefined });
  const names = commands.flatMap(({ options }) => options.flatMap(({ long }) => long?.slice(2) ?? []));
  const kept = keptByNpm([...new Set(names)], given, process.env);
  if (kept !== null) return finish(usageFault(kept), json);
  try {
    await program.parseAsync(given, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return; // --help
    outcome = error instanceof CommanderError ? usageFault(wordsFor(error)) : crashed(error);
  }
  if (outcome !== null) finish(outcome, json);
}

function finish({ exitCode, json, text, note, fault }: CommandOutcome, asJson: boolean): void {
  if (asJson) process.stdout.write(`${visibleJson(json)}\n`);
  else if (text !== undefined) process.stdout.write(`${text}\n`);
  if (note !== undefined && !asJson) process.stderr.write(`${visible(note)}\n`);
  if (fault !== undefined) process.stderr.write(`paid-inference: ${visibleLine(fault)}\n`);
  process.exitCode = exitCode;
}

function crashed(error: unknown): CommandOutcome {
  const message = faultOfOurs(error);
  return { exitCode: exitCodes.ours, json: { kind: 'fault', message }, fault: message };
}

/** What kind of error it was and where. Its message is left out: anything may stand in it, a key too. */
function faultOfOurs(error: unknown): string {
  if (!(error instanceof Error)) return 'a fault of this program';
  const [where = ''] = /\bat .*/.exec(error.stack ?? '') ?? [];
  return visibleLine(`a fault of this program: ${error.name} ${where}`.trimEnd());
}

/** Commander repeats what it did not understand, and that may be a key. */
function wordsFor({ message, code }: CommanderError): string {
  if (code === 'commander.help') return 'name a command; --help says which there are';
  const safe = message
    .replace(/^error: /, '')
    .replaceAll('\n', ' ')
    .replace(/(0x)?[0-9a-fA-F]{64}/g, '<secret>');
  const isKey = /unknown option '--(private-)?key\b(?!-file)/.test(message);
  return `${safe} (${isKey ? 'a key is never an argument: name its file with --key-file' : '--help says what there is'})`;
}
