import type { RequirementId } from '@paid-inference/contract/requirements';
import { isPaidWithFunds, isUnpaid, reading } from '../edits.ts';
import type { Asked } from '../message.ts';
import { type Mutant, reads } from '../mutant.ts';
import type { PaymentForge } from '../payment-forge.ts';
import { type Endpoint, findEndpoint, isPaid, type Json, messagesIn, parsed } from '../wire-edits.ts';
import { chatRules, completionRules, isAbove, type Rule } from './body-rules.ts';

/** Accepts an invalid `model` by reading the first model that an earlier request named. */
export function anyModel(
  id: string,
  does: string,
  kills: RequirementId,
  endpoint: Endpoint,
  isBad: (model: unknown, known: unknown) => boolean,
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
          if (isBad(body['model'], known)) return known === undefined ? undefined : { ...body, model: known };
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
    'rejects a chat without `max_tokens` and `tools`, once it is paid',
    'defaults.chat.served',
    (body) => body['max_tokens'] === undefined && body['tools'] === undefined,
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
