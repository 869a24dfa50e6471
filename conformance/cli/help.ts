import { burstBounds } from '../checks/errors/limits.ts';
import { profilesOfAll, requestsMaxByProfile } from '../engine/scope.ts';
import { keyVariable } from '../payment/key.ts';
import { paymentsMaxDefault } from '../payment/spending.ts';
import { devnetCaps, devnetKeyFile } from './devnet.ts';
import { smallestUnit } from './unit.ts';

/** In the token's smallest unit. The total in the same example suffices for every payment of a run. */
export const perRequestExample = 100_000;

/** The text below the list of options. */
export function afterwords(commandName: string): string {
  const requests = profilesOfAll.map((name) => `${name} ${requestsMaxByProfile[name]}`).join(', ');
  return `
Examples:
  ${commandName} https://gateway.example
  ${commandName} https://gateway.example --profile free,signed --report report.html --report junit.xml
  ${commandName} https://gateway.example --profile all --key-file payer.key \\
      --max-per-request ${perRequestExample} --max-total ${perRequestExample * paymentsMaxDefault} --dry-run
  ${commandName} https://gateway.example --filter offer. --json
  ${commandName} client -- <command>    # judges a paying client; client --help describes it
In this repository: npm run conformance -- <the same arguments>.

Profiles: free needs nothing; signed makes a key without funds; paid spends from the key that you give, up to the caps.
limits sends up to ${burstBounds.requestsMax} unpaid requests until one gets 429; all does not include limits.
Requests at most: ${requests}, and one for the list of models. With --filter the suite sends fewer,
and the reports show the other checks as disabled.

Cost: free and signed cost nothing. paid signs at most ${paymentsMaxDefault} payments (change with --max-payments),
within the caps. Every signed payment counts as spent, even if it never settles. --dry-run prints the worst case and sends nothing.
Amounts are in the ${smallestUnit}: of a token with 6 decimals, 1000000 units are one token.
If --profile is missing, --key-file or another option of paid selects free, signed and paid. paid needs both caps.
The key comes from --key-file or ${keyVariable}, never from an argument. Reports contain neither the key nor signatures.
Without key and profile, the suite tests a devnet gateway on this machine (${devnetKeyFile} exists) with all three
profiles, and spends at most ${devnetCaps.perRequestUnits} of the ${smallestUnit} per request and ${devnetCaps.totalUnits} in all.

Files of --report: .json (all results and every exchange; the schema is report.schema.json of this package), .xml (JUnit:
a suite per section, a case per requirement), .html (one self-contained page with transcript and curl lines), .md (summary),
badge.json (endpoint badge of shields.io).

Exit codes:
  0  conformant in scope (warnings allowed), or only expected failures
  1  a MUST failed, or with --strict a SHOULD, or an entry of --expected-failures passes now
  2  nothing was tested: wrong usage or configuration, or the target does not respond or is no gateway
  3  incomplete: nothing failed, but a MUST in scope could not be exercised, for example because --deadline-seconds
     ended the run (0 with --allow-incomplete, if at least one MUST was verified)
  4  a fault of the suite, or a report could not be written
  130 and 143: interrupted. The suite always prints the total of signed payments. The journal has each payment.
`;
}
