import { isUnpaid } from '../edits.ts';
import type { Asked } from '../message.ts';
import { answers, type Mutant, reads } from '../mutant.ts';
import { type Endpoint, endpointOf, without } from '../wire-edits.ts';

const endpoints = [
  ['chat', '', 'unpaid.chat.402'],
  ['completions', '-for-text', 'unpaid.completions.402'],
] as const satisfies readonly (readonly [Endpoint, string, string])[];

function isCompressedAsked({ headers }: Asked): boolean {
  return headers['accept-encoding']?.includes('gzip') === true;
}

function hasSmall({ names }: Asked, name: string): boolean {
  return names.includes(name);
}

/** Gateways that read the requests of other clients otherwise (D-184). */
export const clientMutants: readonly Mutant[] = [
  ...endpoints.flatMap(([endpoint, suffix, demanded]) => [
    answers(
      `compressed-answer-free${suffix}`,
      `serves a request that accepts gzip without a payment (${endpoint})`,
      [demanded, 'unpaid.never-200'],
      (reply, asked, forge) =>
        endpointOf(asked) === endpoint && isUnpaid(asked) && isCompressedAsked(asked)
          ? forge.buy(asked)
          : reply,
    ),
    answers(
      `small-content-type-refused${suffix}`,
      `finds no Content-Type in small letters (${endpoint})`,
      [demanded],
      (reply, asked) =>
        endpointOf(asked) === endpoint && isUnpaid(asked) && hasSmall(asked, 'content-type')
          ? { status: 415, headers: { 'Content-Type': 'application/json' }, text: '{}' }
          : reply,
    ),
    answers(
      `any-answer-free${suffix}`,
      `serves a request that accepts everything without a payment (${endpoint})`,
      [demanded, 'unpaid.never-200'],
      (reply, asked, forge) =>
        endpointOf(asked) === endpoint && isUnpaid(asked) && asked.headers['accept'] === '*/*'
          ? forge.buy(asked)
          : reply,
    ),
    answers(
      `other-client-refused${suffix}`,
      `refuses a client that is called curl (${endpoint})`,
      [demanded],
      (reply, asked) =>
        endpointOf(asked) === endpoint &&
        isUnpaid(asked) &&
        asked.headers['user-agent']?.startsWith('curl/') === true
          ? { status: 406, headers: { 'Content-Type': 'application/json' }, text: '{}' }
          : reply,
    ),
  ]),
  answers(
    'compressed-answer-fails',
    'fails where a compressed answer of a chat is taken',
    ['unpaid.chat.402'],
    (reply, asked) =>
      endpointOf(asked) === 'chat' && isCompressedAsked(asked)
        ? { status: 406, headers: { 'Content-Type': 'application/json' }, text: '{}' }
        : reply,
  ),
  {
    id: 'compressed-answer-in-plain',
    does: 'declares the plain demand of a chat as compressed where that is taken',
    place: 'send',
    kills: ['unpaid.402.json'],
    edge: () => ({
      send: (response, { status, headers, text }, asked) => {
        const coding =
          endpointOf(asked) === 'chat' && isCompressedAsked(asked) ? { 'Content-Encoding': 'gzip' } : {};
        const length = { 'Content-Length': Buffer.byteLength(text || '{}') };
        response.writeHead(status, { ...headers, ...coding, ...length }).end(text || '{}');
      },
    }),
  },
  reads(
    'small-payment-not-read',
    'finds no payment in a header with small letters',
    ['conditions.paid'],
    (asked) =>
      hasSmall(asked, 'x-payment') ? { ...asked, headers: without(asked.headers, 'x-payment') } : asked,
  ),
];
