import { isUnpaid, offering, replying } from '../edits.ts';
import { type Mutant, responds } from '../mutant.ts';
import { headerNamed, withHeader, withJson, withoutHeader } from '../wire-edits.ts';

const name = 'X-PAYMENT-REQUIRED';
const html = '<!doctype html><title>Pay</title><p>Payment required.</p>';
const chatOnly = { endpoint: 'chat', when: isUnpaid } as const;

/** Mutants of the 402 response to an unpaid request (contract 3, 4.1, 4.2). */
export const unpaidMutants: readonly Mutant[] = [
  responds(
    'chat-demands-with-410',
    'returns 410 instead of 402 for an unpaid chat request',
    ['unpaid.chat.402'],
    replying((reply) => (reply.status === 402 ? { ...reply, status: 410 } : reply), chatOnly),
  ),
  responds(
    'chat-demands-with-a-page',
    'returns 200 with an HTML payment page for an unpaid chat request',
    ['unpaid.chat.402', 'unpaid.never-200'],
    replying(
      (reply) =>
        reply.status === 402 ? { status: 200, headers: { 'Content-Type': 'text/html' }, text: html } : reply,
      chatOnly,
    ),
  ),
  responds(
    'chat-redirects-to-a-shop',
    'redirects an unpaid chat request to another host with 302',
    ['unpaid.chat.402'],
    replying(
      (reply) =>
        reply.status === 402
          ? { status: 302, headers: { Location: 'https://shop.example/pay' }, text: '' }
          : reply,
      chatOnly,
    ),
  ),
  responds(
    'completions-demand-with-410',
    'returns 410 instead of 402 for an unpaid text completion request',
    ['unpaid.completions.402'],
    replying((reply) => (reply.status === 402 ? { ...reply, status: 410 } : reply), {
      endpoint: 'completions',
      when: isUnpaid,
    }),
  ),
  responds(
    'completions-for-nothing',
    'serves an unpaid text completion request',
    ['unpaid.completions.402', 'unpaid.never-200'],
    replying(
      (reply) =>
        reply.status === 402
          ? withJson({ ...reply, status: 200 }, { id: 'a', object: 'text_completion', choices: [] })
          : reply,
      { endpoint: 'completions', when: isUnpaid },
    ),
  ),
  responds(
    'text-bodies-for-nothing',
    'returns 200 for a request with `Content-Type: text/plain`, also without a payment',
    ['unpaid.never-200'],
    replying((reply, asked) =>
      asked.headers['content-type'] === 'text/plain'
        ? withJson({ ...reply, status: 200 }, { id: 'a' })
        : reply,
    ),
  ),
  responds(
    'forbids-instead-of-demanding',
    'returns 403 instead of 402 for an unpaid request',
    ['unpaid.chat.402', 'unpaid.completions.402', 'unpaid.no-api-key'],
    replying((reply) => (reply.status === 402 ? { ...reply, status: 403 } : reply), { when: isUnpaid }),
  ),
  responds(
    'asks-for-a-bearer-token',
    'adds `WWW-Authenticate: Bearer` to every 402 response',
    ['unpaid.no-api-key'],
    replying((reply) => (reply.status === 402 ? withHeader(reply, 'WWW-Authenticate', 'Bearer') : reply)),
  ),
  responds(
    'asks-for-an-account-for-text',
    'adds `WWW-Authenticate: Basic` to every 402 response for a text completion',
    ['unpaid.no-api-key'],
    replying(
      (reply) =>
        reply.status === 402 ? withHeader(reply, 'WWW-Authenticate', 'Basic realm="texts"') : reply,
      { endpoint: 'completions' },
    ),
  ),
  responds(
    'offer-header-missing',
    'omits `X-PAYMENT-REQUIRED` from every 402 response',
    ['unpaid.402.header-present', 'payment.malformed'],
    replying((reply) => withoutHeader(reply, name)),
  ),
  responds(
    'offer-header-missing-on-completions',
    'omits `X-PAYMENT-REQUIRED` from the response to an unpaid text completion request',
    ['unpaid.402.header-present'],
    replying((reply) => withoutHeader(reply, name), { endpoint: 'completions', when: isUnpaid }),
  ),
  responds(
    'offer-in-the-body-alone',
    'sends its offer in the body of the 402 response instead of in `X-PAYMENT-REQUIRED`',
    ['unpaid.402.header-present', 'payment.malformed'],
    replying((reply) => {
      const offer = headerNamed(reply.headers, name);
      return offer === undefined ? reply : withJson(withoutHeader(reply, name), { accepts: [offer] });
    }),
  ),
  responds(
    'offer-in-raw-json',
    'sends its offer in `X-PAYMENT-REQUIRED` as JSON without base64',
    ['unpaid.402.header-base64'],
    offering((offer) => JSON.stringify(offer)),
  ),
  responds(
    'offer-in-url-safe-base64',
    'encodes its offer with URL-safe base64',
    ['unpaid.402.header-base64'],
    // The base64 of this description contains `+` or `/` at any offset, so the two alphabets differ.
    offering((offer) =>
      Buffer.from(JSON.stringify({ ...offer, description: '>>>???~~~' })).toString('base64url'),
    ),
  ),
  responds(
    'offer-in-broken-lines',
    'inserts a space into the base64 of its offer',
    ['unpaid.402.header-base64'],
    offering((offer) => {
      const text = Buffer.from(JSON.stringify(offer)).toString('base64');
      return `${text.slice(0, 76)} ${text.slice(76)}`;
    }),
  ),
  responds(
    'offer-in-base64-twice',
    'encodes its offer twice with base64',
    ['unpaid.402.header-object'],
    offering((offer) => {
      const once = Buffer.from(JSON.stringify(offer)).toString('base64');
      return Buffer.from(once).toString('base64');
    }),
  ),
  responds(
    'offer-in-an-array',
    'sends its offer as an array with one element',
    ['unpaid.402.header-object'],
    offering((offer) => [offer]),
  ),
  responds(
    'offer-under-accepts',
    'wraps its offer in `accepts`, as x402 bodies do',
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
  responds(
    'offer-in-latin-1',
    'encodes the JSON of its offer as Latin-1',
    ['unpaid.402.header-object'],
    offering((offer) =>
      Buffer.from(JSON.stringify({ ...offer, description: 'für Text' }), 'latin1').toString('base64'),
    ),
  ),
];
