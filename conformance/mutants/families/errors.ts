import type { RequirementId } from '@paid-inference/contract/requirements';
import { failing, isAboutFunds, replying } from '../edits.ts';
import type { Asked, Reply } from '../message.ts';
import { type Mutant, responds } from '../mutant.ts';
import { absent, isObject, type Json, parsed, withHeader, withJson, withMember } from '../wire-edits.ts';

const statuses = [400, 401, 402] as const;
type Part = 'envelope' | 'type' | 'code';

/** Characters that only random bodies contain. */
const strangeCharacters = /[^\0-\x7féèü日本🍵\u2028]/u;

/** Faults of an error body (contract 7), with the parts of the error that each fault breaks. */
export const wrongErrors: readonly (readonly [
  id: string,
  does: string,
  breaks: readonly Part[],
  change: (body: Json) => unknown,
])[] = [
  [
    'message-missing',
    'omits `error.message`',
    ['envelope'],
    (body) => withMember(body, 'error.message', absent),
  ],
  [
    'message-in-parts',
    'sends `error.message` as an array',
    ['envelope'],
    (body) => withMember(body, 'error.message', ['No.']),
  ],
  [
    'type-missing',
    'omits `error.type`',
    ['envelope', 'type'],
    (body) => withMember(body, 'error.type', absent),
  ],
  ['type-other', 'sends a wrong `error.type`', ['type'], (body) => withMember(body, 'error.type', 'error')],
  [
    'code-missing',
    'omits `error.code`',
    ['envelope', 'code'],
    (body) => withMember(body, 'error.code', absent),
  ],
  ['code-other', 'sends a wrong `error.code`', ['code'], (body) => withMember(body, 'error.code', 'bad')],
  ['type-and-code-swapped', 'swaps `error.type` and `error.code`', ['type', 'code'], swapped],
  [
    'error-at-top-level',
    'sends the members of `error` at the top level',
    ['envelope', 'type', 'code'],
    ({ error }) => error,
  ],
  ['error-is-a-string', 'sends `error` as a string', ['envelope', 'type', 'code'], () => ({ error: 'No.' })],
  [
    'error-in-html',
    'sends HTML instead of an error body',
    ['envelope', 'type', 'code'],
    () => '<h1>No.</h1>',
  ],
];

const bodies = statuses.flatMap((status) => [
  ...wrongErrors.map(([id, does, breaks, change]) =>
    responds(
      `${id}-on-${status}`,
      `${does} in ${status} responses`,
      breaks.map((part): RequirementId => `error.${status}.${part}`),
      failing(status, change),
    ),
  ),
  responds(
    `declared-as-text-on-${status}`,
    `declares ${status} responses as text/plain`,
    [`error.${status}.content-type`],
    replying((reply) => (reply.status === status ? withHeader(reply, 'Content-Type', 'text/plain') : reply)),
  ),
]);

const refusal = { error: { message: 'No.', type: 'invalid_request_error', code: 'invalid_request' } };
const fault = { error: { message: 'No.', type: 'server_error', code: 'internal_error' } };

/** A 500 response with the correct error body or another one. */
function faulty(reply: Reply, body: unknown = fault): Reply {
  return { ...reply, status: 500, text: typeof body === 'string' ? body : JSON.stringify(body) };
}

/** Any 500 is a violation (`error.none-5xx`). These have an invalid body as well. */
const faults = wrongErrors.map(([id, does, breaks, change]) =>
  responds(
    `${id}-on-500`,
    `${does} in a 500 response to an unknown path`,
    [...breaks.map((part): RequirementId => `error.500.${part}`), 'error.none-5xx'],
    (reply, asked) => (isUnknownPath(asked) ? faulty(reply, change(fault)) : reply),
  ),
);

/** A 500 with a correct body and a wrong content type. */
const faultInText = responds(
  'declared-as-text-on-500',
  'declares a 500 response to an unknown path as text/plain',
  ['error.500.content-type', 'error.none-5xx'],
  (reply, asked) => (isUnknownPath(asked) ? withHeader(faulty(reply), 'Content-Type', 'text/plain') : reply),
);

function isUnknownPath({ path }: Asked): boolean {
  return path.startsWith('/v1/no-such');
}

function swapped(body: Json): Json {
  const error = isObject(body['error']) ? body['error'] : {};
  return { ...body, error: { ...error, type: error['code'], code: error['type'] } };
}

export const errorMutants: readonly Mutant[] = [
  ...bodies,
  ...faults,
  faultInText,
  responds(
    'poor-chat-as-400',
    'returns 400 instead of 402 for a chat when the balance is too low',
    ['funds.insufficient.402'],
    replying((reply) => ({ ...reply, status: 400 }), { endpoint: 'chat', when: isAboutFunds }),
  ),
  responds(
    'poor-completions-as-403',
    'returns 403 instead of 402 for a text completion when the balance is too low',
    ['funds.insufficient.completions'],
    replying((reply) => ({ ...reply, status: 403 }), { endpoint: 'completions', when: isAboutFunds }),
  ),
  responds(
    'poor-payers-served',
    'returns 200 when the balance is too low',
    [
      'funds.insufficient.402',
      'funds.insufficient.completions',
      'payment.malformed',
      'sequence.paid-then-unpaid',
      'unpaid.never-200',
    ],
    replying((reply) => ({ ...reply, status: 200 }), { when: isAboutFunds }),
  ),
  responds(
    'ascii-alone',
    'returns 400 instead of 402 for a body with characters outside printable ASCII',
    ['body.valid.unpaid', 'robustness.valid-bodies', 'unpaid.chat.402'],
    replying((reply, asked) =>
      reply.status === 402 && /[^ -~]/.test(asked.text)
        ? withJson({ ...reply, status: 400 }, refusal)
        : reply,
    ),
  ),
  responds(
    'fault-for-strange-characters',
    'returns 500 instead of 400 for a body with characters that only random bodies contain',
    ['robustness.invalid-bodies'],
    replying((reply, asked) =>
      reply.status === 400 && strangeCharacters.test(asked.text) ? faulty(reply) : reply,
    ),
  ),
  responds(
    'html-for-strange-characters',
    'sends HTML with a 400 for a body with characters that only random bodies contain',
    ['error.400.envelope'],
    replying((reply, asked) =>
      reply.status === 400 && strangeCharacters.test(asked.text) ? { ...reply, text: '<h1>No.</h1>' } : reply,
    ),
  ),
  responds('fault-on-unknown-path', 'returns 500 for an unknown path', ['error.none-5xx'], (reply, asked) =>
    isUnknownPath(asked) ? faulty(reply) : reply,
  ),
  responds(
    'fault-on-broken-json',
    'returns 500 for a chat request whose body is not JSON',
    ['body.chat.json', 'error.none-5xx'],
    replying(
      (reply, asked) => (asked.method === 'POST' && parsed(asked.text) === undefined ? faulty(reply) : reply),
      { endpoint: 'chat' },
    ),
  ),
  responds(
    'fault-on-payment-without-base64',
    'returns 500 for an `X-PAYMENT` header that is not base64',
    ['payment.malformed', 'error.none-5xx'],
    replying((reply, asked) => (asked.headers['x-payment'] === '%%%' ? faulty(reply) : reply)),
  ),
];
