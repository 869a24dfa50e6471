import { isUnpaid } from '../edits.ts';
import type { Asked } from '../message.ts';
import { type Mutant, reads, responds } from '../mutant.ts';
import { type Endpoint, findEndpoint, without } from '../wire-edits.ts';

const endpoints = [
  ['chat', '', 'unpaid.chat.402'],
  ['completions', '-for-text', 'unpaid.completions.402'],
] as const satisfies readonly (readonly [Endpoint, string, string])[];

function acceptsGzip({ headers }: Asked): boolean {
  return headers['accept-encoding']?.includes('gzip') === true;
}

function hasHeaderSpelled({ names }: Asked, name: string): boolean {
  return names.includes(name);
}

export function isInChunks({ headers }: Asked): boolean {
  return headers['transfer-encoding'] === 'chunked';
}

/** Mutants that treat the requests of some HTTP clients differently (D-184). */
export const clientMutants: readonly Mutant[] = [
  ...endpoints.flatMap(([endpoint, suffix, demanded]) => [
    responds(
      `compressed-response-free${suffix}`,
      `serves an unpaid request that accepts gzip (${endpoint})`,
      [demanded, 'unpaid.never-200'],
      (reply, asked, forge) =>
        findEndpoint(asked) === endpoint && isUnpaid(asked) && acceptsGzip(asked) ? forge.buy(asked) : reply,
    ),
    responds(
      `small-content-type-refused${suffix}`,
      `returns 415 for an unpaid request with the header name content-type in lower case (${endpoint})`,
      [demanded],
      (reply, asked) =>
        findEndpoint(asked) === endpoint && isUnpaid(asked) && hasHeaderSpelled(asked, 'content-type')
          ? { status: 415, headers: { 'Content-Type': 'application/json' }, text: '{}' }
          : reply,
    ),
    responds(
      `any-response-free${suffix}`,
      `serves an unpaid request with \`Accept: */*\` (${endpoint})`,
      [demanded, 'unpaid.never-200'],
      (reply, asked, forge) =>
        findEndpoint(asked) === endpoint && isUnpaid(asked) && asked.headers['accept'] === '*/*'
          ? forge.buy(asked)
          : reply,
    ),
    responds(
      `no-accept-free${suffix}`,
      `serves an unpaid request without an Accept header (${endpoint})`,
      [demanded, 'unpaid.never-200'],
      (reply, asked, forge) =>
        findEndpoint(asked) === endpoint && isUnpaid(asked) && asked.headers['accept'] === undefined
          ? forge.buy(asked)
          : reply,
    ),
    responds(
      `other-client-refused${suffix}`,
      `returns 406 for an unpaid request whose User-Agent starts with curl/ (${endpoint})`,
      [demanded],
      (reply, asked) =>
        findEndpoint(asked) === endpoint &&
        isUnpaid(asked) &&
        asked.headers['user-agent']?.startsWith('curl/') === true
          ? { status: 406, headers: { 'Content-Type': 'application/json' }, text: '{}' }
          : reply,
    ),
    responds(
      `charset-refused${suffix}`,
      `returns 415 for an unpaid request that names the charset of its JSON (${endpoint})`,
      [demanded],
      (reply, asked) =>
        findEndpoint(asked) === endpoint &&
        isUnpaid(asked) &&
        asked.headers['content-type']?.includes('charset') === true
          ? { status: 415, headers: { 'Content-Type': 'application/json' }, text: '{}' }
          : reply,
    ),
  ]),
  responds(
    'media-type-in-capitals-refused',
    'returns 415 for an unpaid chat request whose media type has capitals',
    ['unpaid.chat.402'],
    (reply, asked) =>
      findEndpoint(asked) === 'chat' && isUnpaid(asked) && /[A-Z]/.test(asked.headers['content-type'] ?? '')
        ? { status: 415, headers: { 'Content-Type': 'application/json' }, text: '{}' }
        : reply,
  ),
  responds(
    'charset-in-capitals-refused',
    'returns 415 for an unpaid chat request that names the charset of its JSON in capitals without a blank',
    ['unpaid.chat.402'],
    (reply, asked) =>
      findEndpoint(asked) === 'chat' &&
      isUnpaid(asked) &&
      asked.headers['content-type']?.includes(';charset=UTF-8') === true
        ? { status: 415, headers: { 'Content-Type': 'application/json' }, text: '{}' }
        : reply,
  ),
  responds(
    'library-refused',
    'returns 403 for an unpaid chat request whose User-Agent starts with axios/',
    ['unpaid.chat.402'],
    (reply, asked) =>
      findEndpoint(asked) === 'chat' &&
      isUnpaid(asked) &&
      asked.headers['user-agent']?.startsWith('axios/') === true
        ? { status: 403, headers: { 'Content-Type': 'application/json' }, text: '{}' }
        : reply,
  ),
  responds(
    'compressed-response-fails',
    'returns 406 for a chat request that accepts gzip',
    ['unpaid.chat.402'],
    (reply, asked) =>
      findEndpoint(asked) === 'chat' && acceptsGzip(asked)
        ? { status: 406, headers: { 'Content-Type': 'application/json' }, text: '{}' }
        : reply,
  ),
  {
    id: 'compressed-response-in-plain',
    does: 'declares `Content-Encoding: gzip` on an uncompressed response to a chat request that accepts gzip',
    place: 'send',
    kills: ['unpaid.402.json'],
    edge: () => ({
      send: (response, { status, headers, text }, asked) => {
        const coding =
          findEndpoint(asked) === 'chat' && acceptsGzip(asked) ? { 'Content-Encoding': 'gzip' } : {};
        const length = { 'Content-Length': Buffer.byteLength(text || '{}') };
        response.writeHead(status, { ...headers, ...coding, ...length }).end(text || '{}');
      },
    }),
  },
  responds(
    'chunks-fail',
    'returns 500 for an unpaid request in chunks',
    ['unpaid.chat.402'],
    (reply, asked) =>
      isUnpaid(asked) && isInChunks(asked)
        ? { status: 500, headers: { 'Content-Type': 'application/json' }, text: '{}' }
        : reply,
  ),
  reads(
    'chunks-read-as-empty',
    'takes the body of an unpaid request in chunks for empty',
    ['unpaid.chat.402'],
    (asked) => (isUnpaid(asked) && isInChunks(asked) ? { ...asked, text: '' } : asked),
  ),
  responds(
    'chunks-decoded-alone',
    'returns 400 for an unpaid request whose chunks cannot be decoded alone, because a letter is in two of them',
    ['unpaid.chat.402'],
    (reply, asked) =>
      isUnpaid(asked) && isInChunks(asked) && !asked.hasWholeLetters
        ? { status: 400, headers: { 'Content-Type': 'application/json' }, text: '{}' }
        : reply,
  ),
  reads(
    'small-payment-not-read',
    'ignores the payment of a request with the header name x-payment in lower case',
    ['conditions.paid'],
    (asked) =>
      hasHeaderSpelled(asked, 'x-payment')
        ? { ...asked, headers: without(asked.headers, 'x-payment') }
        : asked,
  ),
];
