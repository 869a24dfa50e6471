import { jsonText } from '../../wire/json-text.ts';
import { type Condition, knowing, takingStreams } from '../conditions.ts';
import type { Edge } from '../edge.ts';
import { onePaymentAtOnce } from '../families/paid-conditions.ts';
import { readPayer } from '../families/signature.ts';
import type { Asked, Reply } from '../message.ts';
import {
  type Endpoint,
  findEndpoint,
  isObject,
  isPaid,
  type Json,
  parsed,
  readPayment,
  withHeader,
  withJson,
} from '../wire-edits.ts';
import { type LegalVariant, marked, open, variant } from './variant.ts';

const parseBody = (text: string): Json => {
  const body = parsed(text);
  return isObject(body) ? body : {};
};

function refusal(reply: Reply, status: number, code: string): Reply {
  const error = { message: 'No.', type: 'invalid_request_error', code };
  return withJson({ status, headers: { 'Content-Type': 'application/json' }, text: reply.text }, { error });
}

/** A gateway that rejects bodies over a limit, where the contract shows no limit. */
function bounding(
  id: string,
  does: string,
  words: string,
  isOver: (body: Json, bytes: number) => boolean,
  status: number,
): LegalVariant {
  return variant(id, does, words, {
    respond: (reply, asked) =>
      findEndpoint(asked) && isOver(parseBody(asked.text), Buffer.byteLength(asked.text))
        ? refusal(reply, status, 'too_much')
        : reply,
  });
}

const unsold = { id: 'alder/alder-embedding' } as const;

/** A gateway that lists other models. */
function listing(change: (models: readonly unknown[]) => readonly unknown[]): NonNullable<Edge['respond']> {
  return (reply, asked) => {
    const list = parseBody(reply.text);
    if (!asked.path.endsWith('/v1/models') || !Array.isArray(list['data'])) return reply;
    return withJson(reply, { ...list, data: change(list['data']) });
  };
}

/** Sells every second model of its list at one endpoint only (D-454). */
function sellingAtOne(endpoint: Endpoint): LegalVariant {
  const odd: Condition = (asked, models) =>
    models.indexOf(parseBody(asked.text)['model']) % 2 === 1 && findEndpoint(asked) !== endpoint;
  const change = (isMet: (asked: Asked) => boolean): Edge => ({
    respond: (reply, asked) => (isMet(asked) ? refusal(reply, 400, 'invalid_request') : reply),
  });
  return {
    id: `models-of-${endpoint}-only`,
    does: `refuses every second model with 400, except for ${endpoint}`,
    open: open.otherEndpoints,
    edge: knowing(change, odd),
  };
}

/** Responds to requests one at a time, in the order of their arrival. */
function oneAtATime(): Edge {
  let turn: Promise<unknown> = Promise.resolve();
  return {
    respond: async (reply) => {
      const before = turn;
      const { promise, resolve } = Promise.withResolvers<void>();
      turn = promise;
      await before;
      setTimeout(resolve, 5);
      return marked(reply);
    },
  };
}

/** Reads a payment in the name of the payer as one without funds, after some served payments. */
function poorAfter(times: number): () => Edge {
  return () => {
    let served = 0;
    const isOfPayer = (asked: Asked, payer: string) => readPayer(readPayment(asked)) === payer;
    return {
      read: (asked, forge) =>
        served >= times && isOfPayer(asked, forge.payer) ? forge.paidBy('stranger', asked) : asked,
      respond: (reply, asked, forge) => {
        if (isOfPayer(asked, forge.payer) && reply.status === 200) served += 1;
        return reply;
      },
    };
  };
}

/** Refuses each request whose Idempotency-Key an earlier request had. */
function usingKeysOnce(): Edge {
  const used = new Set<string>();
  return {
    respond: (reply, asked) => {
      const key = asked.headers['idempotency-key'];
      if (key === undefined || !findEndpoint(asked)) return reply;
      if (used.has(key)) return refusal(reply, 409, 'key_used');
      used.add(key);
      return reply;
    },
  };
}

