import type { RequirementId } from '@paid-inference/contract/requirements';
import { isUnpaid, reading } from '../edits.ts';
import type { Asked } from '../message.ts';
import { type Mutant, reads } from '../mutant.ts';
import type { PaymentForge } from '../payment-forge.ts';
import { type Endpoint, endpointOf, isObject, isPaid, type Json, messagesOf, parsed } from '../wire-edits.ts';

type Rule = readonly [
  id: string,
  does: string,
  kills: RequirementId,
  /** What the rule forbids, made into what it allows; undefined where it allows the body. */
  mend: (body: Json) => Json | undefined,
];

const words = [{ role: 'user', content: 'Say pong.' }];
const isAbove = (value: unknown) => typeof value === 'number' && value > 2;
const isBelow = (value: unknown) => typeof value === 'number' && value < 0;
const hasFraction = (value: unknown) => typeof value === 'number' && !Number.isInteger(value);

/** Rules of a chat body that are not kept (contract 2.1, 8). */
const chatRules: readonly Rule[] = [
  ['max-tokens-rounded', 'rounds `max_tokens`', 'body.chat.max_tokens.integer', roundTokens],
  [
    'messages-not-demanded',
    'needs no `messages`',
    'body.chat.messages.required',
    (body) => (body['messages'] === undefined ? { ...body, messages: words } : undefined),
  ],
  [
    'messages-from-a-string',
    'takes a string for `messages`',
    'body.chat.messages.array',
    (body) => (typeof body['messages'] === 'string' ? { ...body, messages: words } : undefined),
  ],
  [
    'messages-from-strings',
    'takes strings for messages',
    'body.chat.messages.objects',
    (body) =>
      Array.isArray(body['messages']) && body['messages'].some((message) => typeof message === 'string')
        ? { ...body, messages: words }
        : undefined,
  ],
  [
    'tool-choice-of-any-type',
    'takes a number for `tool_choice`',
    'body.chat.tool_choice.string',
    (body) => (typeof body['tool_choice'] === 'number' ? { ...body, tool_choice: 'auto' } : undefined),
  ],
  [
    'tools-from-an-object',
    'takes one object for `tools`',
    'body.chat.tools.array',
    (body) => (isObject(body['tools']) ? { ...body, tools: [body['tools']] } : undefined),
  ],
  ['stop-of-any-type', 'takes anything for `stop`', 'body.chat.stop.array', freeStop],
  [
    'temperature-in-words',
    'takes a word for `temperature`',
    'body.chat.temperature.number',
    (body) => (typeof body['temperature'] === 'string' ? { ...body, temperature: 1 } : undefined),
  ],
  [
    'temperature-without-minimum',
    'takes a `temperature` below 0',
    'body.chat.temperature.minimum',
    (body) => (isBelow(body['temperature']) ? { ...body, temperature: 0 } : undefined),
  ],
];

/** The same of a text body (contract 2.5). */
const completionRules: readonly Rule[] = [
  [
    'text-max-tokens-rounded',
    'rounds `max_tokens` of text',
    'body.completions.max_tokens.integer',
    roundTokens,
  ],
  [
    'prompt-not-demanded',
    'needs no `prompt`',
    'body.completions.prompt.required',
    (body) => (body['prompt'] === undefined ? { ...body, prompt: 'One,' } : undefined),
  ],
  [
    'prompt-from-a-number',
    'takes a number for `prompt`',
    'body.completions.prompt.string',
    (body) => (typeof body['prompt'] === 'number' ? { ...body, prompt: '7' } : undefined),
  ],
  [
    'text-temperature-in-words',
    'takes a word for `temperature` of text',
    'body.completions.temperature.number',
    (body) => (typeof body['temperature'] === 'string' ? { ...body, temperature: 1 } : undefined),
  ],
  ['text-stop-of-any-type', 'takes anything for `stop` of text', 'body.completions.stop.array', freeStop],
  [
    'text-temperature-without-maximum',
    'takes a `temperature` above 2 for text',
    'body.completions.temperature.range',
    (body) => (isAbove(body['temperature']) ? { ...body, temperature: 2 } : undefined),
  ],
  [
    'text-temperature-without-minimum',
    'takes a `temperature` below 0 for text',
    'body.completions.temperature.range',
    (body) => (isBelow(body['temperature']) ? { ...body, temperature: 0 } : undefined),
  ],
];

function roundTokens(body: Json): Json | undefined {
  return hasFraction(body['max_tokens']) ? { ...body, max_tokens: 2 } : undefined;
}

function freeStop(body: Json): Json | undefined {
  return body['stop'] !== undefined && !Array.isArray(body['stop']) ? { ...body, stop: [] } : undefined;
}

/** A model that the gateway serves, learnt from what was asked before. */
export function anyModel(
  id: string,
  does: string,
  kills: RequirementId,
  endpoint: Endpoint,
  isBad: (model: unknown) => boolean,
): Mutant {
  return {
    id,
    does,
    place: 'read',
    kills: [kills],
    edge: () => {
      let known: unknown;
      return {
        read: reading(endpoint, (body) => {
          if (isBad(body['model'])) return known === undefined ? undefined : { ...body, model: known };
          known ??= body['model'];
          return undefined;
        }),
      };
    },
  };
}

