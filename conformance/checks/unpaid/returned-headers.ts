import { headerNames } from '@paid-inference/contract/constants';
import { type Check, check } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { type PaidEndpoint, paidEndpointNames } from '../../sources/bodies.ts';
import { isString, jsonBody } from '../../sources/judgements.ts';
import { type Paid, servedAt } from '../../sources/paid-source.ts';
import { paymentRequired } from '../../sources/sources.ts';
import { given } from '../../types/found.ts';
import { holds, type Judgement } from '../../types/verdict.ts';
import type { Answered } from '../../wire/exchange.ts';
import { readReceipt } from '../responses/receipt.ts';
import type { Extra, Extras } from './additions.ts';
import { judgeExtras } from './instead-of-payment.ts';

/** Parts of a sale that are no payment, but that some gateways take for one (D-437). */
const proofs: Readonly<Record<string, (paid: Paid) => unknown>> = {
  'the transaction hash': readHash,
  'the receipt': ({ answered }) => readReceiptHeader(answered),
  'the completion id': ({ answered }) => {
    const body = jsonBody(answered);
    return body.ok ? body.value['id'] : undefined;
  },
  'the nonce': ({ payment }) => payment.authorization.nonce,
  'the address of the payer': ({ payment }) => payment.authorization.from,
};

/** Both endpoints should read proofs alike, so one proof suffices for texts. */
const proofsAt: Readonly<Record<PaidEndpoint, readonly string[]>> = {
  chat: Object.keys(proofs),
  completions: ['the transaction hash'],
};

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
    `A request with the receipt of an earlier payment in a header for payments is not served (${endpoint})`,
    (context) =>
      given(servedAt(context, endpoint), (paid) => judgeReturned(context, endpoint, listProofs(paid))),
  ),
  ...proofsAt[endpoint].map((words) =>
    check(
      'sequence.paid-then-unpaid',
      `A request with ${words} of an earlier payment in other places is not served (${endpoint})`,
      (context) =>
        given(servedAt(context, endpoint), (paid) =>
          judgeReturned(context, endpoint, listPlaces(proofs[words]?.(paid))),
        ),
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
  if (names === '') return holds('the response has nothing to return');
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
function listReturned(answered: Answered): Extras {
  const { headers } = answered.outcome;
  const receipt = readReceiptHeader(answered);
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

/** The receipt of a paid response and its transaction hash, each as the content of a header for payments. */
function listProofs(paid: Paid): Extras {
  const header = readReceiptHeader(paid.answered);
  const hash = readHash(paid);
  return Object.fromEntries(
    [headerNames.payment, headerNames.paymentSignature].flatMap((name): readonly [string, Extra][] => [
      ...(header === undefined ? [] : [nameExtra(`an earlier receipt in ${name}`, { [name]: header })]),
      ...(hash === undefined ? [] : [nameExtra(`an earlier transaction hash in ${name}`, { [name]: hash })]),
    ]),
  );
}

function nameExtra(words: string, headers: Readonly<Record<string, string>>): [string, Extra] {
  return [words, { headers }];
}

/** Names of headers, parameters and members in which a client may show a proof. */
const places = {
  headers: [
    'X-Transaction-Hash',
    'X-Tx-Hash',
    'X-Payment-Tx',
    'X-Payment-Id',
    'X-Payment-Proof',
    'X-Receipt',
    'X-Payer',
    'X-Wallet-Address',
    'X-User-Address',
  ],
  // Few, because a gateway may limit the length of a query.
  query: ['tx', 'txHash', 'transaction', 'token'],
  members: [
    'tx',
    'txHash',
    'tx_hash',
    'transaction',
    'transactionHash',
    'receipt',
    'payment',
    'payer',
    'token',
  ],
} as const;

/** A proof in all places but the headers for payments. */
function listPlaces(proof: unknown): Extras {
  // Another text may have characters that no header can have.
  if (!isString(proof) || !/^[\x21-\x7e]{1,4000}$/.test(proof)) return {};
  const under = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, proof]));
  return {
    'a proof as a bearer token': { headers: { Authorization: `Bearer ${proof}` } },
    'a proof in further headers': { headers: under(places.headers) },
    'a proof in the query': { query: new URLSearchParams(under(places.query)).toString() },
    'a proof in the body': { members: under(places.members) },
  };
}

function readReceiptHeader({ outcome }: Answered): string | undefined {
  return outcome.headers.get(headerNames.paymentResponse.toLowerCase());
}

/** The transaction hash of a receipt. Another text may have characters that no header can have; the receipt fails for it. */
function readHash({ answered }: Paid): string | undefined {
  const receipt = readReceipt({ answered });
  const hash = receipt.ok ? receipt.value['txHash'] : undefined;
  return isString(hash) && /^0x[0-9a-f]{64}$/i.test(hash) ? hash : undefined;
}
