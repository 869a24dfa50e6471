import { getAddress } from 'ethers';
import { offering, receipting, replying } from '../edits.ts';
import type { Reply } from '../message.ts';
import { headerNamed, isObject, type Json, withHeader } from '../wire-edits.ts';
import { type LegalVariant, marked, open, variant } from './variant.ts';

const own = /^(content-type|x-payment-required|x-payment-response)$/i;

function renamed(change: (name: string) => string) {
  return (reply: Reply): Reply => ({
    ...reply,
    headers: Object.fromEntries(
      Object.entries(marked(reply).headers).map(([name, value]) => [change(name), value]),
    ),
  });
}

function asWords(name: string): string {
  return name.toLowerCase().replaceAll(/(^|-)[a-z]/g, (start) => start.toUpperCase());
}

/** Declares JSON as another spelling of its media type. A stream of the reference gateway stays one (D-297). */
function declaring(type: string) {
  return (reply: Reply): Reply =>
    headerNamed(reply.headers, 'Content-Type')?.includes('event-stream')
      ? reply
      : withHeader(reply, 'Content-Type', type);
}

/** Writes offers and receipts in another form. */
function inForm(id: string, does: string, words: string, write: (value: Json) => unknown): LegalVariant {
  return variant(id, does, words, {
    respond: (reply, asked, forge) =>
      receipting(write)(offering(write)(reply, asked, forge) as Reply, asked, forge),
  });
}

function encodeBase64(value: unknown, spaces?: number): string {
  return Buffer.from(JSON.stringify(value, null, spaces)).toString('base64');
}

/** The members in reverse order, at every depth. */
export function backwards(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(backwards);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, backwards(member)]),
  );
}

const note = { 'x-note': { of: ['no', 'consequence'] } };
const addressNames = new Set(['payTo', 'asset', 'payer']);

function withAddresses(value: Json, write: (address: string) => string): Json {
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      addressNames.has(name) ? write(String(member).toLowerCase()) : member,
    ]),
  );
}

/** Legal variants of response headers. */
export const headerVariants: readonly LegalVariant[] = [
  variant('headers-in-lower-case', 'writes header names in lower case', open.anyClient, {
    respond: renamed((name) => name.toLowerCase()),
  }),
  variant('headers-in-capitals', 'writes header names in upper case', open.anyClient, {
    respond: renamed((name) => name.toUpperCase()),
  }),
  variant('headers-as-words', 'writes header names with a capital letter for each word', open.anyClient, {
    respond: renamed(asWords),
  }),
  variant('headers-beside', 'sends headers that the contract does not define', open.anyClient, {
    respond: (reply) => ({
      ...reply,
      headers: { ...reply.headers, Server: 'gateway', Via: '1.1 proxy.example', 'Set-Cookie': 'a=b; Path=/' },
    }),
  }),
  variant('headers-of-the-contract-alone', 'sends only headers of the contract', open.anyClient, {
    respond: (reply) => ({
      ...reply,
      headers: Object.fromEntries(Object.entries(reply.headers).filter(([name]) => own.test(name))),
    }),
    send: (response, { status, headers, text }) => {
      response.sendDate = false;
      // Chunked, so that Node sends no Content-Length.
      response.writeHead(status, headers).end(text);
    },
  }),
  variant(
    'challenge-to-pay',
    'sends `WWW-Authenticate` with the scheme Payment in 402 responses',
    open.anyClient,
    {
      respond: replying((reply) =>
        reply.status === 402
          ? withHeader(reply, 'WWW-Authenticate', 'Payment realm="inference", method="bearer"')
          : reply,
      ),
    },
  ),
  variant(
    'challenge-in-words',
    'quotes the names of other schemes in its `WWW-Authenticate`',
    open.anyClient,
    {
      respond: replying((reply) =>
        reply.status === 402
          ? withHeader(reply, 'WWW-Authenticate', 'Payment realm="no Basic, Bearer or Digest"')
          : reply,
      ),
    },
  ),
  variant('charset-declared', 'declares the charset of its JSON', open.bodies, {
    respond: declaring('application/json; charset=utf-8'),
  }),
  variant('content-type-in-capitals', 'writes its media type in mixed case', open.bodies, {
    respond: declaring('Application/JSON;charset="UTF-8"'),
  }),
  inForm(
    'pretty-printed',
    'formats the JSON of offers and receipts over several lines',
    open.base64,
    (value) => encodeBase64(value, 2),
  ),
  inForm(
    'base64-without-padding',
    'omits the base64 padding of offers and receipts',
    open.base64,
    (value) => {
      // Trailing spaces keep the JSON valid, and make its base64 need padding.
      const text = JSON.stringify(value);
      return Buffer.from(text.padEnd(text.length + ((4 - (Buffer.byteLength(text) % 3)) % 3), ' '))
        .toString('base64')
        .replace(/=+$/, '');
    },
  ),
  inForm(
    'members-backwards',
    'writes the members of offers and receipts in reverse order',
    open.base64,
    backwards,
  ),
  inForm('members-beside', 'adds members to offers and receipts', open.newVersions, (value) => ({
    ...value,
    ...note,
  })),
  inForm('addresses-with-checksum', 'writes addresses with their checksum', open.address, (value) =>
    withAddresses(value, (address) => getAddress(address)),
  ),
  inForm('addresses-in-lower-case', 'writes addresses in lower case', open.address, (value) => ({
    ...withAddresses(value, (address) => address),
    ...note,
  })),
  inForm('addresses-in-capitals', 'writes addresses in upper case', open.address, (value) =>
    withAddresses(value, (address) => `0x${address.slice(2).toUpperCase()}`),
  ),
  variant('description-of-another-language', 'writes `description` in another language', open.description, {
    respond: offering((offer) => ({ ...offer, description: 'Ein Gespräch — 会話' })),
  }),
  variant('description-empty', 'sends an empty `description`', open.description, {
    respond: offering((offer) => ({ ...offer, description: '' })),
  }),
  variant('offer-valid-for-an-hour', 'sets `maxTimeoutSeconds` to 3600', open.validity, {
    respond: offering((offer) => ({ ...offer, maxTimeoutSeconds: 3_600 })),
  }),
  variant('offer-with-the-401', 'sends `X-PAYMENT-REQUIRED` with a 401 response', open.noValidPayment, {
    respond: (reply) =>
      reply.status === 401 ? withHeader(reply, 'X-PAYMENT-REQUIRED', encodeBase64({})) : reply,
  }),
  variant(
    'receipt-refused-with-the-402',
    'sends a receipt with `success: false` for a refused payment',
    open.noValidPayment,
    {
      respond: replying((reply, asked) =>
        reply.status === 402 && asked.headers['x-payment'] !== undefined
          ? withHeader(reply, 'X-PAYMENT-RESPONSE', encodeBase64({ success: false, network: 'eip155:84532' }))
          : reply,
      ),
    },
  ),
];
