import type { RequirementId } from '@paid-inference/contract/requirements';
import { parseBody } from '../conditions.ts';
import type { Edge } from '../edge.ts';
import type { Asked } from '../message.ts';
import { type Mutant, responds } from '../mutant.ts';
import {
  type Endpoint,
  findEndpoint,
  isObject,
  isPaid,
  messagesIn,
  parsed,
  withJson,
} from '../wire-edits.ts';
import { asServed, header, pretext, type When } from './served-unpaid.ts';

/** Choices as a completion of each endpoint has them. */
const choices: Readonly<Record<Endpoint, readonly object[]>> = {
  chat: [{ index: 0, message: { role: 'assistant', content: 'pong' }, finish_reason: 'stop' }],
  completions: [{ index: 0, text: ' four', finish_reason: 'stop' }],
};

const typeOf = header.bind(undefined, 'x-settlement-type');

/** The content of the last message, or the prompt. */
function readLastText(asked: Asked): string | undefined {
  const body = parseBody(asked);
  const words = body['prompt'] ?? messagesIn(body).at(-1)?.['content'];
  return typeof words === 'string' ? words : undefined;
}

/** Mutants that serve unpaid requests with almost empty or unusual bodies and headers (D-204, D-205, D-244, D-246). */
export const servedOddMutants: readonly Mutant[] = [
  serving(
    'an-empty-prompt',
    'with an empty prompt',
    (asked) => findEndpoint(asked) === 'completions' && readLastText(asked) === '',
  ),
  serving(
    'empty-content',
    'whose last chat message is empty',
    (asked) => findEndpoint(asked) === 'chat' && readLastText(asked) === '',
  ),
  serving('a-blank-text', 'with a text of white space alone', (asked) =>
    /^\s+$/.test(readLastText(asked) ?? ''),
  ),
  serving(
    'one-character',
    'whose last chat message has one character',
    (asked) => findEndpoint(asked) === 'chat' && readLastText(asked)?.length === 1,
    // The digit 0 is a valid text.
    ['body.valid.unpaid'],
  ),
  serving(
    'own-pages',
    'with its own origin as Origin',
    (asked) =>
      findEndpoint(asked) !== undefined && asked.headers['origin'] === `http://${asked.headers['host']}`,
  ),
  serving(
    'a-dry-run',
    'with `dry_run`',
    (asked) => findEndpoint(asked) !== undefined && asked.text.includes('"dry_run":true'),
  ),
  serving('no-tokens', 'with `max_tokens` 0', (asked) => parseBody(asked)['max_tokens'] === 0),
  serving(
    'no-user-agent',
    'without a User-Agent header',
    ({ headers }) => headers['user-agent'] === undefined,
  ),
  serving(
    'no-content-type',
    'without a Content-Type header',
    ({ headers }) => headers['content-type'] === undefined,
  ),
  serving('a-form', 'with the Content-Type of a form', ({ headers }) =>
    /form/.test(headers['content-type'] ?? ''),
  ),
  serving(
    'an-expectation',
    'with an Expect header',
    (asked) => findEndpoint(asked) !== undefined && asked.headers['expect'] !== undefined,
  ),
  ...[300_000, 1_200_000].map((bytes) =>
    serving(`${bytes}-bytes`, `with a body of ${bytes} bytes or more`, ({ text }) => text.length >= bytes),
  ),
  serving('chunks', 'with a chunked body', ({ headers }) => headers['transfer-encoding'] === 'chunked', [
    'unpaid.chat.402',
  ]),
  serving('a-form-body-of-a-chat', 'for a chat whose body is a form', (asked) =>
    /^model=.*&messages/.test(asked.text),
  ),
  serving('a-form-body-of-a-text', 'for a text completion whose body is a form', (asked) =>
    /^model=.*&prompt=/.test(asked.text),
  ),
  serving('a-blank-start', 'whose body starts with white space', ({ text }) => /^\s+\{/.test(text), [
    'body.valid.unpaid',
  ]),
  serving('a-type-in-capitals', 'with a settlement type in capitals', typeOf(/^[A-Z]+$/)),
  serving(
    'a-type-with-a-capital',
    'with a settlement type that begins with a capital',
    typeOf(/^[A-Z][a-z]/),
  ),
  serving(
    'an-empty-type',
    'with an empty settlement type',
    (asked) => asked.headers['x-settlement-type'] === '',
  ),
  ...(['chat', 'completions'] as const).map((endpoint) =>
    servingIn(
      `402-for-${endpoint}`,
      `a 402 to an unpaid request (${endpoint})`,
      endpoint,
      (asked, status) => status === 402 && !isPaid(asked),
    ),
  ),
  servingIn(
    '402-for-a-system-message',
    'a 402 to an unpaid chat with a system message alone',
    'chat',
    (asked, status) =>
      status === 402 && !isPaid(asked) && messagesIn(parseBody(asked)).every(({ role }) => role === 'system'),
  ),
  servingIn(
    '402-insufficient-funds',
    'a 402 insufficient_funds',
    'chat',
    (asked, status) => status === 402 && isPaid(asked),
  ),
  servingIn('401', 'a 401', 'chat', (_, status) => status === 401),
  {
    id: 'serves-one-of-many-at-once',
    does: 'serves unpaid requests while it has eight or more',
    kills: pretext,
    place: 'respond',
    edge: () => servingWhileBusy(8),
  },
];

/** Serves unpaid requests while so many are in progress. */
function servingWhileBusy(requestsMin: number): Edge {
  let open = 0;
  return {
    read: (asked) => {
      open += 1;
      return asked;
    },
    respond: (reply, asked) => {
      open -= 1;
      const isBusy = open + 1 >= requestsMin;
      return isBusy && findEndpoint(asked) !== undefined && !isPaid(asked) ? asServed(reply) : reply;
    },
  };
}

/** Adds a completion to the JSON body of a refusal. */
function servingIn(
  id: string,
  what: string,
  endpoint: Endpoint,
  when: (asked: Asked, status: number) => boolean,
): Mutant {
  return responds(
    `serves-in-a-${id}`,
    `puts a completion into the body of ${what}`,
    pretext,
    (reply, asked) => {
      if (findEndpoint(asked) !== endpoint || !when(asked, reply.status)) return reply;
      const body = parsed(reply.text);
      return withJson(reply, { ...(isObject(body) && body), choices: choices[endpoint] });
    },
  );
}

/** Serves an unpaid request without validating its body. */
function serving(id: string, what: string, when: When, more: readonly RequirementId[] = []): Mutant {
  return responds(
    `serves-for-${id}`,
    `serves an unpaid request ${what}`,
    ['unpaid.never-200', ...more],
    (reply, asked) => (findEndpoint(asked) && !isPaid(asked) && when(asked) ? asServed(reply) : reply),
  );
}
