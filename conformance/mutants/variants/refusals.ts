import { getAddress, isAddress } from 'ethers';
import type { Edge } from '../edge.ts';
import { isAboutFunds, replying } from '../edits.ts';
import type { Asked, Reply } from '../message.ts';
import type { PaymentForge } from '../payment-forge.ts';
import {
  type Endpoint,
  encoded,
  findEndpoint,
  headerNamed,
  isObject,
  isPaid,
  objectIn,
  parsed,
  readPayment,
  readUnits,
  withHeader,
  withJson,
  without,
} from '../wire-edits.ts';
import { paidAs } from './quotes.ts';
import { type LegalVariant, open, variant } from './variant.ts';

/** Five minutes, a common tolerance for clocks. */
const longAgoSeconds = 300;

const errors = {
  400: { message: 'No.', type: 'invalid_request_error', code: 'invalid_request' },
  401: { message: 'No.', type: 'authentication_error', code: 'invalid_payment' },
  402: { message: 'No.', type: 'payment_error', code: 'insufficient_funds' },
} as const;

export function refused(reply: Reply, status: keyof typeof errors): Reply {
  return withJson({ ...reply, status }, { error: errors[status] });
}

/** Refuses an invalid payment with an error instead of the offer. */
function refusing(id: string, does: string, status: 400 | 401): LegalVariant {
  return variant(id, does, open.noValidPayment, {
    respond: replying((reply, asked) =>
      reply.status === 402 && isPaid(asked) && !isAboutFunds(asked, reply) ? refused(reply, status) : reply,
    ),
  });
}

/** Returns another status where the contract shows none. */
function otherwise(
  id: string,
  does: string,
  words: string,
  when: (asked: Asked, reply: Reply) => boolean,
  status: number,
) {
  return variant(id, does, words, {
    respond: (reply, asked) => (when(asked, reply) ? { ...reply, status } : reply),
  });
}

/** Whether a payment has no signature. */
function isUnsigned(asked: Asked): boolean {
  const payload = objectIn(asked.headers['x-payment'])?.['payload'];
  return isObject(payload) && !payload['signature'];
}

/** Whether the payer address is written without its checksum. */
function isWithoutChecksum(asked: Asked): boolean {
  const from = readPayment(asked)?.authorization['from'];
  return isAddress(String(from).toLowerCase()) && from !== getAddress(String(from).toLowerCase());
}

export function readNonce(asked: Asked): string | undefined {
  const nonce = readPayment(asked)?.authorization['nonce'];
  return nonce === undefined ? undefined : String(nonce);
}

/** Checks the payment before the body, so an unpaid request with an invalid body gets the offer. */
function demandingFirst(): Edge {
  const paymentsRequired = new Map<Endpoint, Reply>();
  return {
    respond: (reply, asked) => {
      const endpoint = findEndpoint(asked);
      if (!endpoint || isPaid(asked) || asked.method !== 'POST') return reply;
      if (reply.status === 402) paymentsRequired.set(endpoint, reply);
      return reply.status === 400 ? (paymentsRequired.get(endpoint) ?? reply) : reply;
    },
  };
}

/** Rejects a validity window that is longer than its offers, or that began long ago. */
function boundingWindows(validSeconds: number): Edge {
  return {
    respond: (reply, asked, forge) => {
      const offer = objectIn(headerNamed(reply.headers, 'X-PAYMENT-REQUIRED'));
      const changed = offer
        ? withHeader(reply, 'X-PAYMENT-REQUIRED', encoded({ ...offer, maxTimeoutSeconds: validSeconds }))
        : reply;
      const { authorization } = readPayment(asked) ?? {};
      if (!authorization || reply.status === 401) return changed;
      const [after, before] = [Number(authorization['validAfter']), Number(authorization['validBefore'])];
      const isTooLong = before - after > validSeconds;
      return isTooLong || after < forge.nowSeconds - longAgoSeconds ? refused(reply, 400) : changed;
    },
  };
}

/** Compares the recipient with `payTo` as text, so another letter case is another recipient. */
function comparingRecipients(): Edge {
  let recipient: unknown;
  return {
    respond: (reply, asked) => {
      const offer = objectIn(headerNamed(reply.headers, 'X-PAYMENT-REQUIRED'));
      if (offer) recipient = offer['payTo'];
      const { authorization } = readPayment(asked) ?? {};
      const isAnother = authorization !== undefined && authorization['to'] !== recipient;
      return isAnother && reply.status === 402
        ? refused({ ...reply, headers: without(reply.headers, 'x-payment-required') }, 401)
        : reply;
    },
  };
}

/** Accepts one unit less than the price. */
async function belowMaximum(asked: Asked, forge: PaymentForge): Promise<Asked> {
  const { authorization } = readPayment(asked) ?? {};
  if (!authorization) return asked;
  const price = readPayment(await forge.paidBy('payer', asked))?.authorization['value'];
  const [value, most] = [readUnits(authorization['value']), readUnits(price)];
  return most !== undefined && value === most - 1n ? paidAs(asked, forge, () => true) : asked;
}

