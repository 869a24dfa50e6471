import type { RequirementId } from '@paid-inference/contract/requirements';
import { isObject, type Json } from '../wire-edits.ts';

/** A rule of a body that a mutant does not enforce. */
export type Rule = readonly [
  id: string,
  does: string,
  kills: RequirementId,
  /** Turns a body that breaks the rule into one that keeps it; undefined for a body that keeps it. */
  mend: (body: Json) => Json | undefined,
];

const words = [{ role: 'user', content: 'Say pong.' }];
export const isAbove = (value: unknown) => typeof value === 'number' && value > 2;
const isBelow = (value: unknown) => typeof value === 'number' && value < 0;
const hasFraction = (value: unknown) => typeof value === 'number' && !Number.isInteger(value);

/** Rules of a chat body that a mutant does not enforce (contract 2.1, 8). */
export const chatRules: readonly Rule[] = [
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
export const completionRules: readonly Rule[] = [
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
