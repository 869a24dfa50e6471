import { isUnpaid, offering, replying } from '../edits.ts';
import { answers, type Mutant } from '../mutant.ts';
import { headerNamed, withHeader, withJson, withoutHeader } from '../wire-edits.ts';

const name = 'X-PAYMENT-REQUIRED';
const html = '<!doctype html><title>Pay</title><p>Payment required.</p>';
const chatOnly = { endpoint: 'chat', when: isUnpaid } as const;

/** The unpaid request and the header of its 402 (contract 3, 4.1, 4.2). */
export const unpaidMutants: readonly Mutant[] = [
  answers(
    'chat-demands-with-410',
    'answers unpaid chat requests with 410 instead of 402',
    ['unpaid.chat.402'],
    replying((reply) => (reply.status === 402 ? { ...reply, status: 410 } : reply), chatOnly),
  ),
  answers(
    'chat-demands-with-a-page',
    'answers unpaid chat requests with a page at 200 that asks for money',
    ['unpaid.chat.402', 'unpaid.never-200'],
    replying(
      (reply) =>
        reply.status === 402 ? { status: 200, headers: { 'Content-Type': 'text/html' }, text: html } : reply,
      chatOnly,
    ),
  ),
  answers(
    'chat-redirects-to-a-shop',
    'sends whoever has not paid to another host',
    ['unpaid.chat.402'],
    replying(
      (reply) =>
        reply.status === 402
          ? { status: 302, headers: { Location: 'https://shop.example/pay' }, text: '' }
          : reply,
      chatOnly,
    ),
  ),
  answers(
    'completions-demand-with-410',
    'answers unpaid text requests with 410 instead of 402',
    ['unpaid.completions.402'],
    replying((reply) => (reply.status === 402 ? { ...reply, status: 410 } : reply), {
      endpoint: 'completions',
      when: isUnpaid,
    }),
  ),
  answers(
    'completions-for-nothing',
    'serves text completions without payment',
    ['unpaid.completions.402', 'unpaid.never-200'],
    replying(
      (reply) =>
        reply.status === 402
          ? withJson({ ...reply, status: 200 }, { id: 'a', object: 'text_completion', choices: [] })
          : reply,
      { endpoint: 'completions', when: isUnpaid },
    ),
  ),
  answers(
    'text-bodies-for-nothing',
    'serves without payment what is declared as text/plain',
    ['unpaid.never-200'],
    replying((reply, asked) =>
      asked.headers['content-type'] === 'text/plain'
        ? withJson({ ...reply, status: 200 }, { id: 'a' })
        : reply,
    ),
  ),
  answers(
    'forbids-instead-of-demanding',
    'answers unpaid requests with 403',
    ['unpaid.chat.402', 'unpaid.completions.402', 'unpaid.no-api-key'],
    replying((reply) => (reply.status === 402 ? { ...reply, status: 403 } : reply), { when: isUnpaid }),
  ),
  answers(
    'asks-for-a-bearer-token',
    'asks for a bearer token beside the payment',
    ['unpaid.no-api-key'],
    replying((reply) => (reply.status === 402 ? withHeader(reply, 'WWW-Authenticate', 'Bearer') : reply)),
  ),
  answers(
    'asks-for-an-account-for-text',
    'asks whoever wants a text for name and password beside the payment',
    ['unpaid.no-api-key'],
    replying(
      (reply) =>
        reply.status === 402 ? withHeader(reply, 'WWW-Authenticate', 'Basic realm="texts"') : reply,
      { endpoint: 'completions' },
    ),
  ),
  answers(
    'offer-header-missing',
    'makes no offer on any 402',
    ['unpaid.402.header-present', 'payment.malformed'],
    replying((reply) => withoutHeader(reply, name)),
  ),
  answers(
    'offer-header-missing-on-completions',
    'makes no offer for text completions that nobody has paid for',
    ['unpaid.402.header-present'],
    replying((reply) => withoutHeader(reply, name), { endpoint: 'completions', when: isUnpaid }),
  ),
  answers(
    'offer-in-the-body-alone',
    'makes its offer in the body of the 402 and in no header',
    ['unpaid.402.header-present', 'payment.malformed'],
    replying((reply) => {
      const offer = headerNamed(reply.headers, name);
      return offer === undefined ? reply : withJson(withoutHeader(reply, name), { accepts: [offer] });
    }),
  ),
  answers(
    'offer-in-raw-json',
    'puts the JSON of the offer into its header without base64',
    ['unpaid.402.header-base64'],
    offering((offer) => JSON.stringify(offer)),
  ),
  answers(
    'offer-in-url-safe-base64',
    'encodes the offer with the URL-safe alphabet',
    ['unpaid.402.header-base64'],
    // Such a description has characters of both alphabets whatever stands around it.
    offering((offer) =>
      Buffer.from(JSON.stringify({ ...offer, description: '>>>???~~~' })).toString('base64url'),
    ),
  ),
  answers(
    'offer-in-broken-lines',
    'breaks the base64 of the offer with spaces',
    ['unpaid.402.header-base64'],
    offering((offer) => {
      const text = Buffer.from(JSON.stringify(offer)).toString('base64');
      return `${text.slice(0, 76)} ${text.slice(76)}`;
    }),
  ),
  answers(
    'offer-in-base64-twice',
    'encodes the offer twice',
    ['unpaid.402.header-object'],
    offering((offer) => {
      const once = Buffer.from(JSON.stringify(offer)).toString('base64');
      return Buffer.from(once).toString('base64');
    }),
  ),
  answers(
    'offer-in-an-array',
    'makes its offer as an array of one',
    ['unpaid.402.header-object'],
    offering((offer) => [offer]),
  ),
  answers(
    'offer-under-accepts',
    'wraps its offer as x402 bodies do',
    [
      'offer.scheme',
      'offer.network',
      'offer.maxAmountRequired',
      'offer.resource',
      'offer.resource.per-endpoint',
      'offer.description',
      'offer.mimeType',
      'offer.payTo',
      'offer.maxTimeoutSeconds',
      'offer.asset',
      'offer.extra.name',
      'offer.extra.version',
    ],
    offering((offer) => ({ x402Version: 1, accepts: [offer] })),
  ),
  answers(
    'offer-in-latin-1',
    'encodes the JSON of the offer in Latin-1',
    ['unpaid.402.header-object'],
    offering((offer) =>
      Buffer.from(JSON.stringify({ ...offer, description: 'für Text' }), 'latin1').toString('base64'),
    ),
  ),
];
