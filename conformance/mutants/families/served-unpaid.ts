import type { RequirementId } from '@paid-inference/contract/requirements';
import type { Asked, Reply } from '../message.ts';
import { type Mutant, responds } from '../mutant.ts';
import {
  findEndpoint,
  isObject,
  isPaid,
  messagesIn,
  parsed,
  readPayment,
  withJson,
  withoutHeader,
} from '../wire-edits.ts';

export type Kills = readonly RequirementId[];
export type When = (asked: Asked) => boolean;

export const credential: Kills = ['unpaid.no-api-key', 'unpaid.never-200'];
export const pretext: Kills = ['unpaid.never-200'];

const completion = {
  id: 'a',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'alder/alder-mini',
  choices: [{ index: 0, message: { role: 'assistant', content: 'pong' }, finish_reason: 'stop' }],
};

/** Turns a response into a 200 with a completion. */
export function asServed(reply: Reply): Reply {
  return withJson({ ...withoutHeader(reply, 'X-PAYMENT-REQUIRED'), status: 200 }, completion);
}

/** Serves an unpaid request with some other property. */
export function serving(id: string, what: string, kills: Kills, when: When): Mutant {
  return responds(`serves-for-${id}`, `serves an unpaid request ${what}`, kills, (reply, asked) =>
    asked.method === 'POST' && !isPaid(asked) && reply.status !== 400 && when(asked)
      ? asServed(reply)
      : reply,
  );
}

export const isInference: When = ({ path }) =>
  findEndpoint({ path: path.split('?')[0] ?? '' } as Asked) !== undefined;

export function header(name: string, pattern = /./): When {
  return (asked) => isInference(asked) && pattern.test(asked.headers[name] ?? '');
}

export function member(name: string, isMet = (value: unknown) => value !== undefined): When {
  return (asked) => {
    const body = parsed(asked.text);
    return isInference(asked) && isObject(body) && isMet(body[name]);
  };
}

function both(one: When, other: When): When {
  return (asked) => one(asked) && other(asked);
}

const isChat: When = ({ text }) => text.includes('"messages"');

function listRoles({ text }: Asked): readonly unknown[] {
  const body = parsed(text);
  return isObject(body) ? messagesIn(body).map(({ role }) => role) : [];
}

function readMaxTokens({ text }: Asked): number {
  const body = parsed(text);
  return isObject(body) ? Number(body['max_tokens'] ?? 100) : 100;
}

