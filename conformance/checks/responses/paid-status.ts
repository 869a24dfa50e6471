import { chainId } from '@paid-inference/contract/constants';
import type { Context } from '../../context/context.ts';
import type { PaidEndpoint } from '../../sources/bodies.ts';
import { hasStatus, written } from '../../sources/judgements.ts';
import { offer } from '../../sources/sources.ts';
import { broken, type Judgement } from '../../types/verdict.ts';
import type { Answered } from '../../wire/exchange.ts';

/** A clock that is further off than this is worth a word. A `Date` has whole seconds. */
const clockSecondsMax = 3;

/**
 * A good payment is answered 200 (contract 3). Where it is refused, the answer says seldom why, and two causes lie outside of
 * what was sent: an offer that names another domain than the token's, and a clock that is wrong.
 */
export async function judgePaidStatus(
  context: Context,
  endpoint: PaidEndpoint,
  answered: Answered,
): Promise<Judgement> {
  const verdict = hasStatus(answered, 200);
  if (verdict.kind !== 'broken') return verdict;
  const hints = [await domainHint(context, endpoint, answered), clockHint(answered)];
  return broken(verdict.expected, [verdict.actual, ...hints].filter((words) => words !== '').join('; '));
}

/** Where the answer is 401, payer and deployment have hashed something else. */
async function domainHint(context: Context, endpoint: PaidEndpoint, { outcome }: Answered): Promise<string> {
  if (outcome.status !== 401) return '';
  const offered = await offer(context, endpoint);
  if (!offered.ok) return '';
  const { domainName, domainVersion, asset } = offered.value;
  return (
    `what the offer named was signed for: extra.name ${written(domainName)}, extra.version ${written(domainVersion)}, ` +
    `asset ${asset}, chain ${chainId}: are they the token's EIP-712 domain?`
  );
}

/** Windows are judged by the deployment's clock, which its answers tell. */
function clockHint({ outcome, endedAtMs }: Answered): string {
  const seconds = Math.round((Date.parse(outcome.headers.get('date') ?? '') - endedAtMs) / 1000);
  if (Number.isNaN(seconds) || Math.abs(seconds) <= clockSecondsMax) return '';
  return `its clock is ${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead of'} ours`;
}
