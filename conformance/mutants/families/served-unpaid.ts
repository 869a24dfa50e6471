import type { RequirementId } from '@paid-inference/contract/requirements';
import type { Edge } from '../edge.ts';
import type { Asked, Reply } from '../message.ts';
import { answers, type Mutant } from '../mutant.ts';
import {
  endpointOf,
  headerNamed,
  isObject,
  isPaid,
  messagesOf,
  parsed,
  paymentOf,
  withJson,
  withoutHeader,
} from '../wire-edits.ts';

type Kills = readonly RequirementId[];
type When = (asked: Asked) => boolean;

const credential: Kills = ['unpaid.no-api-key', 'unpaid.never-200'];
const pretext: Kills = ['unpaid.never-200'];

const completion = {
  id: 'a',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'alder/alder-mini',
  choices: [{ index: 0, message: { role: 'assistant', content: 'pong' }, finish_reason: 'stop' }],
};

/** A completion without a payment. */
export function asServed(reply: Reply): Reply {
  return withJson({ ...withoutHeader(reply, 'X-PAYMENT-REQUIRED'), status: 200 }, completion);
}

/** Serves an unpaid request that carries something else. */
function serving(id: string, what: string, kills: Kills, when: When): Mutant {
  return answers(`serves-for-${id}`, `serves without a payment for ${what}`, kills, (reply, asked) =>
    asked.method === 'POST' && !isPaid(asked) && reply.status !== 400 && when(asked)
      ? asServed(reply)
      : reply,
  );
}

const isInference: When = ({ path }) => endpointOf({ path: path.split('?')[0] ?? '' } as Asked) !== undefined;

function header(name: string, pattern = /./): When {
  return (asked) => isInference(asked) && pattern.test(asked.headers[name] ?? '');
}

function member(name: string, isMet = (value: unknown) => value !== undefined): When {
  return (asked) => {
    const body = parsed(asked.text);
    return isInference(asked) && isObject(body) && isMet(body[name]);
  };
}

function both(one: When, other: When): When {
  return (asked) => one(asked) && other(asked);
}

const isChat: When = ({ text }) => text.includes('"messages"');

function rolesOf({ text }: Asked): readonly unknown[] {
  const body = parsed(text);
  return isObject(body) ? messagesOf(body).map(({ role }) => role) : [];
}

/** Knows its receipts, and serves whoever has one. */
function servingReceipts(): Edge {
  const receipts = new Set<string>();
  return {
    answer: (reply, asked) => {
      const receipt = headerNamed(reply.headers, 'X-PAYMENT-RESPONSE');
      if (receipt !== undefined) receipts.add(receipt);
      const sent = asked.headers['x-payment-response'];
      return sent !== undefined && !isPaid(asked) && receipts.has(sent) ? asServed(reply) : reply;
    },
  };
}

function tokensOf({ text }: Asked): number {
  const body = parsed(text);
  return isObject(body) ? Number(body['max_tokens'] ?? 100) : 100;
}

