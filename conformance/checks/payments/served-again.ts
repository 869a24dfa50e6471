import { headerNames } from '@paid-inference/contract/constants';
import { check } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import {
  chatBody,
  type PaidEndpoint,
  paidEndpointNames,
  paidEndpoints,
  validRequest,
} from '../../sources/bodies.ts';
import { describe, judgeTransient } from '../../sources/judgements.ts';
import { servedAt } from '../../sources/paid-source.ts';
import { freshOffer, pricedOffer, throwawayPayment } from '../../sources/throwaway-source.ts';
import { identifyRequest, isReported } from '../../sources/transcript-queries.ts';
import { broken, holds, type Judgement, notApplicable, type Unknown } from '../../types/verdict.ts';
import { encodeBase64Json } from '../../wire/base64-json.ts';
import { type Served, servedResponses } from '../responses/served.ts';
import { isServed } from '../unpaid/served-unpaid.ts';

/** A header by which a client names a request that it may send again. The contract does not define it. */
export const idempotencyKey = 'Idempotency-Key';

/** Headers of a request by which a gateway may choose a stored response. */
const kept = [headerNames.settlementType, idempotencyKey];

/** Checks that no request that was paid for is served again without payment (§1, §3). */
export const servedAgainChecks = [
  ...paidEndpointNames.map((endpoint) =>
    check(
      'sequence.paid-then-unpaid',
      `No request that was served is served again without payment (${endpoint})`,
      (context) => judgeAgain(context, endpoint),
    ),
  ),
  check(
    'sequence.paid-then-unpaid',
    'The idempotency key of a served request does not pay for another body (chat)',
    judgeKnownKey,
  ),
];

/** Sends a known idempotency key beside contents of `X-PAYMENT` that pay for nothing (D-437). */
async function judgeKnownKey(context: Context): Promise<Judgement> {
  const paid = await servedAt(context, 'chat');
  if (!paid.ok) return paid.verdict;
  const [key] = servedResponses(context).flatMap(
    ({ endpoint, request }) => (endpoint === 'chat' && readHeader(request.headers, idempotencyKey)) || [],
  );
  if (key === undefined) return notApplicable('no request with an idempotency key was served');
  const priced = await pricedOffer(context, 'chat');
  if (!priced.ok) return priced.verdict;
  const body = { ...chatBody(context.model), temperature: 0.25 };
  // A gateway may take a payment only for a request that got an offer (D-450).
  const poor = await throwawayPayment(
    context,
    'chat',
    () => ({}),
    () => freshOffer(context, 'chat', body),
  );
  if (!poor.ok) return poor.verdict;
  let open: Unknown | undefined;
  for (const content of [poor.value.content, encodeBase64Json({})]) {
    const headers = { [idempotencyKey]: key, [headerNames.payment]: content };
    const answered = await context.send({ ...validRequest('chat', body, headers), isRepeatable: true });
    if (!answered.ok) return answered.verdict;
    if (isServed(context, answered.value)) {
      const actual = `${describe(answered.value)} for a known idempotency key with another body`;
      return broken('no success without payment', actual);
    }
    open ??= judgeTransient(answered.value);
  }
  return open ?? holds();
}

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
    const value = readHeader(request.headers, name);
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

/** A header of a request. Its name may be in lower case. */
function readHeader(headers: Readonly<Record<string, string>>, name: string): string | undefined {
  return headers[name] ?? headers[name.toLowerCase()];
}
