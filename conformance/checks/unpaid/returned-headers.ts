import { headerNames } from '@paid-inference/contract/constants';
import { type Check, check } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { type PaidEndpoint, paidEndpointNames } from '../../sources/bodies.ts';
import { isString } from '../../sources/judgements.ts';
import { servedAt } from '../../sources/paid-source.ts';
import { paymentRequired } from '../../sources/sources.ts';
import { given } from '../../types/found.ts';
import { holds, type Judgement } from '../../types/verdict.ts';
import type { Answered } from '../../wire/exchange.ts';
import { readReceipt } from '../responses/receipt.ts';
import type { Extras } from './additions.ts';
import { judgeExtras } from './instead-of-payment.ts';

/** Checks that the headers of a paid response do not pay for another request (§3, §5, D-213, D-418). */
export const returnedHeaderChecks: readonly Check[] = paidEndpointNames.flatMap((endpoint) => [
  check(
    'sequence.paid-then-unpaid',
    `A request with headers of a paid response and without a payment is not served (${endpoint})`,
    (context) =>
      given(servedAt(context, endpoint), ({ answered }) =>
        judgeReturned(context, endpoint, listReturned(answered)),
      ),
  ),
  check(
    'sequence.paid-then-unpaid',
    `A request with the receipt of an earlier payment in X-PAYMENT is not served (${endpoint})`,
    (context) =>
      given(servedAt(context, endpoint), ({ answered }) =>
        judgeReturned(context, endpoint, listProofs(answered)),
      ),
  ),
]);

/** Checks that the headers of a 402 do not pay for the next request (§5, D-418). */
export const returnedAtOnceChecks: readonly Check[] = paidEndpointNames.map((endpoint) =>
  check(
    'unpaid.never-200',
    `A request with headers of an unpaid response is not served without payment (${endpoint})`,
    (context) =>
      given(paymentRequired(context, endpoint), (asked) =>
        judgeReturned(context, endpoint, listReturned(asked)),
      ),
  ),
);

async function judgeReturned(context: Context, endpoint: PaidEndpoint, extras: Extras): Promise<Judgement> {
  const names = Object.keys(extras).join(', ');
  if (names === '') return holds('the response has no header to return');
  return judgeExtras(context, endpoint, extras, names);
}

/** Headers with a meaning of their own in a request. */
const notReturned: ReadonlySet<string> = new Set(
  [
    headerNames.payment,
    headerNames.paymentRequired,
    headerNames.paymentResponse,
    headerNames.settlementType,
  ].map((name) => name.toLowerCase()),
);

/** The receipt, the cookies and the undefined `X-` headers of a response. They may name a session. */
function listReturned({ outcome: { headers } }: Answered): Extras {
  const receipt = headers.get(headerNames.paymentResponse.toLowerCase());
  // Several cookies are joined with a comma, which a date may contain too.
  const cookies = headers.get('set-cookie')?.split(/,(?=\s*[^\s;,=]+=)/) ?? [];
  const cookie = cookies.map((each) => each.split(';')[0]?.trim()).join('; ');
  const others = [...headers].filter(([name]) => name.startsWith('x-') && !notReturned.has(name));
  return {
    ...(receipt !== undefined && { 'a receipt': { headers: { [headerNames.paymentResponse]: receipt } } }),
    ...(cookie !== '' && { 'its cookies': { headers: { Cookie: cookie } } }),
    ...Object.fromEntries(others.map(([name, value]) => [name, { headers: { [name]: value } }])),
  };
}

/** The receipt of a paid response and its transaction hash, each as the content of `X-PAYMENT`. */
function listProofs(answered: Answered): Extras {
  const header = answered.outcome.headers.get(headerNames.paymentResponse.toLowerCase());
  const receipt = readReceipt({ answered });
  const hash = receipt.ok ? receipt.value['txHash'] : undefined;
  return {
    ...(header !== undefined && { 'an earlier receipt': { headers: { [headerNames.payment]: header } } }),
    // Another text may have characters that no header can have. The receipt fails for it.
    ...(isString(hash) &&
      /^0x[0-9a-f]{64}$/i.test(hash) && {
        'an earlier transaction hash': { headers: { [headerNames.payment]: hash } },
      }),
  };
}