/** Unpaid requests that are served (contract 1, 5), each for one thing that they carry or are. */
export const servedUnpaidMutants: readonly Mutant[] = [
  serving('a-bearer-token', 'any bearer token', credential, header('authorization', /^Bearer /)),
  serving(
    'a-bearer-token-for-text',
    'a bearer token, where a text is asked for',
    credential,
    (asked) => endpointOf(asked) === 'completions' && /^Bearer /.test(asked.headers['authorization'] ?? ''),
  ),
  serving(
    'an-api-key-of-a-form',
    'a bearer token that begins with sk-',
    credential,
    header('authorization', /^Bearer sk-/),
  ),
  serving(
    'a-web-token',
    'a JSON Web Token without a signature',
    credential,
    header('authorization', /^Bearer \w+\.\w+\.$/),
  ),
  serving('a-password', 'a name and password', credential, header('authorization', /^Basic /)),
  serving('x-api-key', 'X-API-Key', credential, header('x-api-key')),
  serving('api-key', 'api-key', credential, header('api-key')),
  serving('an-auth-token', 'X-Auth-Token', credential, header('x-auth-token')),
  serving('a-proxy-password', 'Proxy-Authorization', credential, header('proxy-authorization')),
  serving('a-cookie', 'a cookie', credential, header('cookie')),
  serving('a-query', 'a key in the query', credential, ({ path }) => /[?&](api_)?key=/.test(path)),
  serving('a-key-in-the-body', 'a key in the body', credential, member('api_key')),
  serving(
    'a-user-in-the-body',
    'the user `admin` in the body',
    credential,
    member('user', (user) => user === 'admin'),
  ),
  serving(
    'a-made-up-receipt',
    'any receipt',
    ['sequence.paid-then-unpaid', ...pretext],
    header('x-payment-response'),
  ),
  {
    id: 'serves-for-a-receipt',
    does: 'serves again, without a payment, for a receipt that it gave',
    place: 'answer',
    kills: ['sequence.paid-then-unpaid', ...pretext],
    edge: servingReceipts,
  },
  serving('payment-signature', 'anything in PAYMENT-SIGNATURE', pretext, header('payment-signature')),
  serving('payment', 'anything in Payment', pretext, header('payment')),
  serving('a-payment-token', 'anything in X-Payment-Token', pretext, header('x-payment-token')),
  serving('an-underscore', 'anything in X_PAYMENT', pretext, header('x_payment')),
  serving('a-payment-in-the-body', 'a body that says that it is paid', pretext, member('paid')),
  serving(
    'a-local-address',
    'a caller that says it is on the same machine',
    pretext,
    header('x-forwarded-for', /^127\./),
  ),
  serving('a-forwarded-address', 'a local address in Forwarded', pretext, header('forwarded')),
  serving('an-operator', 'a caller that says it is an operator', pretext, header('x-admin')),
  serving('a-test', 'a caller that says it is a test', pretext, header('x-test')),
  serving('a-probe', 'a caller that is called like a probe', pretext, header('user-agent', /^kube-probe/)),
  serving('a-slash', 'a slash at the end of the path', pretext, ({ path }) => path.endsWith('/completions/')),
  serving('two-slashes', 'two slashes in the path', pretext, ({ path }) => path.includes('/v1//')),
  serving('capitals', 'a path in capitals', pretext, ({ path }) => path.includes('/V1/')),
  serving(
    'one-token',
    'at most one token',
    ['body.valid.unpaid', ...pretext],
    (asked) => isInference(asked) && tokensOf(asked) <= 1,
  ),
  serving(
    'one-word',
    'no more than one short word',
    ['body.valid.unpaid', ...pretext],
    (asked) => isInference(asked) && asked.text.includes('"content":"Hi"'),
  ),
  serving('a-token-scheme', 'a key of the scheme Token', credential, header('authorization', /^Token /)),
  serving('a-bare-key', 'a key without a scheme', credential, header('authorization', /^sk-/)),
  serving('an-organization', 'the name of an organization', credential, header('openai-organization')),
  serving('a-wallet', 'the address of a wallet', pretext, header('x-wallet-address')),
  serving('an-idempotency-key', 'an idempotency key', pretext, header('idempotency-key')),
  serving('an-origin', 'a page of its own', pretext, header('origin')),
  serving('a-visitor', 'a local address in CF-Connecting-IP', pretext, header('cf-connecting-ip', /^127\./)),
  serving('a-host', 'the host localhost in X-Forwarded-Host', pretext, header('x-forwarded-host')),
  serving('a-browser', 'a request for a page', pretext, header('accept', /html/)),
  serving('a-condition', 'a conditional request', pretext, header('if-modified-since')),
  serving('an-overridden-method', 'another method in a header', pretext, header('x-http-method-override')),
  serving('no-version', 'a path without a version', pretext, ({ path }) => path === '/chat/completions'),
  serving('a-prefix', 'a path with a prefix', pretext, ({ path }) => path.startsWith('/api/v1/')),
  serving('an-escape', 'an escaped letter in the path', pretext, ({ path }) => path.includes('%63')),
  ...['PATCH', 'GET'].map((method) =>
    answers(
      `serves-to-${method.toLowerCase()}`,
      `serves without a payment who sends a body with ${method}`,
      pretext,
      (reply, asked) =>
        asked.method === method && asked.text.includes('"messages"') ? asServed(reply) : reply,
    ),
  ),
  serving('a-stream', 'a request for a stream', pretext, header('accept', /event-stream/)),
  serving(
    'an-assistant-at-the-end',
    'a last message of the assistant',
    ['conditions.unpaid', ...pretext],
    (asked) => isInference(asked) && rolesOf(asked).at(-1) === 'assistant',
  ),
  serving(
    'a-system-message-alone',
    'nothing but system messages',
    pretext,
    (asked) => isInference(asked) && rolesOf(asked).every((role) => role === 'system') && isChat(asked),
  ),
  serving(
    'an-assistant-at-the-start',
    'a first message of the assistant',
    pretext,
    (asked) => isInference(asked) && rolesOf(asked)[0] === 'assistant',
  ),
  serving(
    'a-question-after-a-result',
    'a question that follows the result of a tool at once',
    pretext,
    (asked) => isInference(asked) && rolesOf(asked).join(' ').includes('tool user'),
  ),
  serving(
    'many-messages',
    'more than twenty messages',
    pretext,
    (asked) => isInference(asked) && rolesOf(asked).length > 20,
  ),
  serving(
    'a-token-with-private',
    'a bearer token, where the settlement type is `private`',
    ['conditions.unpaid', ...pretext],
    both(header('authorization', /^Bearer /), header('x-settlement-type', /^private$/)),
  ),
  serving(
    'a-token-with-batch',
    'a bearer token, where the settlement type is `batch`',
    ['conditions.unpaid', ...pretext],
    both(header('authorization', /^Bearer /), header('x-settlement-type', /^batch$/)),
  ),
  serving(
    'a-key-with-individual',
    'X-API-Key, where the settlement type is `individual`',
    ['conditions.unpaid', ...pretext],
    both(header('x-api-key'), header('x-settlement-type', /^individual$/)),
  ),
  serving(
    'an-operator-with-private',
    'a caller that says it is an operator, where the settlement type is `private`',
    ['conditions.unpaid', ...pretext],
    both(header('x-admin'), header('x-settlement-type', /^private$/)),
  ),
  serving(
    'strange-letters',
    'letters that only random bodies have',
    pretext,
    (asked) => isInference(asked) && /[^\x20-\x7eéè日本🍵\u2028]/u.test(asked.text),
  ),
  {
    id: 'serves-strangers-in-small-letters',
    does: 'serves a payer without funds whose address is in lower case',
    place: 'read',
    kills: ['signature.malformed', ...pretext],
    edge: () => ({
      read: (asked, forge) => {
        const from = String(paymentOf(asked)?.authorization['from'] ?? '');
        const isSmall = from !== '' && from === from.toLowerCase() && from !== forge.payer;
        return isSmall ? forge.paidBy('payer', asked) : asked;
      },
    }),
  },
];
