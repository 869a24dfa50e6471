import { getAddress, isAddress } from 'ethers';
import type { Edge } from '../edge.ts';
import { isAboutFunds, replying } from '../edits.ts';
import type { Asked, Reply } from '../message.ts';
import type { PaymentForge } from '../payment-forge.ts';
import {
  type Endpoint,
  encoded,
  endpointOf,
  headerNamed,
  isObject,
  isPaid,
  objectIn,
  parsed,
  paymentOf,
  withHeader,
  withJson,
  without,
} from '../wire-edits.ts';
import { paidAs } from './quotes.ts';
import { type LegalVariant, open, variant } from './variant.ts';

/** Five minutes, as clocks are allowed for in many protocols. */
const longAgoSeconds = 300;

const errors = {
  400: { message: 'No.', type: 'invalid_request_error', code: 'invalid_request' },
  401: { message: 'No.', type: 'authentication_error', code: 'invalid_payment' },
  402: { message: 'No.', type: 'payment_error', code: 'insufficient_funds' },
} as const;

export function refused(reply: Reply, status: keyof typeof errors): Reply {
  return withJson({ ...reply, status }, { error: errors[status] });
}

/** A payment that is none for this request is refused otherwise than with the offer. */
function refusing(id: string, does: string, status: 400 | 401): LegalVariant {
  return variant(id, does, open.noValidPayment, {
    answer: replying((reply, asked) =>
      reply.status === 402 && isPaid(asked) && !isAboutFunds(asked, reply) ? refused(reply, status) : reply,
    ),
  });
}

/** Another status where the contract shows none. */
function otherwise(
  id: string,
  does: string,
  words: string,
  when: (asked: Asked, reply: Reply) => boolean,
  status: number,
) {
  return variant(id, does, words, {
    answer: (reply, asked) => (when(asked, reply) ? { ...reply, status } : reply),
  });
}

/** A payment object with nothing where its signature should be. */
function isUnsigned(asked: Asked): boolean {
  const payload = objectIn(asked.headers['x-payment'])?.['payload'];
  return isObject(payload) && !payload['signature'];
}

/** Of a payer in other letters than those of its checksum. */
function isWithoutChecksum(asked: Asked): boolean {
  const from = paymentOf(asked)?.authorization['from'];
  return isAddress(String(from).toLowerCase()) && from !== getAddress(String(from).toLowerCase());
}

export function nonceOf(asked: Asked): string | undefined {
  const nonce = paymentOf(asked)?.authorization['nonce'];
  return nonce === undefined ? undefined : String(nonce);
}

/** Where payments are looked at before bodies are, an invalid body without payment is asked to pay. */
function demandingFirst(): Edge {
  const paymentsRequired = new Map<Endpoint, Reply>();
  return {
    answer: (reply, asked) => {
      const endpoint = endpointOf(asked);
      if (!endpoint || isPaid(asked) || asked.method !== 'POST') return reply;
      if (reply.status === 402) paymentsRequired.set(endpoint, reply);
      return reply.status === 400 ? (paymentsRequired.get(endpoint) ?? reply) : reply;
    },
  };
}

/** Takes no window that is longer than its offers are good for, nor one that began long ago. */
function boundingWindows(validSeconds: number): Edge {
  return {
    answer: (reply, asked, forge) => {
      const offer = objectIn(headerNamed(reply.headers, 'X-PAYMENT-REQUIRED'));
      const changed = offer
        ? withHeader(reply, 'X-PAYMENT-REQUIRED', encoded({ ...offer, maxTimeoutSeconds: validSeconds }))
        : reply;
      const { authorization } = paymentOf(asked) ?? {};
      if (!authorization || reply.status === 401) return changed;
      const [after, before] = [Number(authorization['validAfter']), Number(authorization['validBefore'])];
      const isTooLong = before - after > validSeconds;
      return isTooLong || after < forge.nowSeconds - longAgoSeconds ? refused(reply, 400) : changed;
    },
  };
}

/** Takes a recipient in other letters than it wrote for another one. */
function comparingRecipients(): Edge {
  let recipient: unknown;
  return {
    answer: (reply, asked) => {
      const offer = objectIn(headerNamed(reply.headers, 'X-PAYMENT-REQUIRED'));
      if (offer) recipient = offer['payTo'];
      const { authorization } = paymentOf(asked) ?? {};
      const isAnother = authorization !== undefined && authorization['to'] !== recipient;
      return isAnother && reply.status === 402
        ? refused({ ...reply, headers: without(reply.headers, 'x-payment-required') }, 401)
        : reply;
    },
  };
}

/** One unit less than the price is taken. */
async function belowMaximum(asked: Asked, forge: PaymentForge): Promise<Asked> {
  const { authorization } = paymentOf(asked) ?? {};
  if (!authorization) return asked;
  const price = paymentOf(await forge.paidBy('payer', asked))?.authorization['value'];
  const value = BigInt(String(authorization['value']));
  return price !== undefined && value === BigInt(String(price)) - 1n
    ? paidAs(asked, forge, () => true)
    : asked;
}

