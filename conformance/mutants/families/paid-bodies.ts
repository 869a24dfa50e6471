import { isPaidWithFunds, reading } from '../edits.ts';
import { type Mutant, reads } from '../mutant.ts';
import {
  type Endpoint,
  findEndpoint,
  isObject,
  isPaid,
  type Json,
  messagesIn,
  parsed,
  withJson,
  without,
} from '../wire-edits.ts';
import { refusing } from './bodies.ts';

const words = 'Say pong.';
/** Reads texts alone: other members may be nested too deeply to serialize again. */
const isOfOtherScripts = (body: Json) => {
  const texts = [body['prompt'], ...messagesIn(body).map(({ content }) => content)];
  return texts.some((text) => typeof text === 'string' && /[^\p{ASCII}\u0080-\u00ff]/u.test(text));
};
/** Another payment has tools and such messages too. */
const isConversation = (body: Json) =>
  body['tools'] === undefined &&
  messagesIn(body).some(({ role, content }) => role === 'assistant' && typeof content === 'string');
const isAt = (temperature: number) => (body: Json) => body['temperature'] === temperature;
const isBareText = (body: Json) => body['prompt'] !== undefined && body['max_tokens'] === undefined;
const hasTwoTools = ({ tools }: Json) => Array.isArray(tools) && tools.length > 1;
const offersTools = (body: Json) =>
  Array.isArray(body['tools']) &&
  body['tool_choice'] !== 'none' &&
  !messagesIn(body).some(({ role }) => role === 'tool');

type Valid = readonly [id: string, does: string, isRefused: (body: Json) => boolean, endpoint?: Endpoint];

/** Valid bodies that a mutant rejects (contract 3). */
const valid: readonly Valid[] = [
  ['other-scripts-refused', 'rejects a chat with text outside Latin-1', isOfOtherScripts],
  [
    'conversations-refused',
    'rejects a chat without tools that has an assistant message with text',
    isConversation,
  ],
  ['temperature-0-refused', 'rejects a `temperature` of 0 (chat)', isAt(0)],
  ['temperature-2-refused', 'rejects a `temperature` of 2 (chat)', isAt(2)],
  [
    'other-scripts-of-text-refused',
    'rejects a text completion with text outside Latin-1',
    isOfOtherScripts,
    'completions',
  ],
  ['text-temperature-0-refused', 'rejects a `temperature` of 0 (completions)', isAt(0), 'completions'],
];

type Invalid = readonly [
  id: string,
  does: string,
  endpoint: Endpoint,
  mend: (body: Json) => Json | undefined,
];

/** Rules that a mutant enforces only for unpaid requests (contract 3, 7). */
const invalid: readonly Invalid[] = [
  [
    'text-temperature-not-read-again-once-paid',
    'serves a paid text completion with a `temperature` above 2, which it rejects unpaid',
    'completions',
    (body) => (Number(body['temperature']) > 2 ? { ...body, temperature: 2 } : undefined),
  ],
  [
    'prompts-not-read-again-once-paid',
    'serves a paid text completion with a number as `prompt`, which it rejects unpaid',
    'completions',
    (body) => (typeof body['prompt'] === 'number' ? { ...body, prompt: 'One, two, three,' } : undefined),
  ],
  [
    'roles-not-read-again-once-paid',
    'serves a paid chat with an unknown `role`, which it rejects unpaid',
    'chat',
    (body) =>
      messagesIn(body).some(({ role }) => role === 'narrator')
        ? { ...body, messages: [{ role: 'user', content: words }] }
        : undefined,
  ],
  [
    'messages-not-demanded-once-paid',
    'serves a paid chat without `messages`, which it rejects unpaid',
    'chat',
    (body) =>
      body['messages'] === undefined ? { ...body, messages: [{ role: 'user', content: words }] } : undefined,
  ],
  [
    'numerals-taken-once-paid',
    'serves a paid chat with a string as `max_tokens`, which it rejects unpaid',
    'chat',
    (body) =>
      typeof body['max_tokens'] === 'string'
        ? { ...body, max_tokens: Number(body['max_tokens']) }
        : undefined,
  ],
];

const hasLength = (value: unknown, length: number) => Array.isArray(value) && value.length >= length;
const isCalled = ({ tool_calls: calls }: Json) => hasLength(calls, 1);

const rolesOf = (body: Json) => messagesIn(body).map(({ role }) => role);

