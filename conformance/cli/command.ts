import { Command, Option } from 'commander';
import { deadlineSecondsDefault, fuzzSeedDefault, rateDefault, timeoutMsDefault } from '../engine/judge.ts';
import { suite } from '../engine/suite.ts';
import { journalFileDefault } from '../payment/journal.ts';
import { keyVariable } from '../payment/key.ts';
import { paymentsMaxDefault } from '../payment/spending.ts';
import { endingsSaid } from '../report/formats.ts';
import { withoutKeys } from '../report/visible.ts';
import { afterwords } from './help.ts';
import { refuseTwice } from './refuse-twice.ts';
import { stepSummaryVariable } from './report-files.ts';
import { smallestUnit } from './unit.ts';

export const commandName = 'paid-inference-conformance';

export function createCommand(): Command {
  const command = new Command(commandName)
    .description('Tests a deployment of the paid inference contract over HTTP.')
    .version(suite.version)
    .argument('[url]', 'base URL of the deployment')
    .option(
      '--profile <names>',
      'profiles: free, signed, paid, limits, or all (free,signed,paid); separate with commas, or repeat (default: free)',
      (names: string, earlier?: string) => (earlier === undefined ? names : `${earlier},${names}`),
    )
    .option(
      '--model <id>',
      'model that the requests name (default: the first of GET /v1/models that the target accepts)',
    );
  addPaymentOptions(command);
  addTargetOptions(command);
  addReportOptions(command);
  command
    .option(
      '--deadline-seconds <seconds>',
      `deadline of the whole run; checks that have not ended by then are inconclusive (default: ${deadlineSecondsDefault})`,
    )
    .addOption(
      new Option('--timeout-ms <ms>', 'timeout of one request').default(
        `${timeoutMsDefault}`,
        `${timeoutMsDefault}`,
      ),
    )
    .addHelpText('after', afterwords(commandName))
    .exitOverride()
    .configureOutput({
      outputError: (text, write) => write(usageError(text, adviceFor(text))),
    });
  refuseTwice(command);
  return command;
}

/** The line for an error of commander, without keys. */
export function usageError(text: string, advice: string): string {
  const words = withoutKeys(text.trim().replace(/^error: /, ''));
  return `conformance: ${words} (${advice})\n`;
}

function addPaymentOptions(command: Command): void {
  command
    .option('--key-file <path>', `file of mode 0600 with the funded private key (or set ${keyVariable})`)
    .option(
      '--max-total <units>',
      `cap on all signed payments together, in the ${smallestUnit}; required for paid`,
    )
    .option(
      '--max-per-request <units>',
      `cap on each signed payment, in the ${smallestUnit}; required for paid`,
    )
    .option('--max-payments <count>', `cap on the number of signed payments (default: ${paymentsMaxDefault})`)
    .option(
      '--pay-to <address>',
      'sign payments to this recipient only; may be repeated (default: the recipient of the first offer)',
      (address: string, addresses: readonly string[] = []) => [...addresses, address],
    )
    .option('--asset <address>', 'sign payments in this token only (default: the token of the first offer)')
    .option(
      '--journal <file>',
      `file that records each payment before it is signed (default: ${journalFileDefault})`,
    );
}

/** Options that say how to send requests to the target and to nodes, and which requirements to test. */
function addTargetOptions(command: Command): void {
  command
    .option(
      '--rate <count>',
      `highest number of requests per second (default: ${rateDefault}; no limit for a target on this machine)`,
    )
    .option(
      '--i-own-this-target',
      'confirms that you may exhaust the rate limit of the target; required for limits',
    )
    .option(
      '--chain-rpc <url>',
      'RPC endpoint of the test network, to check payments on the chain (with paid)',
    )
    .option(
      '--ledger-rpc <url>',
      "RPC endpoint of the proof ledger's chain, to check recorded proofs (with paid)",
    )
    .option('--seed <number>', `seed of the random bodies of robustness (default: ${fuzzSeedDefault})`)
    .option('--path <path>', 'send one random body only: the path that a report names next to the seed')
    .option(
      '--filter <prefix>',
      'test only requirements whose id starts with this prefix (once only); the suite still sends one valid request first',
    )
    .option(
      '--dry-run',
      'print the planned checks and the highest possible cost; send nothing, and write no report',
    );
}

function addReportOptions(command: Command): void {
  command
    .option('--verbose', 'print every check by section (default: counts, and the checks that did not pass)')
    .option(
      '--json',
      'print only the JSON report (with npm, use `npm run -s`, because npm prints lines of its own)',
    )
    .option(
      '--report <file>',
      `write a report; the file name selects the format: ${endingsSaid}; may be repeated`,
      (path: string, paths: readonly string[] = []) => [...paths, path],
    )
    .option('--step-summary', `append the Markdown summary to the file named by ${stepSummaryVariable}`)
    .option(
      '--expected-failures <file>',
      'YAML list of id, reason and issue: a listed requirement may fail; remove it from the list when it passes',
    )
    .option('--strict', 'count warnings as failures: exit with 1 if a SHOULD is not met')
    .option('--allow-incomplete', 'exit with 0 instead of 3 when some requirements could not be exercised')
    .option('--implementation-name <name>', 'name of the deployment, for the reports')
    .option('--implementation-version <version>', 'version of the deployment, for the reports')
    .option('--implementation-url <url>', 'page about the deployment, for the reports');
}

/**
 * npm takes the options of a script for itself unless `--` stands before them. Their values then arrive as
 * extra arguments.
 */
function adviceFor(fault: string): string {
  return fault.includes('too many arguments')
    ? 'with npm, write -- before the URL: npm run conformance -- <url> …'
    : '--help lists all options';
}
