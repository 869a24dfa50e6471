import { headerNames } from '@paid-inference/contract/constants';
import { check } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { type PaidEndpoint, paidEndpointNames, paidEndpoints } from '../../sources/bodies.ts';
import { describe, judgeTransient } from '../../sources/judgements.ts';
import { servedAt } from '../../sources/paid-source.ts';
import { identifyRequest, isReported } from '../../sources/transcript-queries.ts';
import { broken, holds, type Judgement, type Unknown } from '../../types/verdict.ts';
import { type Served, servedResponses } from '../responses/served.ts';
import { isServed } from '../unpaid/served-unpaid.ts';

/** A header by which a client names a request that it may send again. The contract does not define it. */
export const idempotencyKey = 'Idempotency-Key';

/** Headers of a request by which a gateway may choose a stored response. */
const kept = [headerNames.settlementType, idempotencyKey];

/** Checks that no request that was paid for is served again without payment (§1, §3). */
export const servedAgainChecks = paidEndpointNames.map((endpoint) =>
  check(
    'sequence.paid-then-unpaid',
    `No request that was served is served again without payment (${endpoint})`,
    (context) => judgeAgain(context, endpoint),
  ),
);

/** Sends each request once more. Only a success fails, because other checks judge unpaid requests. */
async function judgeAgain(context: Context, endpoint: PaidEndpoint): Promise<Judgement> {
  const paid = await servedAt(context, endpoint);
  if (!paid.ok) return paid.verdict;
  const all = servedResponses(context).filter(
    // Other checks judge served requests that are invalid.
    ({ endpoint: at, request }) => at === endpoint && !request.isProvenInvalid && !request.isOnlyObserved,
  );
  const requests = new Map(all.map((one) => [identifyRequest(one), one]));
  let open: Unknown | undefined;
  for (const one of requests.values()) {
    const again = await sendUnpaid(context, one);
    if (!again.ok) return again.verdict;
    if (isServed(context, again.value)) {
      const actual = `${describe(again.value)} for the request ${one.number} without its payment`;
      return broken('no success without payment', actual);
    }
    open ??= judgeTransient(again.value);
  }
  return open ?? holds(`${requests.size} requests`);
}

function sendUnpaid(context: Context, { endpoint, request }: Served) {
  const headers = kept.flatMap((name) => {
    const value = request.headers[name] ?? request.headers[name.toLowerCase()];
    return value === undefined ? [] : [[name, value] as const];
  });
  return context.send({
    path: paidEndpoints[endpoint].path,
    text: request.body ?? '',
    headers: Object.fromEntries(headers),
    // The connection of a payment is no session. D-150 judges reused connections by themselves.
    ...(!isReported(context, 'conditions.unpaid') && { isOnKeptConnection: true }),
  });
}
