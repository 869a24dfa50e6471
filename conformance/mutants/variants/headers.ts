import { getAddress } from 'ethers';
import { offering, receipting, replying } from '../edits.ts';
import type { Reply } from '../message.ts';
import { isObject, type Json, withHeader } from '../wire-edits.ts';
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

/** An offer and a receipt in another form. */
function inForm(id: string, does: string, words: string, write: (value: Json) => unknown): LegalVariant {
  return variant(id, does, words, {
    answer: (reply, asked, forge) =>
      receipting(write)(offering(write)(reply, asked, forge) as Reply, asked, forge),
  });
}

function base64Of(value: unknown, spaces?: number): string {
  return Buffer.from(JSON.stringify(value, null, spaces)).toString('base64');
}

/** The members in the opposite order, to the bottom. */
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

/** What headers look like. */
export const headerVariants: readonly LegalVariant[] = [
  variant('headers-in-lower-case', 'writes header names in lower case', open.anyClient, {
    answer: renamed((name) => name.toLowerCase()),
  }),
  variant('headers-in-capitals', 'writes header names in capitals', open.anyClient, {
    answer: renamed((name) => name.toUpperCase()),
  }),
  variant('headers-as-words', 'writes header names with a capital for each word', open.anyClient, {
    answer: renamed(asWords),
  }),
  variant('headers-beside', 'sends headers that the contract has not', open.anyClient, {
    answer: (reply) => ({
      ...reply,
      headers: { ...reply.headers, Server: 'gateway', Via: '1.1 proxy.example', 'Set-Cookie': 'a=b; Path=/' },
    }),
  }),
  variant('headers-of-the-contract-alone', 'sends no header but those of the contract', open.anyClient, {
    answer: (reply) => ({
      ...reply,
      headers: Object.fromEntries(Object.entries(reply.headers).filter(([name]) => own.test(name))),
    }),
    send: (response, { status, headers, text }) => {
      response.sendDate = false;
      // In chunks, so that not even a length is said.
      response.writeHead(status, headers).end(text);
    },
  }),
  variant('challenge-to-pay', 'names payment as the scheme of its challenge', open.anyClient, {
    answer: replying((reply) =>
      reply.status === 402
        ? withHeader(reply, 'WWW-Authenticate', 'Payment realm="inference", method="bearer"')
        : reply,
    ),
  }),
  variant('charset-declared', 'declares the charset of its JSON', open.bodies, {
    answer: (reply) => withHeader(reply, 'Content-Type', 'application/json; charset=utf-8'),
  }),
  variant('content-type-in-capitals', 'writes its media type in other letters', open.bodies, {
    answer: (reply) => withHeader(reply, 'Content-Type', 'Application/JSON;charset="UTF-8"'),
  }),
  inForm('pretty-printed', 'prints the JSON in its headers over several lines', open.base64, (value) =>
    base64Of(value, 2),
  ),
  inForm('base64-without-padding', 'leaves the padding of base64 out', open.base64, (value) => {
    // A space at the end of JSON means nothing, and is there so that there would be padding.
    const text = JSON.stringify(value);
    return Buffer.from(text.padEnd(text.length + ((4 - (Buffer.byteLength(text) % 3)) % 3), ' '))
      .toString('base64')
      .replace(/=+$/, '');
  }),
  inForm(
    'members-backwards',
    'writes the members of offers and receipts in another order',
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
  inForm('addresses-in-capitals', 'writes addresses in capitals', open.address, (value) =>
    withAddresses(value, (address) => `0x${address.slice(2).toUpperCase()}`),
  ),
  variant('description-of-another-language', 'describes payments in another language', open.description, {
    answer: offering((offer) => ({ ...offer, description: 'Ein Gespräch — 会話' })),
  }),
  variant('description-empty', 'describes no payment', open.description, {
    answer: offering((offer) => ({ ...offer, description: '' })),
  }),
  variant('offer-valid-for-an-hour', 'keeps its offers for an hour', open.validity, {
    answer: offering((offer) => ({ ...offer, maxTimeoutSeconds: 3_600 })),
  }),
  variant('offer-with-the-401', 'makes its offer again beside a 401', open.noValidPayment, {
    answer: (reply) => (reply.status === 401 ? withHeader(reply, 'X-PAYMENT-REQUIRED', base64Of({})) : reply),
  }),
  variant(
    'receipt-refused-with-the-402',
    'says in a receipt that a refused payment did not settle',
    open.noValidPayment,
    {
      answer: replying((reply, asked) =>
        reply.status === 402 && asked.headers['x-payment'] !== undefined
          ? withHeader(reply, 'X-PAYMENT-RESPONSE', base64Of({ success: false, network: 'eip155:84532' }))
          : reply,
      ),
    },
  ),
];
