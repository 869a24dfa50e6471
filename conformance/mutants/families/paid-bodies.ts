import { isPaidWithFunds, reading } from '../edits.ts';
import { type Mutant, reads } from '../mutant.ts';
import {
  type Endpoint,
  endpointOf,
  isObject,
  isPaid,
  type Json,
  messagesOf,
  parsed,
  withJson,
  without,
} from '../wire-edits.ts';
import { refusing } from './bodies.ts';

const words = 'Say pong.';
/** Other members may be nested too deep to be written again. */
const isOfOtherScripts = (body: Json) => {
  const texts = [body['prompt'], ...messagesOf(body).map(({ content }) => content)];
  return texts.some((text) => typeof text === 'string' && /[^\p{ASCII}]/u.test(text));
};
const isConversation = (body: Json) =>
  messagesOf(body).some(({ role, content }) => role === 'assistant' && typeof content === 'string');
const isAt = (temperature: number) => (body: Json) => body['temperature'] === temperature;
const isBareText = (body: Json) => body['prompt'] !== undefined && body['max_tokens'] === undefined;
const offersTools = (body: Json) =>
  Array.isArray(body['tools']) &&
  body['tool_choice'] !== 'none' &&
  !messagesOf(body).some(({ role }) => role === 'tool');

type Valid = readonly [id: string, does: string, isRefused: (body: Json) => boolean, endpoint?: Endpoint];

/** Valid bodies that a gateway stumbles over (contract 3). */
const valid: readonly Valid[] = [
  ['other-scripts-refused', 'refuses a chat in more than ASCII', isOfOtherScripts],
  ['conversations-refused', 'refuses a conversation with an answer in it', isConversation],
  ['temperature-0-refused', 'takes a `temperature` of 0 for none', isAt(0)],
  ['temperature-2-refused', 'takes a `temperature` of 2 for too high', isAt(2)],
  ['other-scripts-of-text-refused', 'refuses a text in more than ASCII', isOfOtherScripts, 'completions'],
  ['text-temperature-0-refused', 'takes a `temperature` of 0 for none, of a text', isAt(0), 'completions'],
];

type Invalid = readonly [
  id: string,
  does: string,
  endpoint: Endpoint,
  mend: (body: Json) => Json | undefined,
];

/** Rules that hold until a request is paid (contract 3, 7): what breaks one is served then. */
const invalid: readonly Invalid[] = [
  [
    'text-temperature-not-read-again-once-paid',
    'serves a paid text above `temperature` 2, which it refuses unpaid',
    'completions',
    (body) => (Number(body['temperature']) > 2 ? { ...body, temperature: 2 } : undefined),
  ],
  [
    'prompts-not-read-again-once-paid',
    'serves a paid text whose `prompt` is a number, which it refuses unpaid',
    'completions',
    (body) => (typeof body['prompt'] === 'number' ? { ...body, prompt: 'One, two, three,' } : undefined),
  ],
  [
    'roles-not-read-again-once-paid',
    'serves a paid chat with a `role` that there is not, which it refuses unpaid',
    'chat',
    (body) =>
      messagesOf(body).some(({ role }) => role === 'narrator')
        ? { ...body, messages: [{ role: 'user', content: words }] }
        : undefined,
  ],
  [
    'messages-not-demanded-once-paid',
    'serves a paid chat without `messages`, which it refuses unpaid',
    'chat',
    (body) =>
      body['messages'] === undefined ? { ...body, messages: [{ role: 'user', content: words }] } : undefined,
  ],
  [
    'numerals-taken-once-paid',
    'serves a paid chat whose `max_tokens` is a string, which it refuses unpaid',
    'chat',
    (body) =>
      typeof body['max_tokens'] === 'string'
        ? { ...body, max_tokens: Number(body['max_tokens']) }
        : undefined,
  ],
];

/** What becomes of a body once it is paid for. */
export const paidBodyMutants: readonly Mutant[] = [
  ...valid.flatMap(([id, does, isRefused, endpoint = 'chat']) => [
    refusing(id, does, 'body.valid.unpaid', isRefused, { endpoint }),
    refusing(`${id}-once-paid`, `${does}, once it is paid`, 'body.valid.paid', isRefused, {
      endpoint,
      when: isPaidWithFunds,
    }),
  ]),
  refusing(
    'text-max-tokens-demanded-once-paid',
    'refuses a paid text without `max_tokens`',
    'body.valid.paid',
    isBareText,
    { endpoint: 'completions', when: isPaid },
  ),
  ...invalid.map(([id, does, endpoint, mend]) =>
    reads(id, does, ['body.invalid.paid'], reading(endpoint, mend, isPaid)),
  ),
  refusing('tools-refused-once-paid', 'refuses tools once they are paid for', 'tools.served', offersTools, {
    when: isPaid,
  }),
  reads(
    'tools-to-be-paid-again',
    'asks for payment again where tools are paid for',
    ['tools.served'],
    (asked) => {
      const body = parsed(asked.text);
      const isPaidAgain = isPaid(asked) && isObject(body) && offersTools(body);
      return isPaidAgain ? { ...asked, headers: without(asked.headers, 'x-payment') } : asked;
    },
  ),
  {
    id: 'tools-not-found-the-first-time',
    does: 'answers 404 to the first tools that are paid for',
    place: 'answer',
    kills: ['tools.served'],
    edge: () => {
      let isFirst = true;
      return {
        answer: (reply, asked) => {
          const body = parsed(asked.text);
          const isOfTools =
            isPaid(asked) && endpointOf(asked) === 'chat' && isObject(body) && offersTools(body);
          if (!isOfTools || !isFirst || reply.status !== 200) return reply;
          isFirst = false;
          const error = { message: 'No.', type: 'invalid_request_error', code: 'not_found' };
          return withJson({ ...reply, status: 404 }, { error });
        },
      };
    },
  },
];