/** Legal variants under the conditions under which the suite sends requests. */
export const conditionVariants: readonly LegalVariant[] = [
  variant('one-model', 'lists one model', open.otherEndpoints, {
    respond: listing((models) => models.slice(0, 1)),
  }),
  variant(
    'more-models-listed',
    'lists a model that it does not sell, after the others',
    open.otherEndpoints,
    {
      respond: listing((models) => [...models, unsold]),
    },
  ),
  variant(
    'more-models-listed-first',
    'lists a model that it does not sell, before the others',
    open.otherEndpoints,
    {
      respond: listing((models) => [unsold, ...models]),
    },
  ),
  ...(['chat', 'completions'] as const).map((endpoint) => sellingAtOne(endpoint)),
  variant('models-with-a-mark', 'begins its list of models with a byte order mark', open.otherEndpoints, {
    respond: (reply, asked) =>
      asked.path.endsWith('/v1/models') ? { ...reply, text: `\uFEFF${reply.text}` } : reply,
  }),
  {
    ...variant('one-request-at-a-time', 'handles one request at a time', open.anyClient, {}),
    edge: oneAtATime,
  },
  variant(
    'one-request-at-once',
    'returns 429 for a request that arrives during another one',
    open.rateLimit,
    {
      respond: (reply, asked) =>
        asked.beside > 0 && findEndpoint(asked)
          ? withJson(
              { ...reply, status: 429, headers: { 'Content-Type': 'application/json' } },
              { error: { message: 'Later.', type: 'rate_limit_error', code: 'rate_limited' } },
            )
          : reply,
    },
  ),
  ...([429, 503] as const).map((status) => ({
    ...variant(
      `one-payment-at-once-as-${status}`,
      `returns ${status} for a paid request while another one is in progress`,
      status === 429 ? open.rateLimit : open.otherStatuses,
      {},
    ),
    edge: () =>
      onePaymentAtOnce(status, { message: 'Later.', type: 'rate_limit_error', code: 'rate_limited' }),
  })),
  {
    ...variant('poor-payer', 'has a payer whose balance suffices for three payments', open.balance, {}),
    edge: poorAfter(3),
    hides: 'the payer is too poor for the checks of most payments',
  },
  variant('idempotency-keys-refused', 'returns 400 for a request with an Idempotency-Key', open.newVersions, {
    respond: (reply, asked) =>
      findEndpoint(asked) && asked.headers['idempotency-key'] !== undefined
        ? refusal(reply, 400, 'unknown_header')
        : reply,
  }),
  {
    ...variant(
      'idempotency-keys-used-once',
      'returns 409 for a second request with the same Idempotency-Key',
      open.newVersions,
      {},
    ),
    edge: usingKeysOnce,
  },
  variant('session-cookie', 'sets a cookie and a token on each paid response', open.newVersions, {
    respond: (reply, asked) =>
      isPaid(asked) && reply.status === 200
        ? withHeader(
            withHeader(reply, 'Set-Cookie', 'sid=ok; Expires=Fri, 01 Jan 2027 00:00:00 GMT'),
            'X-Session-Token',
            'ok',
          )
        : reply,
  }),
  bounding(
    'large-bodies-refused',
    'returns 413 for a body of more than 16 KiB',
    open.maxTokens,
    (_, bytes) => bytes > 16_384,
    413,
  ),
  bounding(
    'bodies-of-900-bytes-at-most',
    'returns 413 for a body of more than 900 bytes',
    open.maxTokens,
    (_, bytes) => bytes > 900,
    413,
  ),
  bounding(
    'long-texts-refused',
    'returns 400 for a body of more than 4,000 characters',
    open.maxTokens,
    (body) => jsonText(body).length > 4_000,
    400,
  ),
  bounding(
    'five-messages-at-most',
    'returns 422 for more than five messages',
    open.maxTokens,
    ({ messages }) => Array.isArray(messages) && messages.length > 5,
    422,
  ),
  bounding(
    'context-of-the-last-model',
    'returns 400 for more than 2,000 characters with one of its last models',
    open.maxTokens,
    ({ model, ...body }) => /tools|code/.test(String(model)) && jsonText(body).length > 2_000,
    400,
  ),
  bounding(
    'stream-refused',
    'returns 400 for a body with `stream`',
    open.otherEndpoints,
    ({ stream }) => stream !== undefined,
    400,
  ),
  takingStreams(
    variant('stream-taken', 'accepts `stream: true`, and does not stream', open.otherEndpoints, {}),
  ),
  bounding(
    'strangers-refused',
    'returns 400 for the members `stream`, `user` and `metadata`',
    open.newVersions,
    (body) => ['stream', 'user', 'metadata'].some((name) => body[name] !== undefined),
    400,
  ),
];