/** Valid bodies that a mutant rejects only once they are paid. Other mutants reject them unpaid (contract 3, D-231). */
const validUnpaid: readonly Valid[] = [
  [
    'names',
    'rejects a message with `name`',
    (body) => messagesIn(body).some(({ name }) => name !== undefined),
  ],
  ['two-stops', 'rejects two stop sequences (chat)', (body) => hasLength(body['stop'], 2)],
  [
    'two-stops-of-text',
    'rejects two stop sequences (completions)',
    (body) => hasLength(body['stop'], 2),
    'completions',
  ],
  [
    'signs-of-templates',
    'rejects a chat with braces in a text',
    (body) => messagesIn(body).some(({ role, content }) => role === 'user' && /[{}]/.test(String(content))),
  ],
  [
    'quotes-of-text',
    'rejects a text completion with an apostrophe',
    (body) => String(body['prompt']).includes("'"),
    'completions',
  ],
  [
    'stops-as-expressions',
    'rejects a stop sequence that is no regular expression (chat)',
    (body) => hasLength(body['stop'], 1) && String(body['stop']).includes('*'),
  ],
  [
    'nested-parameters',
    'rejects a tool with nested parameters',
    (body) => JSON.stringify(body['tools'] ?? []).includes('"items"'),
  ],
  [
    'two-tools',
    'rejects two tools beside `tool_choice` `none`',
    (body) => hasLength(body['tools'], 2) && body['tool_choice'] === 'none',
  ],
  [
    'calls-without-content',
    'rejects an assistant message without `content`',
    (body) => messagesIn(body).some((each) => isCalled(each) && each['content'] === undefined),
  ],
  [
    'results-in-plain-text',
    'rejects a tool result that is not JSON',
    (body) =>
      messagesIn(body).some(({ role, content }) => role === 'tool' && parsed(String(content)) === undefined),
  ],
  [
    'fractions',
    'rejects a fraction as `temperature` (chat)',
    (body) => body['temperature'] !== undefined && !Number.isInteger(body['temperature']),
  ],
  [
    'two-system-messages',
    'rejects a second system message',
    (body) => rolesOf(body).filter((role) => role === 'system').length > 1,
  ],
  [
    'late-system-messages',
    'rejects a system message after an assistant message',
    (body) =>
      rolesOf(body).some((role, at, roles) => role === 'system' && roles.slice(0, at).includes('assistant')),
  ],
  [
    'assistants-before-a-question',
    'rejects an assistant message before the first question',
    (body) => rolesOf(body).find((role) => role !== 'system') === 'assistant',
  ],
  [
    'two-questions',
    'rejects two user messages in a row',
    (body) => rolesOf(body).some((role, at, roles) => role === 'user' && roles[at - 1] === 'user'),
  ],
  [
    'calls-without-tools',
    'rejects a chat with tool calls and without `tools`',
    (body) => body['tools'] === undefined && messagesIn(body).some(isCalled),
  ],
  ['one-token', 'rejects `max_tokens` 1 (chat)', (body) => body['max_tokens'] === 1],
  [
    'one-token-of-text',
    'rejects `max_tokens` 1 (completions)',
    (body) => body['max_tokens'] === 1,
    'completions',
  ],
];

/** Mutants that treat valid or invalid bodies differently once they are paid for. */
export const paidBodyMutants: readonly Mutant[] = [
  ...valid.flatMap(([id, does, isRefused, endpoint = 'chat']) => [
    refusing(id, does, 'body.valid.unpaid', isRefused, { endpoint }),
    refusing(`${id}-once-paid`, `${does}, once it is paid`, 'body.valid.paid', isRefused, {
      endpoint,
      when: isPaidWithFunds,
    }),
  ]),
  ...validUnpaid.map(([id, does, isRefused, endpoint = 'chat']) =>
    refusing(`${id}-refused-once-paid`, `${does}, once it is paid`, 'body.valid.paid', isRefused, {
      endpoint,
      when: isPaidWithFunds,
    }),
  ),
  refusing(
    'text-max-tokens-demanded-once-paid',
    'rejects a text completion without `max_tokens`, once it is paid',
    'body.valid.paid',
    isBareText,
    { endpoint: 'completions', when: isPaidWithFunds },
  ),
  ...invalid.map(([id, does, endpoint, mend]) =>
    reads(id, does, ['body.invalid.paid'], reading(endpoint, mend, isPaid)),
  ),
  refusing('tools-refused-once-paid', 'rejects a paid chat that offers tools', 'tools.served', offersTools, {
    when: isPaidWithFunds,
  }),
  refusing(
    'two-open-tools-refused-once-paid',
    'rejects a paid chat with two tools that the model may call',
    'tools.served',
    (body) => offersTools(body) && hasTwoTools(body),
    { when: isPaidWithFunds },
  ),
  refusing(
    'unlimited-tools-refused-once-paid',
    'rejects a paid chat that offers tools and has no `max_tokens`',
    'tools.served',
    (body) => offersTools(body) && body['max_tokens'] === undefined,
    { when: isPaid },
  ),
  reads(
    'tools-to-be-paid-again',
    'returns 402 with an offer for a paid chat that offers tools',
    ['tools.served'],
    (asked, forge) => {
      const body = parsed(asked.text);
      const isPaidAgain = isPaidWithFunds(asked, forge) && isObject(body) && offersTools(body);
      return isPaidAgain ? { ...asked, headers: without(asked.headers, 'x-payment') } : asked;
    },
  ),
  {
    id: 'tools-not-found-the-first-time',
    does: 'returns 404 for the first paid chat that offers tools',
    place: 'respond',
    kills: ['tools.served'],
    edge: () => {
      let isFirst = true;
      return {
        respond: (reply, asked) => {
          const body = parsed(asked.text);
          const isOfTools =
            isPaid(asked) && findEndpoint(asked) === 'chat' && isObject(body) && offersTools(body);
          if (!isOfTools || !isFirst || reply.status !== 200) return reply;
          isFirst = false;
          const error = { message: 'No.', type: 'invalid_request_error', code: 'not_found' };
          return withJson({ ...reply, status: 404 }, { error });
        },
      };
    },
  },
];
