import { offering, reading, replying } from '../edits.ts';
import type { Asked, Reply } from '../message.ts';
import { findEndpoint, isObject, isPaid, type Json, withHeader, withJson } from '../wire-edits.ts';
import { type LegalVariant, open, variant } from './variant.ts';

const own = { error: { message: 'Not here.', type: 'request_error', code: 'not_taken' } };

function answering(id: string, does: string, words: string, status: number, when: (asked: Asked) => boolean) {
  return variant(id, does, words, {
    respond: (reply: Reply, asked: Asked) =>
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
  'apikey',
  'x-litellm-api-key',
  'x-goog-api-key',
  'ocp-apim-subscription-key',
  'x-access-token',
];
/** A query may have capitals without being another spelling of the path. */
const isSpelledOtherwise = ({ path }: Asked) => /^[^?]*(?:completions\/(?=\?|$)|\/\/|[A-Z])/.test(path);

/** Legal variants near the checks of unpaid requests, of JSON bodies and of valid values. */
export const verdictVariants: readonly LegalVariant[] = [
  answering(
    'credentials-refused',
    'returns 400 with its own error for a request with credentials',
    open.otherStatuses,
    400,
    ({ headers }) => credentials.some((name) => headers[name] !== undefined),
  ),
  answering(
    'other-schemes-unauthorized',
    'returns 401 with its own error for a request with Authorization',
    open.otherStatuses,
    401,
    ({ headers }) => headers['authorization'] !== undefined,
  ),
  variant('delete-without-content', 'returns 204 for a DELETE request', open.otherEndpoints, {
    respond: (reply, asked) => (asked.method === 'DELETE' ? { ...reply, status: 204, text: '' } : reply),
  }),
  variant(
    'objects-at-other-paths',
    'returns 200 with an object about its interface at other paths',
    open.otherEndpoints,
    {
      respond: (reply, asked) =>
        asked.method === 'POST' && reply.status === 404
          ? withJson(
              { ...reply, status: 200 },
              { message: 'See /openapi.json.', response: 'none', output: ['text'], content: [] },
            )
          : reply,
    },
  ),
  answering('queries-not-found', 'returns 404 for a path with a query', open.otherStatuses, 404, ({ path }) =>
    path.includes('?'),
  ),
  answering(
    'proxied-callers-forbidden',
    'returns 403 for a request with X-Forwarded-For or Forwarded',
    open.otherStatuses,
    403,
    ({ headers }) => headers['x-forwarded-for'] !== undefined || headers['forwarded'] !== undefined,
  ),
  variant(
    'url-of-the-proxy-offered',
    'takes the scheme of its offered URL from X-Forwarded-Proto',
    open.resource,
    {
      respond: offering((offer, { headers }) => ({
        ...offer,
        resource: String(offer['resource']).replace(/^[a-z]+/, headers['x-forwarded-proto'] ?? '$&'),
      })),
    },
  ),
  answering(
    'receipts-refused',
    'returns 400 with its own error for a request with X-PAYMENT-RESPONSE',
    open.otherStatuses,
    400,
    ({ headers }) => headers['x-payment-response'] !== undefined,
  ),
  variant(
    'other-spellings-redirected',
    'redirects other spellings of its paths with 308',
    open.otherEndpoints,
    {
      respond: (reply, asked) =>
        isSpelledOtherwise(asked)
          ? { ...withHeader(reply, 'Location', '/v1/chat/completions'), status: 308, text: '' }
          : reply,
    },
  ),
  variant(
    'pages-at-other-paths',
    'returns 200 with an HTML page for other spellings of its paths',
    open.otherEndpoints,
    {
      respond: (reply, asked) =>
        isSpelledOtherwise(asked)
          ? { status: 200, headers: { 'Content-Type': 'text/html' }, text: '<h1>Welcome</h1>' }
          : reply,
    },
  ),
  variant('other-spellings-taken', 'accepts other spellings of its paths', open.otherEndpoints, {
    read: (asked) =>
      isSpelledOtherwise(asked)
        ? { ...asked, path: asked.path.toLowerCase().replace('//', '/').replace(/\/$/, '') }
        : asked,
  }),
  variant(
    'other-refusals-empty',
    'returns 415 with an empty body for a text/plain request',
    open.otherStatuses,
    {
      respond: (reply, asked) =>
        findEndpoint(asked) && asked.headers['content-type'] === 'text/plain'
          ? { ...reply, status: 415, text: '' }
          : reply,
    },
  ),
  variant('demand-of-a-blank', 'sends a line break as the body of its 402 response', open.requireBody, {
    respond: replying((reply, asked) =>
      reply.status === 402 && !isPaid(asked) ? { ...reply, text: '\r\n' } : reply,
    ),
  }),
  variant(
    'demand-as-a-problem',
    'declares the body of its 402 response as application/problem+json',
    open.requireBody,
    {
      respond: replying((reply, asked) =>
        reply.status === 402 && !isPaid(asked)
          ? withJson(withHeader(reply, 'Content-Type', 'application/problem+json'), {
              status: 402,
              title: 'Pay',
            })
          : reply,
      ),
    },
  ),
  refusing(
    'nothing-to-go-on-with-refused',
    'rejects a conversation that ends with an assistant or system message',
    open.acceptable,
    ({ messages }) => {
      const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
      return isObject(last) && (last['role'] === 'assistant' || last['role'] === 'system');
    },
  ),
  refusing(
    'unasked-results-refused',
    'rejects a conversation that begins with a tool result',
    open.toolCallId,
    ({ messages }) => {
      const first: unknown = Array.isArray(messages) ? messages[0] : undefined;
      return isObject(first) && first['role'] === 'tool';
    },
  ),
  answering(
    'credentials-forbidden-with-a-type',
    'returns 403 for a request with credentials and a settlement type',
    open.otherStatuses,
    403,
    ({ headers }) =>
      headers['x-settlement-type'] !== undefined && credentials.some((name) => headers[name] !== undefined),
  ),
  refusing(
    'tokens-above-the-default-refused',
    'rejects a `max_tokens` above the default of 100',
    open.maxTokens,
    ({ max_tokens: tokens }) => Number.isInteger(tokens) && Number(tokens) > 100,
  ),
  {
    ...variant('models-without-provider', 'lists its models without their provider', open.otherEndpoints, {
      respond: (reply, asked) =>
        asked.path === '/v1/models'
          ? withJson(reply, { data: [{ id: 'alder-mini', owned_by: 'alder' }] })
          : reply,
    }),
    listsNoModels: true,
  },
  variant('models-as-strings', 'lists its models as strings', open.otherEndpoints, {
    respond: (reply, asked) =>
      asked.path === '/v1/models' ? withJson(reply, { models: ['alder/alder-mini'] }) : reply,
  }),
];
