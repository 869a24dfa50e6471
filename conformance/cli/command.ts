import { Command, Option } from 'commander';
import { deadlineSecondsDefault, fuzzSeedDefault, rateDefault, timeoutMsDefault } from '../engine/judge.ts';
import { suite } from '../engine/suite.ts';
import { journalFileDefault } from '../payment/journal.ts';
import { keyVariable } from '../payment/key.ts';
import { paymentsMaxDefault } from '../payment/spending.ts';
import { endingsSaid } from '../report/formats.ts';
import { afterwords } from './help.ts';
import { stepSummaryVariable } from './report-files.ts';
import { smallestUnit } from './unit.ts';

export const commandName = 'paid-inference-conformance';

export function createCommand(): Command {
  const command = new Command(commandName)
    .description('Judges any deployment of the paid inference contract, from outside.')
    .version(suite.version)
    .argument('[url]', 'base URL of the deployment')
    .option(
      '--profile <names>',
      'free, signed, paid, limits, several with commas, or all of the first three (default: free); repeated, they add up',
      (names: string, earlier?: string) => (earlier === undefined ? names : `${earlier},${names}`),
    )
    .option('--model <id>', 'model to ask for (default: the first of GET /v1/models)');
  addPaymentOptions(command);
  addTargetOptions(command);
  addReportOptions(command);
  return command
    .option(
      '--deadline-seconds <seconds>',
      `deadline of the whole run; what it cuts off is inconclusive (default: ${deadlineSecondsDefault})`,
    )
    .addOption(
      new Option('--timeout-ms <ms>', 'deadline of one request').default(
        `${timeoutMsDefault}`,
        `${timeoutMsDefault}`,
      ),
    )
    .addHelpText('after', afterwords(commandName))
    .exitOverride()
    .configureOutput({
      outputError: (text, write) =>
        write(`conformance: ${text.trimEnd().replace(/^error: /, '')} (${adviceFor(text)})\n`),
    });
}

function addPaymentOptions(command: Command): void {
  command
    .option('--key-file <path>', `funded key, in a file of mode 0600 (or in ${keyVariable})`)
    .option('--max-total <units>', `what may be signed in all, in the ${smallestUnit}; needed for paid`)
    .option(
      '--max-per-request <units>',
      `what may be signed at once, in the ${smallestUnit}; needed for paid`,
    )
    .option('--max-payments <count>', `how many payments may be signed (default: ${paymentsMaxDefault})`)
    .option('--pay-to <address>', 'the only recipient to sign for (default: that of the first offer)')
    .option('--asset <address>', 'the only token to sign for (default: that of the first offer)')
    .option(
      '--journal <file>',
      `where every signed value is written down before it is signed (default: ${journalFileDefault})`,
    );
}

/** How the target and its nodes are asked, and for how much of the contract. */
function addTargetOptions(command: Command): void {
  command
    .option(
      '--rate <count>',
      `requests a second at most (default: ${rateDefault}, and no limit for a target on this machine)`,
    )
    .option('--i-own-this-target', 'what the profile limits needs: its rate limit may be provoked')
    .option('--chain-rpc <url>', 'node of the test network: shows what became of payments (with paid)')
    .option('--ledger-rpc <url>', 'node of the ledger network: shows what became of proofs (with paid)')
    .option('--seed <number>', `seed of the random bodies (default: ${fuzzSeedDefault})`)
    .option('--path <path>', 'one random body, as a report names it beside the seed')
    .option(
      '--filter <prefix>',
      'only requirements whose id starts with it, given once; one valid request is sent first in any case',
      (prefix: string, prefixes: readonly string[] = []) => [...prefixes, prefix],
    )
    .option('--dry-run', 'say what would be asked and what it could cost, and send nothing');
}

function addReportOptions(command: Command): void {
  command
    .option('--verbose', 'print every check, by section; without it what did not pass, and counts')
    .option(
      '--json',
      'print the JSON report instead of the text, and nothing else (`npm run -s`: without -s npm adds lines)',
    )
    .option(
      '--report <file>',
      `write a report, by the ending of its name: ${endingsSaid}; may be given several times`,
      (path: string, paths: readonly string[] = []) => [...paths, path],
    )
    .option('--step-summary', `append the markdown summary to the file that ${stepSummaryVariable} names`)
    .option(
      '--expected-failures <file>',
      'YAML list of id, reason and issue: what is listed may fail, and must be taken off the list once it passes',
    )
    .option('--strict', 'warnings count as failures: a SHOULD that is not met ends with 1')
    .option('--allow-incomplete', 'what could not be exercised is let be: 0 instead of 3')
    .option('--implementation-name <name>', 'what the reports call the deployment')
    .option('--implementation-version <version>', 'its version, for the reports')
    .option('--implementation-url <url>', 'where to read about it, for the reports');
}

/** npm keeps the options of a script for itself unless `--` stands before them: what is left of them are words too many. */
function adviceFor(fault: string): string {
  return fault.includes('too many arguments')
    ? 'with npm, write -- before the URL: npm run conformance -- <url> …'
    : '--help has all options';
}
