import type { RequirementId } from '@paid-inference/contract/requirements';
import { isPaidWithFunds, isUnpaid, reading } from '../edits.ts';
import type { Asked } from '../message.ts';
import { type Mutant, reads } from '../mutant.ts';
import type { PaymentForge } from '../payment-forge.ts';
import {
  type Endpoint,
  findEndpoint,
  isObject,
  isPaid,
  type Json,
  messagesIn,
  parsed,
} from '../wire-edits.ts';

type Rule = readonly [
  id: string,
  does: string,
  kills: RequirementId,
  /** Turns a body that breaks the rule into one that keeps it; undefined for a body that keeps it. */
  mend: (body: Json) => Json | undefined,
];

const words = [{ role: 'user', content: 'Say pong.' }];
const isAbove = (value: unknown) => typeof value === 'number' && value > 2;
const isBelow = (value: unknown) => typeof value === 'number' && value < 0;
const hasFraction = (value: unknown) => typeof value === 'number' && !Number.isInteger(value);

/** Rules of a chat body that a mutant does not enforce (contract 2.1, 8). */
const chatRules: readonly Rule[] = [
  ['max-tokens-rounded', 'rounds a fractional `max_tokens`', 'body.chat.max_tokens.integer', roundTokens],
  [
    'messages-not-demanded',
    'accepts a chat without `messages`',
    'body.chat.messages.required',
    (body) => (body['messages'] === undefined ? { ...body, messages: words } : undefined),
  ],
  [
    'prompts-taken-as-messages',
    'accepts a chat with `prompt` instead of `messages`',
    'body.chat.messages.required',
    ({ messages, prompt, ...body }) =>
      messages === undefined && typeof prompt === 'string' ? { ...body, messages: words } : undefined,
  ],
  [
    'messages-from-a-string',
    'accepts a string as `messages`',
    'body.chat.messages.array',
    (body) => (typeof body['messages'] === 'string' ? { ...body, messages: words } : undefined),
  ],
  [
    'messages-from-strings',
    'accepts a string as an entry of `messages`',
    'body.chat.messages.objects',
    (body) =>
      Array.isArray(body['messages']) && body['messages'].some((message) => typeof message === 'string')
        ? { ...body, messages: words }
        : undefined,
  ],
  [
    'tool-choice-of-any-type',
    'accepts a number as `tool_choice`',
    'body.chat.tool_choice.string',
    (body) => (typeof body['tool_choice'] === 'number' ? { ...body, tool_choice: 'auto' } : undefined),
  ],
  [
    'tools-from-an-object',
    'accepts an object as `tools`',
    'body.chat.tools.array',
    (body) => (isObject(body['tools']) ? { ...body, tools: [body['tools']] } : undefined),
  ],
  ['stop-of-any-type', 'accepts any `stop` (chat)', 'body.chat.stop.array', freeStop],
  [
    'temperature-in-words',
    'accepts a string as `temperature` (chat)',
    'body.chat.temperature.number',
    (body) => (typeof body['temperature'] === 'string' ? { ...body, temperature: 1 } : undefined),
  ],
  [
    'temperature-without-minimum',
    'accepts a `temperature` below 0 (chat)',
    'body.chat.temperature.minimum',
    (body) => (isBelow(body['temperature']) ? { ...body, temperature: 0 } : undefined),
  ],
];

