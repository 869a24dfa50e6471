import { type Check, observation } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { chatBody, validRequest } from '../../sources/bodies.ts';
import { describe } from '../../sources/judgements.ts';
import { type Found, found, given, missing } from '../../types/found.ts';
import { seen } from '../../types/verdict.ts';
import type { Answered } from '../../wire/exchange.ts';
import { asOneLine } from '../../wire/one-line.ts';
import type { BurstBounds } from '../../wire/session.ts';
import { envelopeChecks } from './envelope.ts';
import { rateLimited } from './rate-limited.ts';

/**
 * Bounds of the burst of free requests, sent one at a time: more than the reference gateway accepts in a minute
 * (D-32).
 */
export const burstBounds: BurstBounds = { requestsMax: 1_500, secondsMax: 60 };
/** Larger than the reference gateway accepts (D-14). */
const oversizedBytes = 2 * 1024 * 1024;

/**
 * Checks that need the owner's permission (§7, §8). The burst is last, because the target may refuse all later
 * requests.
 */
export const limitsChecks: readonly Check[] = [
  observation('error.oversized', 'Response to a body of two megabytes', (context) =>
    given(context.send(oversized(context)), (answered) => seen(describe(answered))),
  ),
  ...envelopeChecks(
    { envelope: 'error.429.envelope', type: 'error.429.type', code: 'error.429.code' },
    'the 429',
    rateLimited,
    refused,
  ),
  observation('rate-limit.headers', 'Headers of the 429 about the rate limit', async (context) => {
    const last = await refused(context);
    if (!last.ok) return last.verdict;
    const reported = [...last.value.outcome.headers].filter(
      ([name]) => name === 'retry-after' || /rate-?limit/.test(name),
    );
    const names = reported.map(([name]) => asOneLine(name)).sort();
    const burst = await context.once(provoke);
    const count = burst.ok ? `request ${burst.value.requests} of the burst` : 'a request';
    const words = names.length === 0 ? 'no headers about the limit' : names.join(', ');
    return seen(`${words}; ${count} got the 429`);
  }),
];

/**
 * The first 429 of the burst. No 429 within the bounds is inconclusive, because the contract defines no
 * threshold (§8).
 */
async function refused(context: Context): Promise<Found<Answered>> {
  const burst = await context.once(provoke);
  if (!burst.ok) return burst;
  const { answered, requests } = burst.value;
  if (answered.outcome.status === 429) return found(answered);
  return missing(`${requests} unpaid requests got no 429; the last got ${describe(answered)}`);
}

function provoke(context: Context) {
  return context.burst(validRequest('chat', chatBody(context.model)), burstBounds);
}

function oversized({ model }: Context) {
  const content = 'x'.repeat(oversizedBytes);
  return validRequest('chat', { ...chatBody(model), messages: [{ role: 'user', content }] });
}
