import { type Check, observation } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { chatBody, validRequest } from '../../sources/bodies.ts';
import { describe } from '../../sources/judgements.ts';
import { andThen, type Found, found, given, missing } from '../../types/found.ts';
import { seen } from '../../types/verdict.ts';
import type { Answered } from '../../wire/exchange.ts';
import { asOneLine } from '../../wire/one-line.ts';
import type { BurstBounds } from '../../wire/session.ts';
import { envelopeChecks } from './envelope.ts';
import { rateLimited } from './rate-limited.ts';

/** Free requests, one after the other; more than a reference gateway takes in a minute (D-32), and not for longer. */
export const burstBounds: BurstBounds = { requestsMax: 1_500, secondsMax: 60 };
/** Above what a reference gateway takes (D-14). */
const oversizedBytes = 2 * 1024 * 1024;

/** What only the owner of a target may provoke (contract 7, 8). The burst comes last: whatever is asked after it may be refused. */
export const limitsChecks: readonly Check[] = [
  observation('error.oversized', 'What a body of two megabytes brings', (context) =>
    given(context.send(oversized(context)), (answered) => seen(describe(answered))),
  ),
  ...envelopeChecks(
    { envelope: 'error.429.envelope', type: 'error.429.type', code: 'error.429.code' },
    'the 429',
    rateLimited,
    refused,
  ),
  observation('rate-limit.headers', 'Which headers come with the 429', (context) =>
    given(refused(context), async ({ outcome }) => {
      const reported = [...outcome.headers].filter(
        ([name]) => name === 'retry-after' || /rate-?limit/.test(name),
      );
      const names = reported.map(([name]) => asOneLine(name)).sort();
      const burst = await context.once(provoke);
      const count = burst.ok ? `request ${burst.value.requests} of the burst` : 'a request';
      return seen(`${names.length === 0 ? 'none about the limit' : names.join(', ')}; it came to ${count}`);
    }),
  ),
];

/** The first 429 to unpaid requests. That none comes within the bounds says nothing: no threshold is shown (contract 8). */
function refused(context: Context): Promise<Found<Answered>> {
  return andThen(context.once(provoke), ({ answered, requests }) =>
    answered.outcome.status === 429
      ? found(answered)
      : missing(`${requests} unpaid requests brought no 429; the last was answered ${describe(answered)}`),
  );
}

function provoke(context: Context) {
  return context.burst(validRequest('chat', chatBody(context.model)), burstBounds);
}

function oversized({ model }: Context) {
  const content = 'x'.repeat(oversizedBytes);
  return validRequest('chat', { ...chatBody(model), messages: [{ role: 'user', content }] });
}