/** Rules of a text completion body that a mutant does not enforce (contract 2.5). */
const completionRules: readonly Rule[] = [
  [
    'text-max-tokens-rounded',
    'rounds a fractional `max_tokens` (completions)',
    'body.completions.max_tokens.integer',
    roundTokens,
  ],
  [
    'prompt-not-demanded',
    'accepts a text completion request without `prompt`',
    'body.completions.prompt.required',
    (body) => (body['prompt'] === undefined ? { ...body, prompt: 'One,' } : undefined),
  ],
  [
    'messages-taken-as-prompts',
    'accepts a text request with `messages` instead of `prompt`',
    'body.completions.prompt.required',
    ({ messages, prompt, ...body }) =>
      prompt === undefined && Array.isArray(messages) ? { ...body, prompt: 'Say pong.' } : undefined,
  ],
  [
    'prompt-from-a-number',
    'accepts a number as `prompt`',
    'body.completions.prompt.string',
    (body) => (typeof body['prompt'] === 'number' ? { ...body, prompt: '7' } : undefined),
  ],
  [
    'text-temperature-in-words',
    'accepts a string as `temperature` (completions)',
    'body.completions.temperature.number',
    (body) => (typeof body['temperature'] === 'string' ? { ...body, temperature: 1 } : undefined),
  ],
  ['text-stop-of-any-type', 'accepts any `stop` (completions)', 'body.completions.stop.array', freeStop],
  [
    'text-temperature-without-maximum',
    'accepts a `temperature` above 2 (completions)',
    'body.completions.temperature.range',
    (body) => (isAbove(body['temperature']) ? { ...body, temperature: 2 } : undefined),
  ],
  [
    'text-temperature-without-minimum',
    'accepts a `temperature` below 0 (completions)',
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

/** Accepts an invalid `model` by reading the first model that an earlier request named. */
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
    'accepts a chat without `model`',
    'body.chat.model.required',
    'chat',
    (model) => model === undefined,
  ),
  anyModel(
    'model-from-a-number',
    'accepts a number as `model` (chat)',
    'body.chat.model.string',
    'chat',
    (model) => typeof model === 'number',
  ),
  anyModel(
    'model-not-looked-up',
    'accepts a `model` that is not in the catalog (chat)',
    'body.chat.model.in-catalog',
    'chat',
    (model) => String(model).startsWith('no-such'),
  ),
  anyModel(
    'text-model-not-demanded',
    'accepts a text completion request without `model`',
    'body.completions.model.required',
    'completions',
    (model) => model === undefined,
  ),
  reads(
    'temperature-without-maximum',
    'accepts a `temperature` above 2 (chat)',
    ['body.chat.temperature.maximum'],
    reading('chat', (body) => (isAbove(body['temperature']) ? { ...body, temperature: 2 } : undefined)),
  ),
  reads(
    'temperature-without-maximum-before-payment',
    'rejects a `temperature` above 2 only in a paid chat',
    ['body.chat.temperature.maximum'],
    reading(
      'chat',
      (body) => (isAbove(body['temperature']) ? { ...body, temperature: 2 } : undefined),
      isUnpaid,
    ),
  ),
  reads(
    'body-not-read-again-once-paid',
    'serves a paid chat with a `temperature` above 2, which it rejects unpaid',
    ['body.invalid.paid'],
    reading(
      'chat',
      (body) => (isAbove(body['temperature']) ? { ...body, temperature: 2 } : undefined),
      isPaid,
    ),
  ),
  anyModel(
    'text-model-from-a-number',
    'accepts a number as `model` (completions)',
    'body.completions.model.string',
    'completions',
    (model) => typeof model === 'number',
  ),
  anyModel(
    'text-model-not-looked-up',
    'accepts a `model` that is not in the catalog (completions)',
    'body.completions.model.in-catalog',
    'completions',
    (model) => String(model).startsWith('no-such'),
  ),
  mendingJson('json-mended', 'accepts JSON without its last brace (chat)', 'body.chat.json', 'chat'),
  mendingJson(
    'text-json-mended',
    'accepts JSON without its last brace (completions)',
    'body.completions.json',
    'completions',
  ),
  refusing(
    'none-refused',
    'rejects `tool_choice: "none"`',
    ['body.chat.tool_choice.auto-none', 'body.valid.unpaid'],
    (body) => body['tool_choice'] === 'none',
  ),
  refusing(
    'auto-refused',
    'rejects `tool_choice: "auto"`',
    'body.chat.tool_choice.auto-none',
    (body) => body['tool_choice'] === 'auto',
  ),
  refusing(
    'max-tokens-demanded',
    'rejects a chat without `max_tokens`',
    'body.chat.optional-fields',
    (body) => Array.isArray(body['messages']) && body['max_tokens'] === undefined,
  ),
  refusing(
    'text-max-tokens-demanded',
    'rejects a text completion request without `max_tokens`',
    'body.completions.optional-fields',
    (body) => body['prompt'] !== undefined && body['max_tokens'] === undefined,
    { endpoint: 'completions' },
  ),
  refusing(
    'max-tokens-demanded-once-paid',
    'rejects a chat without `max_tokens`, once it is paid',
    'defaults.chat.served',
    (body) => body['max_tokens'] === undefined,
    { when: isPaidWithFunds },
  ),
  refusing('names-refused', 'rejects a user message with `name`', 'body.message.name', (body) =>
    messagesIn(body).some(({ role, name }) => role === 'user' && typeof name === 'string'),
  ),
  refusing(
    'content-demanded-beside-tool-calls',
    'rejects an assistant message with `tool_calls` and no `content`',
    ['body.message.assistant-tool-calls.content-optional', 'body.valid.unpaid'],
    (body) => messagesIn(body).some((each) => each['tool_calls'] !== undefined && !('content' in each)),
  ),
];

type Where = { endpoint?: Endpoint; when?: (asked: Asked, forge: PaymentForge) => boolean };
/** A mutant that rejects a valid body. The edge replaces the body by an empty object. */
export function refusing(
  id: string,
  does: string,
  kills: RequirementId | readonly RequirementId[],
  isRefused: (body: Json) => boolean,
  { endpoint = 'chat', when }: Where = {},
): Mutant {
  const empties = reading(endpoint, (body) => (isRefused(body) ? {} : undefined), when);
  return reads(id, does, [kills].flat(), empties);
}

function mendingJson(id: string, does: string, kills: RequirementId, endpoint: Endpoint): Mutant {
  return reads(id, does, [kills], (asked) => {
    const mended = `${asked.text}}`;
    const isMended = parsed(asked.text) === undefined && parsed(mended) !== undefined;
    return findEndpoint(asked) === endpoint && isMended ? { ...asked, text: mended } : asked;
  });
}
