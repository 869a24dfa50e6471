import type { RequirementId } from '@paid-inference/contract/requirements';
import { failing, isAboutFunds, replying } from '../edits.ts';
import type { Asked, Reply } from '../message.ts';
import { answers, type Mutant } from '../mutant.ts';
import { absent, isObject, type Json, parsed, withHeader, withJson, withMember } from '../wire-edits.ts';

const statuses = [400, 401, 402] as const;
type Part = 'envelope' | 'type' | 'code';

/** What may be wrong with an error body (contract 7), and which parts of it that breaks. */
export const wrongErrors: readonly (readonly [
  id: string,
  does: string,
  breaks: readonly Part[],
  change: (body: Json) => unknown,
])[] = [
  [
    'message-missing',
    'leaves out `error.message`',
    ['envelope'],
    (body) => withMember(body, 'error.message', absent),
  ],
  [
    'message-in-parts',
    'gives `error.message` as an array',
    ['envelope'],
    (body) => withMember(body, 'error.message', ['No.']),
  ],
  [
    'type-missing',
    'leaves out `error.type`',
    ['envelope', 'type'],
    (body) => withMember(body, 'error.type', absent),
  ],
  ['type-other', 'gives another `error.type`', ['type'], (body) => withMember(body, 'error.type', 'error')],
  [
    'code-missing',
    'leaves out `error.code`',
    ['envelope', 'code'],
    (body) => withMember(body, 'error.code', absent),
  ],
  ['code-other', 'gives another `error.code`', ['code'], (body) => withMember(body, 'error.code', 'bad')],
  ['type-and-code-swapped', 'swaps `error.type` and `error.code`', ['type', 'code'], swapped],
  [
    'error-at-top-level',
    'has no `error` around its error',
    ['envelope', 'type', 'code'],
    ({ error }) => error,
  ],
  ['error-is-a-string', 'gives `error` as a string', ['envelope', 'type', 'code'], () => ({ error: 'No.' })],
  ['error-in-html', 'answers errors with a page', ['envelope', 'type', 'code'], () => '<h1>No.</h1>'],
];

const bodies = statuses.flatMap((status) => [
  ...wrongErrors.map(([id, does, breaks, change]) =>
    answers(
      `${id}-on-${status}`,
      `${does} on ${status}`,
      breaks.map((part): RequirementId => `error.${status}.${part}`),
      failing(status, change),
    ),
  ),
  answers(
    `declared-as-text-on-${status}`,
    `declares its ${status} as text/plain`,
    [`error.${status}.content-type`],
    replying((reply) => (reply.status === status ? withHeader(reply, 'Content-Type', 'text/plain') : reply)),
  ),
]);

const refusal = { error: { message: 'No.', type: 'invalid_request_error', code: 'invalid_request' } };
const fault = { error: { message: 'No.', type: 'server_error', code: 'internal_error' } };

/** A fault of the server, with the body that it should have or another. */
function faulty(reply: Reply, body: unknown = fault): Reply {
  return { ...reply, status: 500, text: typeof body === 'string' ? body : JSON.stringify(body) };
}

/** Any 500 is one too many, and those are ill written. */
const faults = wrongErrors.map(([id, does, breaks, change]) =>
  answers(
    `${id}-on-500`,
    `${does} on 500`,
    [...breaks.map((part): RequirementId => `error.500.${part}`), 'error.none-5xx'],
    (reply, asked) => (isUnknownPath(asked) ? faulty(reply, change(fault)) : reply),
  ),
);

/** The same, rightly written and wrongly declared. */
const faultInText = answers(
  'declared-as-text-on-500',
  'declares its 500 as text/plain',
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
  answers(
    'poor-chat-as-400',
    'answers 400 to a chat whose payer owns too little',
    ['funds.insufficient.402'],
    replying((reply) => ({ ...reply, status: 400 }), { endpoint: 'chat', when: isAboutFunds }),
  ),
  answers(
    'poor-completions-as-403',
    'answers 403 to a text completion whose payer owns too little',
    ['funds.insufficient.completions'],
    replying((reply) => ({ ...reply, status: 403 }), { endpoint: 'completions', when: isAboutFunds }),
  ),
  answers(
    'poor-payers-served',
    'serves who owns too little',
    ['funds.insufficient.402', 'funds.insufficient.completions', 'unpaid.never-200'],
    replying((reply) => ({ ...reply, status: 200 }), { when: isAboutFunds }),
  ),
  answers(
    'ascii-alone',
    'refuses letters outside ASCII',
    ['body.valid.unpaid', 'robustness.valid-bodies'],
    replying((reply, asked) =>
      reply.status === 402 && /[^ -~]/.test(asked.text)
        ? withJson({ ...reply, status: 400 }, refusal)
        : reply,
    ),
  ),
  answers(
    // Only chance has such letters in an invalid body.
    'fault-beyond-ascii',
    'answers 500 to an invalid body with letters outside ASCII',
    ['robustness.invalid-bodies'],
    replying((reply, asked) => (reply.status === 400 && /[^ -~]/.test(asked.text) ? faulty(reply) : reply)),
  ),
  answers(
    'fault-on-unknown-path',
    'answers 500 to a path that it has not',
    ['error.none-5xx'],
    (reply, asked) => (isUnknownPath(asked) ? faulty(reply) : reply),
  ),
  answers(
    'fault-on-broken-json',
    'answers 500 to a body that is not JSON',
    ['body.chat.json', 'error.none-5xx'],
    replying(
      (reply, asked) => (asked.method === 'POST' && parsed(asked.text) === undefined ? faulty(reply) : reply),
      { endpoint: 'chat' },
    ),
  ),
  answers(
    'fault-on-payment-without-base64',
    'answers 500 to an `X-PAYMENT` that is not base64',
    ['payment.malformed', 'error.none-5xx'],
    replying((reply, asked) => (asked.headers['x-payment'] === '%%%' ? faulty(reply) : reply)),
  ),
];
