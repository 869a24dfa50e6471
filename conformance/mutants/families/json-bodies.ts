import { parseBody } from '../conditions.ts';
import { isAboutFunds, isUnpaid, replying, type Scope } from '../edits.ts';
import type { Reply } from '../message.ts';
import { type Mutant, responds } from '../mutant.ts';
import { isPaid, withHeader } from '../wire-edits.ts';

function saying(text: string, type: string) {
  return (reply: Reply): Reply =>
    reply.status === 402 ? { ...withHeader(reply, 'Content-Type', type), text } : reply;
}

function demanding(
  id: string,
  does: string,
  text: string,
  type: string,
  of: Scope = { when: isUnpaid },
): Mutant {
  return responds(id, does, ['unpaid.402.json'], replying(saying(text, type), of));
}

/** Mutants that send bodies that are not JSON (contract, introduction). */
export const jsonBodyMutants: readonly Mutant[] = [
  demanding(
    'demand-in-text',
    'sends plain text as the body of its 402 response',
    'Payment required.',
    'text/plain',
  ),
  responds(
    'errors-joined-from-texts',
    'puts the model into the JSON of an error without escaping it',
    ['error.400.envelope'],
    replying((reply, asked) => {
      const model = parseBody(asked)['model'];
      const isNamed = reply.status >= 400 && reply.status !== 402 && typeof model === 'string';
      return isNamed && model.includes('"')
        ? { ...reply, text: `{"error":{"message":"The model ${model} is unknown."}}` }
        : reply;
    }),
  ),
  demanding('demand-in-html', 'sends HTML as the body of its 402 response', '<h1>Pay</h1>', 'text/html'),
  demanding(
    'demand-in-html-as-json',
    'sends HTML declared as JSON as the body of its 402 response',
    '<h1>Pay</h1>',
    'application/json',
  ),
  demanding('demand-in-xml', 'sends XML as the body of its 402 response', '<pay/>', 'application/xml'),
  demanding(
    'demand-cut-short',
    'cuts off the JSON body of its 402 response',
    '{"x402Version":1,"accepts":[',
    'application/json',
  ),
  demanding(
    'demand-with-a-mark',
    'begins the JSON body of its 402 response with a byte order mark',
    '\uFEFF{}',
    'application/json',
  ),
  {
    id: 'demand-in-latin-1',
    does: 'encodes the JSON body of its 402 response as Latin-1',
    place: 'send',
    kills: ['unpaid.402.json'],
    edge: () => ({
      send: (response, { status, headers, text }, asked) => {
        const isPaymentRequired = status === 402 && isUnpaid(asked);
        const bytes = isPaymentRequired
          ? Buffer.from('{"error":"Zahlung n\u00F6tig"}', 'latin1')
          : Buffer.from(text);
        response.writeHead(status, { ...headers, 'Content-Length': bytes.length }).end(bytes);
      },
    }),
  },
  demanding(
    'demand-of-two-values',
    'sends two JSON values as the body of its 402 response',
    '{}\n{}',
    'application/json',
  ),
  demanding(
    'demand-for-text-in-html',
    'sends HTML as the body of its 402 response to a text completion request',
    '<h1>Pay</h1>',
    'text/html',
    {
      endpoint: 'completions',
      when: isUnpaid,
    },
  ),
  demanding(
    'demand-for-browsers-in-html',
    'sends HTML as the body of its 402 response to a browser that accepts HTML',
    '<h1>Pay here</h1>',
    'text/html',
    {
      when: (asked) =>
        isUnpaid(asked) &&
        /text\/html/.test(asked.headers['accept'] ?? '') &&
        /^Mozilla/.test(asked.headers['user-agent'] ?? ''),
    },
  ),
  demanding(
    'demand-again-in-html',
    'sends HTML as the body of its 402 response to a refused payment',
    '<h1>Pay again</h1>',
    'text/html',
    { when: (asked, reply) => isPaid(asked) && reply.status === 402 && !isAboutFunds(asked, reply) },
  ),
  responds(
    'other-content-types-in-html',
    'returns 415 with an HTML body for a text/plain request',
    ['error.json'],
    replying((reply, asked) =>
      asked.headers['content-type'] === 'text/plain'
        ? { status: 415, headers: { 'Content-Type': 'text/html' }, text: '<h1>Unsupported</h1>' }
        : reply,
    ),
  ),
  responds(
    'missing-types-in-text',
    'returns 400 in plain text for a chat without Content-Type',
    ['error.400.envelope', 'error.400.content-type'],
    replying(
      (reply, { headers }) =>
        'content-type' in headers
          ? reply
          : { status: 400, headers: { 'Content-Type': 'text/plain' }, text: 'Bad Request' },
      { endpoint: 'chat', when: ({ method }) => method === 'POST' },
    ),
  ),
  ...([404, 405] as const).map((status) =>
    responds(
      `status-${status}-in-text`,
      `sends plain text with its ${status} responses`,
      ['error.json'],
      (reply) => (reply.status === status ? { ...reply, text: 'No.' } : reply),
    ),
  ),
  responds(
    'marks-everywhere',
    'begins the body of each response with a byte order mark',
    [
      'unpaid.402.json',
      ...(['400', '401', '402'] as const).flatMap(
        (status) => [`error.${status}.envelope`, `error.${status}.type`, `error.${status}.code`] as const,
      ),
      'chat.body.object',
      'completions.body.object',
      'error.json',
    ],
    (reply) => (reply.text === '' ? reply : { ...reply, text: `\uFEFF${reply.text}` }),
  ),
];
