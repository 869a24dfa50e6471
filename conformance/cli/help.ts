import { burstBounds } from '../checks/errors/limits.ts';
import { profilesOfAll, requestsMaxByProfile } from '../engine/scope.ts';
import { keyVariable } from '../payment/key.ts';
import { paymentsMaxDefault } from '../payment/spending.ts';
import { devnetCaps, devnetKeyFile } from './devnet.ts';
import { smallestUnit } from './unit.ts';

/** In the token's smallest unit. The total beside it lets every payment of a run be made. */
export const perRequestExample = 100_000;

/** What the list of options does not say. */
export function afterwords(commandName: string): string {
  const requests = profilesOfAll.map((name) => `${name} ${requestsMaxByProfile[name]}`).join(', ');
  return `
Examples:
  ${commandName} https://gateway.example
  ${commandName} https://gateway.example --profile free,signed --report report.html --report junit.xml
  ${commandName} https://gateway.example --profile all --key-file payer.key \\
      --max-per-request ${perRequestExample} --max-total ${perRequestExample * paymentsMaxDefault} --dry-run
  ${commandName} https://gateway.example --filter offer. --json
In this repository: npm run conformance -- <the same>.

Profiles: free needs nothing; signed makes a key that owns nothing; paid spends up to the caps from the key you give.
limits sends up to ${burstBounds.requestsMax} free requests until one is answered 429, and is never part of all.
Requests at most: ${requests}, and one for the list of models. What --filter leaves out is not sent; the reports show it as disabled.

Cost: free and signed cost nothing. paid signs at most ${paymentsMaxDefault} payments unless --max-payments says otherwise, and never more
than the caps: what is signed counts as spent, whatever becomes of it. --dry-run says the worst case and sends nothing.
Amounts count the ${smallestUnit}, not tokens: with 6 decimals, 1000000 of them are one token.
Without --profile, --key-file and the other options of paid select free, signed and paid; paid needs both caps.
A key is read from --key-file or ${keyVariable} and is never an argument. Key and signatures are replaced in every report.
An embedded gateway on this machine (${devnetKeyFile} is there, no key and no profile given) is judged on all three,
with at most ${devnetCaps.perRequestUnits} of the ${smallestUnit} per request and ${devnetCaps.totalUnits} in all.

Files of --report: .json (all there is, with every exchange; its schema is report.schema.json of this package), .xml (JUnit:
a suite per section, a case per requirement), .html (one page with transcript and curl lines, nothing to load), .md (summary),
badge.json (endpoint badge of shields.io).

Exit codes:
  0  conformant in scope (warnings allowed), or failures only that were expected
  1  a MUST failed; with --strict a warning too; or an entry of --expected-failures that passes by now
  2  nothing was judged: usage, configuration, a target that gives no response or is no gateway
  3  incomplete: nothing failed, but a MUST in scope could not be exercised, for instance since --deadline-seconds were
     over (0 with --allow-incomplete, if at least one MUST was verified)
  4  fault of the suite, or a report that could not be written
  130 and 143 interrupted. Whatever the end, the total of what was signed is printed, and stands in the journal.
`;
}