function hasUnknownField({ text }: Asked): boolean {
  const body = parsed(text);
  return isObject(body) && body['no_such_field'] !== undefined;
}

/** Legal variants of refusals and of the order of checks. */
export const refusalVariants: readonly LegalVariant[] = [
  refusing('bad-payments-as-400', 'returns 400 instead of an offer for an invalid payment', 400),
  refusing('bad-payments-as-401', 'returns 401 instead of an offer for an invalid payment', 401),
  variant('unsigned-payments-as-400', 'returns 400 for a payment without a signature', open.noValidPayment, {
    respond: replying((reply, asked) =>
      isUnsigned(asked) && [401, 402].includes(reply.status) ? refused(reply, 400) : reply,
    ),
  }),
  variant('unsigned-payments-as-none', 'ignores a payment without a signature', open.noValidPayment, {
    read: (asked) => (isUnsigned(asked) ? { ...asked, headers: without(asked.headers, 'x-payment') } : asked),
  }),
  variant('checksums-demanded', 'returns 400 for a payer address without its checksum', open.otherStatuses, {
    respond: replying((reply, asked) => (isWithoutChecksum(asked) ? refused(reply, 400) : reply)),
  }),
  variant(
    'payments-without-checksum-as-none',
    'ignores a payment whose payer address is without its checksum',
    open.noValidPayment,
    {
      read: (asked) =>
        isWithoutChecksum(asked) ? { ...asked, headers: without(asked.headers, 'x-payment') } : asked,
    },
  ),
  {
    ...variant(
      'recipients-compared-as-text',
      'returns 401 for a recipient that is written differently from `payTo`, as for any other recipient',
      open.noValidPayment,
      {},
    ),
    edge: comparingRecipients,
  },
  variant('raw-json-payments-read', 'also accepts a payment in JSON without base64', open.noValidPayment, {
    read: (asked) => {
      const header = asked.headers['x-payment'] ?? '';
      const payment = isObject(parsed(header)) ? encoded(parsed(header)) : header;
      return isPaid(asked) ? { ...asked, headers: { ...asked.headers, 'x-payment': payment } } : asked;
    },
  }),
  otherwise(
    'short-nonces-as-422',
    'returns 422 for a nonce of 31 bytes',
    open.otherStatuses,
    (asked) => /^0x[0-9a-f]{62}$/i.test(readNonce(asked) ?? ''),
    422,
  ),
  otherwise(
    'unknown-model-as-404',
    'returns 404 for an unknown model',
    open.otherStatuses,
    (asked, reply) => reply.status === 400 && asked.text.includes('no-such-model'),
    404,
  ),
  otherwise(
    'unknown-path-as-410',
    'returns 410 for an unknown path',
    open.otherEndpoints,
    (asked) => asked.path === '/v1/no-such-endpoint',
    410,
  ),
  otherwise(
    'other-methods-as-404',
    'returns 404 for methods other than POST',
    open.otherEndpoints,
    (asked) => findEndpoint(asked) !== undefined && asked.method !== 'POST',
    404,
  ),
  otherwise(
    'other-content-types-as-422',
    'returns 422 for a text/plain request',
    open.otherStatuses,
    (asked) => asked.headers['content-type'] === 'text/plain',
    422,
  ),
  otherwise(
    'expectations-as-417',
    'returns 417 for a request with an Expect header',
    open.otherStatuses,
    (asked) => asked.headers['expect'] !== undefined,
    417,
  ),
  variant('unknown-fields-refused', 'rejects unknown fields', open.newVersions, {
    respond: replying((reply, asked) => (hasUnknownField(asked) ? refused(reply, 400) : reply)),
  }),
  variant('unknown-settlement-type-ignored', 'ignores an unknown settlement type', open.settlementType, {
    read: (asked) =>
      asked.headers['x-settlement-type'] === 'no-such-type'
        ? { ...asked, headers: { ...asked.headers, 'x-settlement-type': 'batch' } }
        : asked,
  }),
  variant('less-than-the-maximum-taken', 'serves a payment of one unit less than its offer', open.value, {
    read: belowMaximum,
  }),
  {
    ...variant(
      'windows-no-longer-than-offers',
      'rejects a validity window longer than its offer',
      open.nonce,
      {},
    ),
    edge: () => boundingWindows(240),
  },
  {
    ...variant('payment-before-body', 'checks the payment before the body', open.acceptable, {}),
    edge: demandingFirst,
    hides: 'unpaid requests do not show which bodies it rejects',
  },
  {
    ...variant('balance-before-signature', 'checks the balance before the signature', open.balance, {
      respond: replying((reply, asked, forge) => {
        const from = String(readPayment(asked)?.authorization['from']).toLowerCase();
        return reply.status === 401 && from !== forge.payer ? refused(reply, 402) : reply;
      }),
    }),
    hides: 'payments without funds do not show whether it rejects a signature',
  },
];
