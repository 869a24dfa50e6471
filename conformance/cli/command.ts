import { Command, Option } from 'commander';
import { notYetCovered } from '../checks/all.ts';
import { timeoutMsDefault } from '../engine/judge.ts';
import { suite } from '../engine/suite.ts';
import { keyVariable } from '../payment/key.ts';
import { devnetCaps, devnetKeyFile } from './devnet.ts';

/** The command line as it was typed. */
export type Typed = {
  readonly profile?: string;
  readonly model?: string;
  readonly keyFile?: string;
  readonly maxTotal?: string;
  readonly maxPerRequest?: string;
  readonly json?: true;
  readonly report?: string;
  readonly filter?: string;
  readonly dryRun?: true;
  readonly timeoutMs: string;
};

/** What every amount here counts: of most tokens, a millionth. */
export const smallestUnit = "token's smallest unit";

export function createCommand(): Command {
  return new Command('conformance')
    .description('Judges any deployment of the paid inference contract, from outside.')
    .version(suite.version)
    .argument('<url>', 'base URL of the deployment')
    .option(
      '--profile <names>',
      'free, signed, paid, limits, several with commas, or all of the first three (default: free)',
    )
    .option('--model <id>', 'model to ask for (default: the first of GET /v1/models)')
    .option('--key-file <path>', `funded key, in a file of mode 0600 (or in ${keyVariable})`)
    .option('--max-total <units>', `what may be signed in all, in the ${smallestUnit}; needed for paid`)
    .option(
      '--max-per-request <units>',
      `what may be signed at once, in the ${smallestUnit}; needed for paid`,
    )
    .option(
      '--filter <prefix>',
      'only requirements whose id starts with it; one valid request is sent first in any case',
    )
    .option('--dry-run', 'say what would be asked and what it could cost, and send nothing')
    .option(
      '--json',
      'print the JSON report instead of the tree, and nothing else (`npm run -s`: without -s npm adds lines)',
    )
    .option('--report <file>', 'write the JSON report to a file')
    .addOption(
      new Option('--timeout-ms <ms>', 'deadline of one request').default(
        `${timeoutMsDefault}`,
        `${timeoutMsDefault}`,
      ),
    )
    .addHelpText('after', afterwords)
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(text) });
}

const afterwords = `
Profiles: free needs nothing; signed makes a key that owns nothing; paid spends up to the caps from the key you give.
limits is not covered yet: none of its ${notYetCovered.length} requirements has a check, so a run with it is incomplete at best.
Amounts count the ${smallestUnit}, not tokens: with 6 decimals, 1000000 of them are one token.
An embedded gateway on this machine (${devnetKeyFile} is there, no key and no profile given) is judged on all three,
with at most ${devnetCaps.perRequestUnits} of the ${smallestUnit} per request and ${devnetCaps.totalUnits} in all.

Exit codes: 0 conformant in scope (warnings allowed), 1 a MUST failed, 2 usage or configuration,
3 incomplete (nothing failed, but a MUST in scope could not be exercised), 4 fault of the suite.
`;
