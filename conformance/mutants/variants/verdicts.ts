import { reading, replying } from '../edits.ts';
import type { Asked, Reply } from '../message.ts';
import { endpointOf, isObject, isPaid, type Json, withHeader, withJson } from '../wire-edits.ts';
import { type LegalVariant, open, variant } from './variant.ts';

const own = { error: { message: 'Not here.', type: 'request_error', code: 'not_taken' } };

function answering(id: string, does: string, words: string, status: number, when: (asked: Asked) => boolean) {
  return variant(id, does, words, {
    answer: (reply: Reply, asked: Asked) =>
      asked.method === 'POST' && when(asked) ? withJson({ ...reply, status }, own) : reply,
  });
}

function refusing(id: string, does: string, words: string, isRefused: (body: Json) => boolean): LegalVariant {
  return variant(id, does, words, { read: reading('chat', (body) => (isRefused(body) ? {} : undefined)) });
}

const credentials = [
  'authorization',
  'x-api-key',
  'api-key',
  'x-auth-token',
  'cookie',
  'proxy-authorization',
];
const isSpelledOtherwise = ({ path }: Asked) => /completions\/$|\/\/|[A-Z]/.test(path);

/** Gateways that are lawful where checks look for unpaid requests that are served, JSON, and valid values. */
export const verdictVariants: readonly LegalVariant[] = [
  answering(
    'credentials-refused',
    'answers 400 of its own to whoever sends credentials',
    open.otherStatuses,
    400,
    ({ headers }) => credentials.some((name) => headers[name] !== undefined),
  ),
  answering('queries-not-found', 'answers 404 to a query', open.otherStatuses, 404, ({ path }) =>
    path.includes('?'),
  ),
  answering(
    'proxied-callers-forbidden',
    'answers 403 to whoever says that a proxy sent it',
    open.otherStatuses,
    403,
    ({ headers }) => headers['x-forwarded-for'] !== undefined || headers['forwarded'] !== undefined,
  ),
  answering(
    'receipts-refused',
    'answers 400 of its own to a receipt in a request',
    open.otherStatuses,
    400,
    ({ headers }) => headers['x-payment-response'] !== undefined,
  ),
  variant('other-spellings-redirected', 'redirects other spellings of its paths', open.otherEndpoints, {
    answer: (reply, asked) =>
      isSpelledOtherwise(asked)
        ? { ...withHeader(reply, 'Location', '/v1/chat/completions'), status: 308, text: '' }
        : reply,
  }),
  variant('pages-at-other-paths', 'answers other paths with its page and 200', open.otherEndpoints, {
    answer: (reply, asked) =>
      isSpelledOtherwise(asked)
        ? { status: 200, headers: { 'Content-Type': 'text/html' }, text: '<h1>Welcome</h1>' }
        : reply,
  }),
  variant('other-spellings-taken', 'takes other spellings of its paths for its own', open.otherEndpoints, {
    read: (asked) =>
      isSpelledOtherwise(asked)
        ? { ...asked, path: asked.path.toLowerCase().replace('//', '/').replace(/\/$/, '') }
        : asked,
  }),
  variant('other-refusals-empty', 'refuses other content types with no body', open.otherStatuses, {
    answer: (reply, asked) =>
      endpointOf(asked) && asked.headers['content-type'] === 'text/plain'
        ? { ...reply, status: 415, text: '' }
        : reply,
  }),
  variant('demand-of-a-blank', 'demands payment with a line break', open.requireBody, {
    answer: replying((reply, asked) =>
      reply.status === 402 && !isPaid(asked) ? { ...reply, text: '\r\n' } : reply,
    ),
  }),
  variant('demand-as-a-problem', 'demands payment as application/problem+json', open.requireBody, {
    answer: replying((reply, asked) =>
      reply.status === 402 && !isPaid(asked)
        ? withJson(withHeader(reply, 'Content-Type', 'application/problem+json'), {
            status: 402,
            title: 'Pay',
          })
        : reply,
    ),
  }),
  refusing(
    'nothing-to-go-on-with-refused',
    'refuses a conversation that ends with its own words or with a system message',
    open.acceptable,
    ({ messages }) => {
      const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
      return isObject(last) && (last['role'] === 'assistant' || last['role'] === 'system');
    },
  ),
  refusing(
    'unasked-results-refused',
    'refuses a result that no call before it asked for',
    open.toolCallId,
    ({ messages }) => {
      const first: unknown = Array.isArray(messages) ? messages[0] : undefined;
      return isObject(first) && first['role'] === 'tool';
    },
  ),
  answering(
    'credentials-forbidden-with-a-type',
    'answers 403 to credentials beside a settlement type',
    open.otherStatuses,
    403,
    ({ headers }) =>
      headers['x-settlement-type'] !== undefined && credentials.some((name) => headers[name] !== undefined),
  ),
  refusing(
    'tokens-above-the-default-refused',
    'refuses a `max_tokens` above its default',
    open.maxTokens,
    ({ max_tokens: tokens }) => Number.isInteger(tokens) && Number(tokens) > 100,
  ),
  variant('models-as-strings', 'lists its models as strings', open.otherEndpoints, {
    answer: (reply, asked) =>
      asked.path === '/v1/models' ? withJson(reply, { models: ['alder/alder-mini'] }) : reply,
  }),
];