function hasUnknownField({ text }: Asked): boolean {
  const body = parsed(text);
  return isObject(body) && body['no_such_field'] !== undefined;
}

/** How requests are refused, and in which order things are looked at. */
export const refusalVariants: readonly LegalVariant[] = [
  refusing('bad-payments-as-400', 'answers 400 to payments that are none for the request', 400),
  refusing('bad-payments-as-401', 'answers 401 to payments that are none for the request', 401),
  variant(
    'unsigned-payments-as-400',
    'answers 400 to a payment that nobody has signed',
    open.noValidPayment,
    {
      answer: replying((reply, asked) =>
        isUnsigned(asked) && [401, 402].includes(reply.status) ? refused(reply, 400) : reply,
      ),
    },
  ),
  variant(
    'unsigned-payments-as-none',
    'takes no notice of a payment that nobody has signed',
    open.noValidPayment,
    {
      read: (asked) =>
        isUnsigned(asked) ? { ...asked, headers: without(asked.headers, 'x-payment') } : asked,
    },
  ),
  variant(
    'checksums-demanded',
    'answers 400 to a payment whose payer is not in the letters of its checksum',
    open.otherStatuses,
    {
      answer: replying((reply, asked) => (isWithoutChecksum(asked) ? refused(reply, 400) : reply)),
    },
  ),
  variant(
    'payments-without-checksum-as-none',
    'takes no notice of a payment whose payer is not in the letters of its checksum',
    open.noValidPayment,
    {
      read: (asked) =>
        isWithoutChecksum(asked) ? { ...asked, headers: without(asked.headers, 'x-payment') } : asked,
    },
  ),
  {
    ...variant(
      'recipients-compared-as-text',
      'answers 401 to a payment to the recipient in other letters, as to one that is none for the request',
      open.noValidPayment,
      {},
    ),
    edge: comparingRecipients,
  },
  variant('raw-json-payments-read', 'reads the JSON of a payment also without base64', open.noValidPayment, {
    read: (asked) => {
      const header = asked.headers['x-payment'] ?? '';
      const payment = isObject(parsed(header)) ? encoded(parsed(header)) : header;
      return isPaid(asked) ? { ...asked, headers: { ...asked.headers, 'x-payment': payment } } : asked;
    },
  }),
  otherwise(
    'short-nonces-as-422',
    'answers 422 to a nonce that is too short',
    open.otherStatuses,
    (asked) => /^0x[0-9a-f]{62}$/i.test(nonceOf(asked) ?? ''),
    422,
  ),
  otherwise(
    'unknown-model-as-404',
    'answers 404 to a model that it has not',
    open.otherStatuses,
    (asked, reply) => reply.status === 400 && asked.text.includes('no-such-model'),
    404,
  ),
  otherwise(
    'unknown-path-as-410',
    'answers 410 to a path that it has not',
    open.otherEndpoints,
    (asked) => asked.path === '/v1/no-such-endpoint',
    410,
  ),
  otherwise(
    'other-methods-as-404',
    'answers 404 to other methods',
    open.otherEndpoints,
    (asked) => endpointOf(asked) !== undefined && asked.method !== 'POST',
    404,
  ),
  otherwise(
    'other-content-types-as-422',
    'answers 422 to other content types',
    open.otherStatuses,
    (asked) => asked.headers['content-type'] === 'text/plain',
    422,
  ),
  variant('unknown-fields-refused', 'refuses fields that it does not know', open.newVersions, {
    answer: replying((reply, asked) => (hasUnknownField(asked) ? refused(reply, 400) : reply)),
  }),
  variant(
    'unknown-settlement-type-ignored',
    'takes no notice of a settlement type that it does not know',
    open.settlementType,
    {
      read: (asked) =>
        asked.headers['x-settlement-type'] === 'no-such-type'
          ? { ...asked, headers: { ...asked.headers, 'x-settlement-type': 'batch' } }
          : asked,
    },
  ),
  variant('less-than-the-maximum-taken', 'serves for a unit less than it asked for', open.value, {
    read: belowMaximum,
  }),
  {
    ...variant('windows-no-longer-than-offers', 'takes no window longer than its offer', open.nonce, {}),
    edge: () => boundingWindows(240),
  },
  {
    ...variant('payment-before-body', 'looks at payment before it reads a body', open.acceptable, {}),
    edge: demandingFirst,
    hides: 'without payment nobody sees which bodies it refuses',
  },
  {
    ...variant('balance-before-signature', 'looks at the balance before the signature', open.balance, {
      answer: replying((reply, asked, forge) => {
        const from = String(paymentOf(asked)?.authorization['from']).toLowerCase();
        return reply.status === 401 && from !== forge.payer ? refused(reply, 402) : reply;
      }),
    }),
    hides: 'who owns nothing does not see whether a signature would be refused',
  },
];