/** Mutants that serve an unpaid request because of one of its properties (contract 1, 5). */
export const servedUnpaidMutants: readonly Mutant[] = [
  serving(
    'a-bearer-token',
    'with any bearer token',
    ['sequence.paid-then-unpaid', ...credential],
    header('authorization', /^Bearer /),
  ),
  serving(
    'a-bearer-token-for-text',
    'for a text completion with a bearer token',
    credential,
    (asked) => findEndpoint(asked) === 'completions' && /^Bearer /.test(asked.headers['authorization'] ?? ''),
  ),
  serving(
    'an-api-key-of-a-form',
    'with a bearer token that begins with sk-',
    credential,
    header('authorization', /^Bearer sk-/),
  ),
  serving(
    'a-web-token',
    'with a JSON Web Token without a signature',
    credential,
    header('authorization', /^Bearer \w+\.\w+\.$/),
  ),
  serving('a-password', 'with HTTP Basic credentials', credential, header('authorization', /^Basic /)),
  serving('x-api-key', 'with an X-API-Key header', credential, header('x-api-key')),
  serving('api-key', 'with an api-key header', credential, header('api-key')),
  serving('an-auth-token', 'with an X-Auth-Token header', credential, header('x-auth-token')),
  serving('a-proxy-password', 'with a Proxy-Authorization header', credential, header('proxy-authorization')),
  serving('a-cookie', 'with a cookie', credential, header('cookie')),
  serving('a-query', 'with an API key in the query', credential, ({ path }) => /[?&](api_)?key=/.test(path)),
  serving('a-key-in-the-body', 'with `api_key` in the body', credential, member('api_key')),
  serving(
    'a-user-in-the-body',
    'with the user `admin` in the body',
    credential,
    member('user', (user) => user === 'admin'),
  ),
  serving(
    'a-made-up-receipt',
    'with any X-PAYMENT-RESPONSE header',
    ['sequence.paid-then-unpaid', ...pretext],
    header('x-payment-response'),
  ),
  serving(
    'payment-signature',
    'with any PAYMENT-SIGNATURE header',
    ['payment.malformed', 'sequence.paid-then-unpaid', ...pretext],
    header('payment-signature'),
  ),
  serving('payment', 'with any Payment header', pretext, header('payment')),
  serving('a-payment-token', 'with any X-Payment-Token header', pretext, header('x-payment-token')),
  serving('an-underscore', 'with any X_PAYMENT header', pretext, header('x_payment')),
  serving('a-payment-in-the-body', 'with `paid` in the body', pretext, member('paid')),
  serving(
    'a-local-address',
    'with a loopback address in X-Forwarded-For',
    pretext,
    header('x-forwarded-for', /^127\./),
  ),
  serving('a-forwarded-address', 'with any Forwarded header', pretext, header('forwarded')),
  serving('an-operator', 'with an X-Admin header', pretext, header('x-admin')),
  serving('a-test', 'with an X-Test header', pretext, header('x-test')),
  serving(
    'a-probe',
    'with a User-Agent that begins with kube-probe',
    pretext,
    header('user-agent', /^kube-probe/),
  ),
  serving('a-slash', 'with a slash at the end of the path', pretext, ({ path }) =>
    path.endsWith('/completions/'),
  ),
  serving('a-further-segment', 'with a further segment in the path', pretext, ({ path }) =>
    path.endsWith('/completions/x'),
  ),
  serving('two-slashes', 'with two slashes in a row in the path', pretext, ({ path }) =>
    path.includes('/v1//'),
  ),
  serving('capitals', 'with /V1/ in capitals in the path', pretext, ({ path }) => path.includes('/V1/')),
  serving(
    'one-token',
    'with a `max_tokens` of at most 1',
    ['body.valid.unpaid', ...pretext],
    (asked) => isInference(asked) && readMaxTokens(asked) <= 1,
  ),
  serving(
    'one-word',
    'with the `content` "Hi"',
    ['body.valid.unpaid', ...pretext],
    (asked) => isInference(asked) && asked.text.includes('"content":"Hi"'),
  ),
  serving(
    'a-token-scheme',
    'with an Authorization header of the scheme Token',
    credential,
    header('authorization', /^Token /),
  ),
  serving(
    'a-bare-key',
    'with an API key without a scheme in Authorization',
    credential,
    header('authorization', /^sk-/),
  ),
  serving('an-organization', 'with an OpenAI-Organization header', credential, header('openai-organization')),
  serving(
    'a-wallet',
    'with an X-Wallet-Address header',
    ['sequence.paid-then-unpaid', ...pretext],
    header('x-wallet-address'),
  ),
  serving('an-idempotency-key', 'with an Idempotency-Key header', pretext, header('idempotency-key')),
  serving('an-origin', 'with an Origin header', pretext, header('origin')),
  serving(
    'a-visitor',
    'with a loopback address in CF-Connecting-IP',
    pretext,
    header('cf-connecting-ip', /^127\./),
  ),
  serving('a-host', 'with an X-Forwarded-Host header', pretext, header('x-forwarded-host')),
  serving('a-browser', 'that accepts HTML', ['unpaid.chat.402', ...pretext], header('accept', /html/)),
  serving('a-condition', 'with an If-Modified-Since header', pretext, header('if-modified-since')),
  serving(
    'an-overridden-method',
    'with an X-HTTP-Method-Override header',
    pretext,
    header('x-http-method-override'),
  ),
  serving('no-version', 'with a path without /v1', pretext, ({ path }) => path === '/chat/completions'),
  serving('a-prefix', 'with the prefix /api in the path', pretext, ({ path }) => path.startsWith('/api/v1/')),
  serving('an-escape', 'with an escaped letter in the path', pretext, ({ path }) => path.includes('%63')),
  ...['PATCH', 'GET'].map((method) =>
    responds(
      `serves-to-${method.toLowerCase()}`,
      `serves a ${method} request with a chat body without a payment`,
      pretext,
      (reply, asked) =>
        asked.method === method && asked.text.includes('"messages"') ? asServed(reply) : reply,
    ),
  ),
  ...['X-Correlation-Id', 'Via', 'baggage', 'X-Client-Version'].map((name) =>
    serving(
      `the-header-${name.toLowerCase()}`,
      `with the header ${name}`,
      pretext,
      header(name.toLowerCase()),
    ),
  ),
  serving('a-stream', 'that accepts text/event-stream', pretext, header('accept', /event-stream/)),
  serving(
    'an-assistant-at-the-end',
    'whose last message is from the assistant',
    ['conditions.unpaid', ...pretext],
    (asked) => isInference(asked) && listRoles(asked).at(-1) === 'assistant',
  ),
  serving(
    'a-system-message-alone',
    'with system messages alone',
    pretext,
    (asked) => isInference(asked) && listRoles(asked).every((role) => role === 'system') && isChat(asked),
  ),
  serving(
    'an-assistant-at-the-start',
    'whose first message is from the assistant',
    ['body.valid.unpaid', ...pretext],
    (asked) => isInference(asked) && listRoles(asked)[0] === 'assistant',
  ),
  serving(
    'a-question-after-a-result',
    'with a user message directly after a tool result',
    ['body.valid.unpaid', ...pretext],
    (asked) => isInference(asked) && listRoles(asked).join(' ').includes('tool user'),
  ),
  serving(
    'many-messages',
    'with more than twenty messages',
    pretext,
    (asked) => isInference(asked) && listRoles(asked).length > 20,
  ),
  serving(
    'a-token-with-private',
    'with a bearer token and settlement type `private`',
    ['conditions.unpaid', ...pretext],
    both(header('authorization', /^Bearer /), header('x-settlement-type', /^private$/)),
  ),
  serving(
    'a-token-with-batch',
    'with a bearer token and settlement type `batch`',
    ['conditions.unpaid', ...pretext],
    both(header('authorization', /^Bearer /), header('x-settlement-type', /^batch$/)),
  ),
  serving(
    'a-key-with-individual',
    'with an X-API-Key header and settlement type `individual`',
    ['conditions.unpaid', ...pretext],
    both(header('x-api-key'), header('x-settlement-type', /^individual$/)),
  ),
  serving(
    'an-operator-with-private',
    'with an X-Admin header and settlement type `private`',
    ['conditions.unpaid', ...pretext],
    both(header('x-admin'), header('x-settlement-type', /^private$/)),
  ),
  serving(
    'strange-letters',
    'with characters that only random bodies contain',
    pretext,
    (asked) => isInference(asked) && /[^\s\x20-\x7eéèöüß日本🍵\u2028]/u.test(asked.text),
  ),
  {
    id: 'serves-strangers-in-small-letters',
    does: 'serves a payer without funds whose address is in lower case',
    place: 'read',
    kills: ['payment.malformed', 'signature.malformed', ...pretext],
    edge: () => ({
      read: (asked, forge) => {
        const from = String(readPayment(asked)?.authorization['from'] ?? '');
        const isSmall = from !== '' && from === from.toLowerCase() && from !== forge.payer;
        return isSmall ? forge.paidBy('payer', asked) : asked;
      },
    }),
  },
];
