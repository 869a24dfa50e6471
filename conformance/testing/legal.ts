import { getAddress } from 'ethers';
import { isObject } from './body-rules.ts';
import type { Change } from './stand-in.ts';

/** A stand-in that does otherwise what the contract leaves open. Nothing may be held against it. */
export type LegalVariant = {
  readonly id: string;
  readonly change: Change;
  /** It does first what hides something else from a stranger, so that the run is incomplete. */
  readonly isIncomplete?: true;
};

const extra = { 'x-note': { of: ['no', 'consequence'] } };

export const legalVariants: readonly LegalVariant[] = [
  {
    id: 'pretty-printed-json-in-headers',
    change: () => ({ encode: (value) => Buffer.from(JSON.stringify(value, null, 2)).toString('base64') }),
  },
  {
    id: 'base64-without-padding',
    change: ({ encode }) => ({ encode: (value) => encode(value).replace(/=+$/, '') }),
  },
  {
    id: 'lower-case-header-names',
    change: () => ({
      finish: (reply) => ({
        ...reply,
        headers: Object.fromEntries(
          Object.entries(reply.headers).map(([name, value]) => [name.toLowerCase(), value]),
        ),
      }),
    }),
  },
  {
    id: 'extra-fields-everywhere',
    change: ({ offer, receipt }) => ({
      offer: (...of) => ({ ...offer(...of), ...extra }),
      receipt: (authorization) => ({ ...receipt(authorization), ...extra }),
      finish: (reply) => ({
        ...reply,
        headers: { ...reply.headers, 'X-Note': 'no consequence' },
        body: isObject(reply.body) ? { ...reply.body, ...extra } : reply.body,
      }),
    }),
  },
  {
    id: 'empty-402-body',
    change: ({ encode }) => ({
      demand: (offer) => ({ status: 402, headers: { 'X-PAYMENT-REQUIRED': encode(offer) }, body: '' }),
    }),
  },
  {
    id: 'content-type-with-charset',
    change: () => ({
      finish: (reply) => ({
        ...reply,
        headers: { ...reply.headers, 'Content-Type': 'application/json; charset=utf-8' },
      }),
    }),
  },
  { id: 'payment-before-body', change: () => ({ readsBodyFirst: false }), isIncomplete: true },
  { id: 'balance-before-signature', change: () => ({ looksAtBalanceFirst: true }), isIncomplete: true },
  {
    id: 'other-finish-reason',
    change: ({ answer }) => ({
      answer: (...of) => JSON.parse(JSON.stringify(answer(...of)).replaceAll('"stop"', '"eos_token"')),
    }),
  },
  {
    id: 'checksummed-addresses',
    change: ({ offer, receipt }) => ({
      offer: (...of) => {
        const offered = offer(...of);
        const [payTo, asset] = [getAddress(String(offered['payTo'])), getAddress(String(offered['asset']))];
        return { ...offered, payTo, asset };
      },
      receipt: (authorization) => ({
        ...receipt(authorization),
        payer: getAddress(authorization.from.toLowerCase()),
      }),
    }),
  },
  {
    id: 'lower-case-addresses',
    change: ({ receipt }) => ({
      receipt: (authorization) => ({ ...receipt(authorization), payer: authorization.from.toLowerCase() }),
    }),
  },
  {
    id: 'messages-in-another-language',
    change: ({ error }) => ({
      error: (status, type, code) => ({
        ...error(status, type, code),
        body: { error: { message: 'Das geht so nicht.', type, code, param: null } },
      }),
    }),
  },
];
