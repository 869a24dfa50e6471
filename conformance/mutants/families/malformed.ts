import { isAddress } from 'ethers';
import { replying } from '../edits.ts';
import type { Asked } from '../message.ts';
import { type Mutant, reads, responds } from '../mutant.ts';
import { findEndpoint, isObject, isPaid, type Json, parsed, readPayment, withJson } from '../wire-edits.ts';

/** Invalid contents of `X-PAYMENT` (contract 2.9, 2.10). Two mutants serve each of them, one per endpoint. */
const contents: readonly (readonly [id: string, what: string, isSuch: (asked: Asked) => boolean])[] = [
  ['empty-payment', 'an empty `X-PAYMENT` header', (asked) => asked.headers['x-payment'] === ''],
  ['null-payment', 'a payment that is null', (asked) => decodeHeader(asked) === null],
  ['null-payload', 'a payment whose `payload` is null', (asked) => decodeObject(asked)?.['payload'] === null],
  [
    'payment-without-authorization',
    'a payment without `authorization`',
    (asked) => hasPayload(asked) && readAuthorization(asked) === undefined,
  ],
  [
    'null-authorization',
    'a payment whose `authorization` is null',
    (asked) => readAuthorization(asked) === null,
  ],
  [
    'short-nonce',
    'a payment whose nonce has 31 bytes',
    (asked) => /^0x[0-9a-f]{62}$/i.test(String(readPayment(asked)?.authorization['nonce'])),
  ],
];

/** Terms that a program may fail to compute with or to store. */
const failing: readonly (readonly [id: string, what: string, isSuch: (authorization: Json) => boolean])[] = [
  ['negative-values', 'a negative `value`', ({ value }) => String(value).startsWith('-')],
  ['fractions-of-units', 'a fraction as `value`', ({ value }) => String(value).includes('.')],
  ['values-of-256-bits', 'a `value` above 64 bits', ({ value }) => /^\d{21,}$/.test(String(value))],
  [
    'late-ends',
    'a `validBefore` beyond the years of a date',
    ({ validBefore }) => Number(validBefore) > 253_402_300_799,
  ],
  ['fractions-of-starts', 'a fraction as `validAfter`', ({ validAfter }) => Number(validAfter) % 1 > 0],
  ['fractions-of-ends', 'a fraction as `validBefore`', ({ validBefore }) => Number(validBefore) % 1 > 0],
  ['long-nonces', 'a nonce of 33 bytes', ({ nonce }) => /^0x[0-9a-f]{66}$/.test(String(nonce))],
  ['nonces-without-hex', 'a nonce that is no hex', ({ nonce }) => /^0x.*[g-z]/.test(String(nonce))],
  ['wrong-checksums-of-payers', 'a wrong checksum in `from`', ({ from }) => hasWrongChecksum(from)],
  ['wrong-checksums-of-recipients', 'a wrong checksum in `to`', ({ to }) => hasWrongChecksum(to)],
  ...(['from', 'to', 'value', 'validAfter', 'validBefore', 'nonce'] as const).flatMap(
    (name): (typeof failing)[number][] => {
      const id = name.toLowerCase();
      return [
        [`missing-${id}`, `no \`${name}\``, (authorization) => !(name in authorization)],
        [`null-as-${id}`, `null as \`${name}\``, (authorization) => authorization[name] === null],
        [`object-as-${id}`, `an object as \`${name}\``, (authorization) => isObject(authorization[name])],
        [`word-as-${id}`, `a word as \`${name}\``, (authorization) => authorization[name] === 'soon'],
      ];
    },
  ),
  ...(['from', 'to', 'value', 'nonce'] as const).map((name): (typeof failing)[number] => [
    `number-as-${name}`,
    `a number as \`${name}\``,
    (authorization) => typeof authorization[name] === 'number',
  ]),
];

/** Whether an address has small and capital letters, and not those of its checksum. */
function hasWrongChecksum(address: unknown): boolean {
  const text = String(address);
  return /^0x[0-9a-f]{40}$/i.test(text) && /[a-f]/.test(text) && /[A-F]/.test(text) && !isAddress(text);
}

