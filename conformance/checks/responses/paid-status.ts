import { chainId } from '@paid-inference/contract/constants';
import type { Context } from '../../context/context.ts';
import type { PaidEndpoint } from '../../sources/bodies.ts';
import { hasStatus, written } from '../../sources/judgements.ts';
import { offer } from '../../sources/sources.ts';
import { broken, type Judgement } from '../../types/verdict.ts';
import type { Answered } from '../../wire/exchange.ts';

/** A larger difference between the clocks, in seconds, is mentioned. A `Date` header has whole seconds. */
const clockSecondsMax = 3;

/**
 * Judges the status of a correct payment, which must be 200 (§3). A refusal seldom names its cause, so the
 * finding adds hints about two causes: a wrong token domain in the offer, and a wrong clock.
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

/** A hint for a 401: payer and deployment may have hashed different data. */
async function domainHint(context: Context, endpoint: PaidEndpoint, { outcome }: Answered): Promise<string> {
  if (outcome.status !== 401) return '';
  const offered = await offer(context, endpoint);
  if (!offered.ok) return '';
  const { domainName, domainVersion, asset } = offered.value;
  return (
    `the suite signed for the EIP-712 domain in the offer: extra.name ${written(domainName)}, extra.version ${written(domainVersion)}, ` +
    `asset ${asset}, chain ${chainId}. Check that the token has this domain`
  );
}

/** A hint about the deployment's clock, which its `Date` header shows and which judges payment windows. */
function clockHint({ outcome, endedAtMs }: Answered): string {
  const seconds = Math.round((Date.parse(outcome.headers.get('date') ?? '') - endedAtMs) / 1000);
  if (Number.isNaN(seconds) || Math.abs(seconds) <= clockSecondsMax) return '';
  return `the target's clock is ${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead of'} the clock of the suite`;
}
