import type { Edge } from '../edge.ts';
import type { Asked, Reply } from '../message.ts';
import type { Mutant } from '../mutant.ts';
import {
  type Endpoint,
  findEndpoint,
  headerNamed,
  isObject,
  isPaid,
  objectIn,
  parsed,
  readPayment,
  withoutHeader,
} from '../wire-edits.ts';
import { remembered } from './remembered-payments.ts';
import { asServed, isInference } from './served-unpaid.ts';
import { readPayer } from './signature.ts';

/** A part of a sale, and a place of a later request. */
type Part = (reply: Reply, asked: Asked) => unknown;
type Place = (asked: Asked) => unknown;

const receipt: Part = ({ headers }) => headerNamed(headers, 'X-PAYMENT-RESPONSE');
const hash: Part = (...sale) => objectIn(String(receipt(...sale)))?.['txHash'];
const completionId: Part = ({ text }) => {
  const body = parsed(text);
  return isObject(body) ? body['id'] : undefined;
};
const nonce: Part = (_, asked) => readPayment(asked)?.authorization['nonce'];
const payer: Part = (_, asked) => readPayer(readPayment(asked));

const bearer: Place = ({ headers }) => headers['authorization']?.replace(/^Bearer /, '');
const inHeader =
  (name: string): Place =>
  ({ headers }) =>
    headers[name];
const inQuery: Place = ({ path }) => new URLSearchParams(path.split('?')[1]).get('tx');
const inBody: Place = ({ text }) => {
  const body = parsed(text);
  return isObject(body) ? body['txHash'] : undefined;
};

/** Remembers a part of each sale, and serves an unpaid request that has this part in a place. */
function servingProofs(readPart: Part, readPlace: Place, endpoint?: Endpoint): Edge {
  const known = new Set<string>();
  return {
    respond: (reply, asked) => {
      if (isPaid(asked)) {
        if (reply.status === 200) known.add(String(readPart(reply, asked)).toLowerCase());
        return reply;
      }
      const path = asked.path.split('?')[0] ?? '';
      const isHere = endpoint === undefined || findEndpoint({ ...asked, path }) === endpoint;
      const shown = readPlace(asked);
      const isKnown = shown !== undefined && known.has(String(shown).toLowerCase());
      return isHere && isInference(asked) && isKnown ? asServed(reply) : reply;
    },
  };
}

/** Serves every request with a known idempotency key and any `X-PAYMENT` that is of one kind. */
function servingKnownKeys(isSuch: (asked: Asked) => boolean): Edge {
  const known = new Map<string, Reply>();
  return {
    respond: (reply, asked) => {
      const key = asked.headers['idempotency-key'];
      if (key === undefined || !isPaid(asked)) return reply;
      const before = known.get(key);
      if (before === undefined && reply.status === 200) known.set(key, reply);
      return before !== undefined && isSuch(asked) && reply.status !== 200
        ? withoutHeader(before, 'X-PAYMENT-RESPONSE')
        : reply;
    },
  };
}

const proofs: readonly (readonly [
  id: string,
  what: string,
  part: Part,
  place: Place,
  endpoint?: Endpoint,
])[] = [
  ['a-hash-as-bearer', 'the hash of an earlier settlement as bearer token', hash, bearer],
  [
    'a-hash-as-bearer-for-text',
    'the hash of an earlier settlement as bearer token (completions)',
    hash,
    bearer,
    'completions',
  ],
  [
    'a-hash-in-a-header',
    'the hash of an earlier settlement in X-Transaction-Hash',
    hash,
    inHeader('x-transaction-hash'),
  ],
  ['a-hash-in-the-query', 'the hash of an earlier settlement as `tx` in the query', hash, inQuery],
  ['a-hash-in-the-body', 'the hash of an earlier settlement as `txHash` in the body', hash, inBody],
  [
    'a-hash-as-payment-signature',
    'the hash of an earlier settlement in PAYMENT-SIGNATURE',
    hash,
    inHeader('payment-signature'),
  ],
  [
    'a-receipt-as-payment-signature',
    'an own receipt in PAYMENT-SIGNATURE',
    receipt,
    inHeader('payment-signature'),
  ],
  ['a-receipt-as-bearer', 'an own receipt as bearer token', receipt, bearer],
  ['a-completion-id-as-bearer', 'the id of a sold completion as bearer token', completionId, bearer],
  ['a-nonce-as-bearer', 'the nonce of an earlier payment as bearer token', nonce, bearer],
  ['a-known-payer', 'the address of an earlier payer in X-Payer', payer, inHeader('x-payer')],
  [
    'a-known-wallet',
    'the address of an earlier payer in X-Wallet-Address',
    payer,
    inHeader('x-wallet-address'),
  ],
];

/** Mutants that serve a request for a proof of an earlier sale (contract 1, 5, D-437). */
export const shownProofMutants: readonly Mutant[] = [
  ...proofs.map(
    ([id, what, part, place, endpoint]): Mutant => ({
      id: `serves-for-${id}`,
      does: `serves an unpaid request with ${what}`,
      place: 'respond',
      kills: remembered,
      edge: () => servingProofs(part, place, endpoint),
    }),
  ),
  {
    id: 'serves-for-a-known-key-without-payment',
    does: 'serves another body for a known `Idempotency-Key` and an X-PAYMENT without payment',
    place: 'respond',
    kills: remembered,
    edge: () => servingKnownKeys((asked) => readPayment(asked) === undefined),
  },
  {
    id: 'serves-for-a-known-key-without-funds',
    does: 'serves another body for a known `Idempotency-Key` and a payment without funds',
    place: 'respond',
    kills: remembered,
    edge: () => servingKnownKeys((asked) => readPayment(asked) !== undefined),
  },
];
