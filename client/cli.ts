import { CommanderError } from 'commander';
import { tolerateClosedPipe } from './cli/closed-pipe.ts';
import { type CommandOutcome, usageFault } from './cli/outcome.ts';
import { createProgram } from './cli/program.ts';
import { openTerminal } from './cli/terminal.ts';

tolerateClosedPipe(process.stdout, process.stderr);
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
  for (const command of [
    program,
    ...program.commands,
    ...program.commands.flatMap(({ commands }) => commands),
  ]) {
    // What it would write to standard error is said below, in one line.
    command.exitOverride().configureOutput({ writeErr: () => undefined });
  }
  try {
    await program.parseAsync(given, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return; // --help
    outcome = usageFault(wordsFor(error));
  }
  if (outcome !== null) finish(outcome, json);
}

function finish({ exitCode, json, text, note, fault }: CommandOutcome, asJson: boolean): void {
  if (asJson) process.stdout.write(`${JSON.stringify(json)}\n`);
  else if (text !== undefined) process.stdout.write(`${text}\n`);
  if (note !== undefined && !asJson) process.stderr.write(`${note}\n`);
  if (fault !== undefined) process.stderr.write(`paid-inference: ${fault}\n`);
  process.exitCode = exitCode;
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
