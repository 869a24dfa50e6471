import { isAboutFunds, isUnpaid, type Of, replying } from '../edits.ts';
import type { Reply } from '../message.ts';
import { answers, type Mutant } from '../mutant.ts';
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
  of: Of = { when: isUnpaid },
): Mutant {
  return answers(id, does, ['unpaid.402.json'], replying(saying(text, type), of));
}

/** Bodies that are no JSON (introduction). */
export const jsonBodyMutants: readonly Mutant[] = [
  demanding('demand-in-text', 'demands payment in plain text', 'Payment required.', 'text/plain'),
  demanding('demand-in-html', 'demands payment with a page', '<h1>Pay</h1>', 'text/html'),
  demanding('demand-in-html-as-json', 'declares its page as JSON', '<h1>Pay</h1>', 'application/json'),
  demanding('demand-in-xml', 'demands payment in XML', '<pay/>', 'application/xml'),
  demanding(
    'demand-cut-short',
    'cuts the JSON of its demand',
    '{"x402Version":1,"accepts":[',
    'application/json',
  ),
  demanding('demand-with-a-mark', 'begins its demand with a byte order mark', '\uFEFF{}', 'application/json'),
  {
    id: 'demand-in-latin-1',
    does: 'demands payment in JSON that is not UTF-8',
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
  demanding('demand-of-two-values', 'demands payment with two lines of JSON', '{}\n{}', 'application/json'),
  demanding(
    'demand-for-text-in-html',
    'demands payment for a text with a page',
    '<h1>Pay</h1>',
    'text/html',
    {
      endpoint: 'completions',
      when: isUnpaid,
    },
  ),
  demanding(
    'demand-again-in-html',
    'answers a payment that is none for the request with a page',
    '<h1>Pay again</h1>',
    'text/html',
    { when: (asked, reply) => isPaid(asked) && reply.status === 402 && !isAboutFunds(asked, reply) },
  ),
  answers(
    'other-content-types-in-html',
    'answers 415 to other content types with a page',
    ['error.json'],
    replying((reply, asked) =>
      asked.headers['content-type'] === 'text/plain'
        ? { status: 415, headers: { 'Content-Type': 'text/html' }, text: '<h1>Unsupported</h1>' }
        : reply,
    ),
  ),
];