/** Payments that a program may fail to read. */
const failingWhole: readonly (readonly [id: string, what: string, isSuch: (asked: Asked) => boolean])[] = [
  ['arrays-as-payment', 'a payment that is an array', (asked) => Array.isArray(decodeHeader(asked))],
  ['numbers-as-payment', 'a payment that is a number', (asked) => typeof decodeHeader(asked) === 'number'],
  ['texts-as-payment', 'a payment that is a text', (asked) => typeof decodeHeader(asked) === 'string'],
  [
    'bytes-as-payment',
    'a payment that is no UTF-8',
    ({ headers }) => Buffer.from(headers['x-payment'] ?? '', 'base64').includes(0xff),
  ],
  [
    'texts-as-payload',
    'a payment whose `payload` is a text',
    (asked) => typeof decodeObject(asked)?.['payload'] === 'string',
  ],
  [
    'texts-as-authorization',
    'a payment whose `authorization` is a text',
    (asked) => typeof readAuthorization(asked) === 'string',
  ],
  [
    'odd-signatures',
    'a signature with an odd number of digits',
    (asked) => String(readPayload(asked)?.['signature']).length === 131,
  ],
  ['null-signatures', 'null as `signature`', (asked) => readPayload(asked)?.['signature'] === null],
  [
    'numbers-as-signature',
    'a number as `signature`',
    (asked) => typeof readPayload(asked)?.['signature'] === 'number',
  ],
  [
    'objects-as-signature',
    'an object as `signature`',
    (asked) => isObject(readPayload(asked)?.['signature']),
  ],
];
const serverError = {
  error: { message: 'Something went wrong.', type: 'server_error', code: 'internal_error' },
} as const;

const endpoints = [
  ['chat', ''],
  ['completions', '-for-text'],
] as const;

function decodeHeader({ headers }: Asked): unknown {
  return parsed(Buffer.from(headers['x-payment'] ?? '', 'base64').toString('utf8'));
}

function decodeObject(asked: Asked) {
  const value = decodeHeader(asked);
  return isObject(value) ? value : undefined;
}

function readPayload(asked: Asked) {
  const payload = decodeObject(asked)?.['payload'];
  return isObject(payload) ? payload : undefined;
}

function hasPayload(asked: Asked): boolean {
  return readPayload(asked) !== undefined;
}

function readAuthorization(asked: Asked): unknown {
  return readPayload(asked)?.['authorization'];
}

/** Whether a request has an `X-PAYMENT` header without an authorization object. */
function isHalfPayment(asked: Asked): boolean {
  return isPaid(asked) && !isObject(readAuthorization(asked));
}

/** Mutants that accept an invalid payment (contract 7). The edge replaces it by a valid one. */
export const malformedMutants: readonly Mutant[] = [
  ...contents.flatMap(([id, what, isSuch]) =>
    endpoints.map(([endpoint, suffix]) =>
      reads(
        `${id}-served${suffix}`,
        `serves a request with ${what} (${endpoint})`,
        id === 'empty-payment' ? ['payment.malformed', 'unpaid.never-200'] : ['payment.malformed'],
        (asked, forge) =>
          findEndpoint(asked) === endpoint && isSuch(asked) ? forge.paidBy('payer', asked) : asked,
      ),
    ),
  ),
  responds(
    'malformed-payment-served',
    'returns 200 for an `X-PAYMENT` header without an authorization object',
    // An earlier receipt is such a header too.
    ['payment.malformed', 'unpaid.never-200', 'sequence.paid-then-unpaid'],
    replying((reply, asked) => (isHalfPayment(asked) ? { ...reply, status: 200 } : reply)),
  ),
  responds(
    'malformed-payment-without-offer',
    'returns 402 without an offer for a malformed payment',
    ['payment.malformed'],
    (reply, asked) =>
      findEndpoint(asked) && isHalfPayment(asked)
        ? { status: 402, headers: { 'Content-Type': 'application/json' }, text: '{}' }
        : reply,
  ),
  reads(
    'payment-in-raw-json-served',
    'serves a request with a payment in JSON without base64',
    ['payment.malformed'],
    (asked, forge) => (asked.headers['x-payment']?.startsWith('{') ? forge.paidBy('payer', asked) : asked),
  ),
  ...failing.map(([id, what, isSuch]) =>
    responds(
      `${id}-fail`,
      `returns 500 for a payment with ${what}`,
      ['payment.malformed', 'error.none-5xx'],
      (reply, asked) => {
        const authorization = readPayment(asked)?.authorization;
        return findEndpoint(asked) && authorization !== undefined && isSuch(authorization)
          ? withJson({ ...reply, status: 500 }, serverError)
          : reply;
      },
    ),
  ),
  ...failingWhole.map(([id, what, isSuch]) =>
    responds(
      `${id}-fail`,
      `returns 500 for ${what}`,
      ['payment.malformed', 'error.none-5xx'],
      (reply, asked) =>
        findEndpoint(asked) && isPaid(asked) && isSuch(asked)
          ? withJson({ ...reply, status: 500 }, serverError)
          : reply,
    ),
  ),
  responds(
    'malformed-payment-as-404',
    'returns 404 for a malformed payment',
    ['payment.malformed'],
    replying((reply, asked) => (isHalfPayment(asked) ? { ...reply, status: 404 } : reply)),
  ),
];
