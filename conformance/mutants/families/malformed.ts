import { replying } from '../edits.ts';
import type { Asked } from '../message.ts';
import { answers, type Mutant, reads } from '../mutant.ts';
import { endpointOf, isObject, isPaid, parsed, paymentOf } from '../wire-edits.ts';

/** Contents of `X-PAYMENT` that are no payment (contract 2.9, 2.10), each of which is served by a gateway of its own. */
const contents: readonly (readonly [id: string, what: string, isSuch: (asked: Asked) => boolean])[] = [
  ['empty-payment', 'an empty `X-PAYMENT`', (asked) => asked.headers['x-payment'] === ''],
  ['null-payment', 'null as a payment', (asked) => decoded(asked) === null],
  ['null-payload', 'null as `payload`', (asked) => objectOf(asked)?.['payload'] === null],
  [
    'payment-without-authorization',
    'a payment without `authorization`',
    (asked) => hasPayload(asked) && authorizationOf(asked) === undefined,
  ],
  ['null-authorization', 'null as `authorization`', (asked) => authorizationOf(asked) === null],
  [
    'short-nonce',
    'a nonce of 31 bytes',
    (asked) => /^0x[0-9a-f]{62}$/i.test(String(paymentOf(asked)?.authorization['nonce'])),
  ],
];

const endpoints = [
  ['chat', '', 'for a chat'],
  ['completions', '-for-text', 'for a text'],
] as const;

function decoded({ headers }: Asked): unknown {
  return parsed(Buffer.from(headers['x-payment'] ?? '', 'base64').toString('utf8'));
}

function objectOf(asked: Asked) {
  const value = decoded(asked);
  return isObject(value) ? value : undefined;
}

function payloadOf(asked: Asked) {
  const payload = objectOf(asked)?.['payload'];
  return isObject(payload) ? payload : undefined;
}

function hasPayload(asked: Asked): boolean {
  return payloadOf(asked) !== undefined;
}

function authorizationOf(asked: Asked): unknown {
  return payloadOf(asked)?.['authorization'];
}

/** What is sent as a payment and has no authorization. */
function isHalfPayment(asked: Asked): boolean {
  return isPaid(asked) && !isObject(authorizationOf(asked));
}

/** What is no payment, taken for one (contract 7): the gateway gets to read a good one in its place. */
export const malformedMutants: readonly Mutant[] = [
  ...contents.flatMap(([id, what, isSuch]) =>
    endpoints.map(([endpoint, suffix, words]) =>
      reads(
        `${id}-served${suffix}`,
        `serves who sends ${what}, ${words}`,
        id === 'empty-payment' ? ['payment.malformed', 'unpaid.never-200'] : ['payment.malformed'],
        (asked, forge) =>
          endpointOf(asked) === endpoint && isSuch(asked) ? forge.paidBy('payer', asked) : asked,
      ),
    ),
  ),
  answers(
    'malformed-payment-served',
    'serves whoever sends anything as `X-PAYMENT`',
    ['payment.malformed', 'unpaid.never-200'],
    replying((reply, asked) => (isHalfPayment(asked) ? { ...reply, status: 200 } : reply)),
  ),
  answers(
    'malformed-payment-without-offer',
    'answers a malformed payment with 402 and no offer',
    ['payment.malformed'],
    (reply, asked) =>
      endpointOf(asked) && isHalfPayment(asked)
        ? { status: 402, headers: { 'Content-Type': 'application/json' }, text: '{}' }
        : reply,
  ),
  reads(
    'payment-in-raw-json-served',
    'serves who sends the JSON of a payment without base64',
    ['payment.malformed'],
    (asked, forge) => (asked.headers['x-payment']?.startsWith('{') ? forge.paidBy('payer', asked) : asked),
  ),
  answers(
    'malformed-payment-as-404',
    'answers 404 to a malformed payment',
    ['payment.malformed'],
    replying((reply, asked) => (isHalfPayment(asked) ? { ...reply, status: 404 } : reply)),
  ),
];
