import { Command, CommanderError } from 'commander';
import pc from 'picocolors';
import { createCommandBuyer, variables } from '../clients/command.ts';
import {
  type ClientOptions,
  judgeClient,
  purchaseDeadlineSecondsDefault,
  silenceSecondsDefault,
} from '../clients/judge.ts';
import { clientFormats, renderClientJson } from '../clients/render/formats.ts';
import { renderClientText } from '../clients/render/text.ts';
import type { ClientReport } from '../clients/report.ts';
import { exitCodes, usageExitCode } from '../engine/report.ts';
import { keyVariable } from '../payment/key.ts';
import { uncommandedJson, visibleLine } from '../report/visible.ts';
import { commandName, usageError } from './command.ts';
import { faultCharactersMax, usage } from './main.ts';
import { refuseTwice } from './refuse-twice.ts';
import { openReports } from './report-files.ts';
import { runtimeFault } from './runtime.ts';
import { interruptedExitCodes } from './watched.ts';

type Typed = {
  readonly filter?: readonly string[];
  readonly report?: readonly string[];
  readonly deadlineSeconds: string;
  readonly silenceSeconds: string;
  readonly json?: true;
  readonly verbose?: true;
};

const secondsMax = 600;

/** Runs `client -- <command>` and returns the exit code. */
export async function judgeCommand(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  const fault = runtimeFault(process.versions.node);
  if (fault !== undefined) return usage(fault);
  const command = createClientCommand();
  try {
    command.parse(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : usageExitCode;
  }
  const typed = command.opts<Typed>();
  const [deadlineSeconds, silenceSeconds] = [typed.deadlineSeconds, typed.silenceSeconds].map(readSeconds);
  if (deadlineSeconds === undefined || silenceSeconds === undefined) {
    return usage(
      `--deadline-seconds and --silence-seconds must be whole numbers of seconds from 1 to ${secondsMax}`,
    );
  }
  if (command.args[0] === '') return usage('the command is empty. Name a program after --');
  const files = openReports<ClientReport>(typed.report ?? [], clientFormats);
  if (!files.ok) return usage(files.fault);
  // The command pays with a key of the devnet, and needs no other one.
  const { [keyVariable]: _, ...others } = environment;
  const buyer = createCommandBuyer(command.args, others, deadlineSeconds);
  const { filter } = typed;
  const options = {
    command: command.args,
    buyer,
    deadlineSeconds,
    silenceSeconds,
    ...(filter && { filter }),
  };
  const { judged, interruptedBy } = await interruptible({ ...options, onScenario: showProgress });
  if (!judged.ok) {
    files.discard();
    return usage(judged.usage);
  }
  const exitCode = interruptedBy ?? judged.report.exitCode;
  const report: ClientReport = { ...judged.report, exitCode };
  const unwritten = files.write(report);
  const shown = unwritten.length > 0 ? { ...report, exitCode: exitCodes['suite-error'] } : report;
  const text = typed.json
    ? uncommandedJson(renderClientJson(shown))
    : renderClientText(shown, pc, typed.verbose === true);
  process.stdout.write(text);
  for (const lost of unwritten) {
    process.stderr.write(`conformance: ${visibleLine(lost, faultCharactersMax)}\n`);
  }
  return shown.exitCode;
}

function createClientCommand(): Command {
  const repeated = (each: string, earlier: readonly string[] = []) => [...earlier, each];
  const command = new Command(`${commandName} client`)
    .description('Judges a paying client by the payments that it signs, at honest and dishonest gateways.')
    .usage('[options] -- <command>')
    .argument('<command...>', 'command that buys one chat completion; it runs once for each purchase')
    .option(
      '--filter <prefix>',
      'judge only requirements whose id starts with this prefix; may be repeated',
      repeated,
    )
    .option(
      '--deadline-seconds <seconds>',
      'deadline of one run of the command',
      `${purchaseDeadlineSecondsDefault}`,
    )
    .option(
      '--silence-seconds <seconds>',
      'how long a silent gateway keeps a connection open',
      `${silenceSecondsDefault}`,
    )
    .option('--report <file>', `write a report: ${clientFormats.endings}; may be repeated`, repeated)
    .option('--json', 'print only the JSON report')
    .option('--verbose', 'print every requirement (default: those that did not pass)')
    .addHelpText('after', afterwords())
    .exitOverride()
    .configureOutput({
      outputError: (text, write) => write(usageError(text, '--help lists all options')),
    });
  refuseTwice(command);
  return command;
}

function afterwords(): string {
  const width = Math.max(...Object.keys(variables).map((name) => name.length)) + 2;
  const lines = Object.entries(variables).map(([name, meaning]) => `  ${name.padEnd(width)}${meaning}`);
  return `
The command gets in its environment:
${lines.join('\n')}
It ends with exit code 0 only if it has the completion and a receipt that it believes. The gateways run on loopback, and
settle on a devnet of their own.

Exit codes: 0 conformant (warnings allowed), 1 a MUST failed, 2 the command or the devnet cannot start,
3 a MUST cannot be determined, 4 a fault of the suite, 130 and 143 interrupted.
`;
}

/** Judges until the end or the first signal. A second signal ends the process, and with it the devnet. */
async function interruptible(options: ClientOptions) {
  const interruption = new AbortController();
  let interruptedBy: number | undefined;
  const stops = (['SIGINT', 'SIGTERM'] as const).map((name) => {
    const stop = () => {
      interruptedBy = interruptedExitCodes[name];
      interruption.abort();
    };
    process.once(name, stop);
    return () => process.off(name, stop);
  });
  try {
    const judged = await judgeClient({ ...options, signal: interruption.signal });
    return { judged, interruptedBy };
  } finally {
    for (const stop of stops) stop();
  }
}

const showProgress: NonNullable<ClientOptions['onScenario']> = ({ id }, done, total) => {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${done + 1}/${total} ${id}`);
  if (process.stderr.isTTY && done + 1 === total) process.stderr.write('\r\x1b[K');
};

function readSeconds(text: string): number | undefined {
  const seconds = /^\d{1,4}$/.test(text) ? Number.parseInt(text, 10) : 0;
  return seconds >= 1 && seconds <= secondsMax ? seconds : undefined;
}