const mended =
  (endpoint: Endpoint) =>
  ([id, does, kills, mend]: Rule) =>
    reads(id, does, [kills], reading(endpoint, mend));

export const bodyMutants: readonly Mutant[] = [
  ...chatRules.map(mended('chat')),
  ...completionRules.map(mended('completions')),
  anyModel(
    'model-not-demanded',
    'needs no `model`',
    'body.chat.model.required',
    'chat',
    (model) => model === undefined,
  ),
  anyModel(
    'model-from-a-number',
    'takes a number for `model`',
    'body.chat.model.string',
    'chat',
    (model) => typeof model === 'number',
  ),
  anyModel(
    'model-not-looked-up',
    'takes a `model` that it has not',
    'body.chat.model.in-catalog',
    'chat',
    (model) => String(model).startsWith('no-such'),
  ),
  anyModel(
    'text-model-not-demanded',
    'needs no `model` for text',
    'body.completions.model.required',
    'completions',
    (model) => model === undefined,
  ),
  reads(
    'temperature-without-maximum',
    'takes a `temperature` above 2',
    ['body.chat.temperature.maximum'],
    reading('chat', (body) => (isAbove(body['temperature']) ? { ...body, temperature: 2 } : undefined)),
  ),
  reads(
    'temperature-without-maximum-before-payment',
    'finds a `temperature` above 2 only when it is paid for',
    ['body.chat.temperature.maximum'],
    reading(
      'chat',
      (body) => (isAbove(body['temperature']) ? { ...body, temperature: 2 } : undefined),
      isUnpaid,
    ),
  ),
  reads(
    'body-not-read-again-once-paid',
    'serves a paid body that it refuses unpaid',
    ['body.invalid.paid'],
    reading(
      'chat',
      (body) => (isAbove(body['temperature']) ? { ...body, temperature: 2 } : undefined),
      isPaid,
    ),
  ),
  anyModel(
    'text-model-from-a-number',
    'takes a number for `model` of text',
    'body.completions.model.string',
    'completions',
    (model) => typeof model === 'number',
  ),
  anyModel(
    'text-model-not-looked-up',
    'takes a `model` for text that it has not',
    'body.completions.model.in-catalog',
    'completions',
    (model) => String(model).startsWith('no-such'),
  ),
  mendingJson('json-mended', 'mends the JSON of a chat that ends early', 'body.chat.json', 'chat'),
  mendingJson(
    'text-json-mended',
    'mends the JSON of a text that ends early',
    'body.completions.json',
    'completions',
  ),
  refusing(
    'none-refused',
    'refuses `tool_choice` `none`',
    ['body.chat.tool_choice.auto-none', 'body.valid.unpaid'],
    (body) => body['tool_choice'] === 'none',
  ),
  refusing(
    'auto-refused',
    'refuses `tool_choice` `auto`',
    'body.chat.tool_choice.auto-none',
    (body) => body['tool_choice'] === 'auto',
  ),
  refusing(
    'max-tokens-demanded',
    'refuses a chat without `max_tokens`',
    'body.chat.optional-fields',
    (body) => Array.isArray(body['messages']) && body['max_tokens'] === undefined,
  ),
  refusing(
    'text-max-tokens-demanded',
    'refuses a text without `max_tokens`',
    'body.completions.optional-fields',
    (body) => body['prompt'] !== undefined && body['max_tokens'] === undefined,
    { endpoint: 'completions' },
  ),
  refusing(
    'max-tokens-demanded-once-paid',
    'refuses a paid chat without `max_tokens`',
    'defaults.chat.served',
    (body) => body['max_tokens'] === undefined,
    { when: isPaid },
  ),
  refusing('names-refused', 'refuses a question with `name`', 'body.message.name', (body) =>
    messagesOf(body).some(({ role, name }) => role === 'user' && typeof name === 'string'),
  ),
  refusing(
    'content-demanded-beside-tool-calls',
    'refuses an assistant message with `tool_calls` and no `content`',
    ['body.message.assistant-tool-calls.content-optional', 'body.valid.unpaid'],
    (body) => messagesOf(body).some((each) => each['tool_calls'] !== undefined && !('content' in each)),
  ),
];

/** A gateway that refuses what the contract allows: it gets to read an empty object. */
export function refusing(
  id: string,
  does: string,
  kills: RequirementId | readonly RequirementId[],
  isRefused: (body: Json) => boolean,
  {
    endpoint = 'chat',
    when,
  }: { endpoint?: Endpoint; when?: (asked: Asked, forge: PaymentForge) => boolean } = {},
): Mutant {
  return reads(
    id,
    does,
    [kills].flat(),
    reading(endpoint, (body) => (isRefused(body) ? {} : undefined), when),
  );
}

function mendingJson(id: string, does: string, kills: RequirementId, endpoint: Endpoint): Mutant {
  return reads(id, does, [kills], (asked) => {
    const mended = `${asked.text}}`;
    const isMended = parsed(asked.text) === undefined && parsed(mended) !== undefined;
    return endpointOf(asked) === endpoint && isMended ? { ...asked, text: mended } : asked;
  });
}
