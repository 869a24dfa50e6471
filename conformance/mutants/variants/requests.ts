import { reading } from '../edits.ts';
import { isObject, type Json, parsed } from '../wire-edits.ts';
import { type LegalVariant, open, variant } from './variant.ts';

/** Rejects a body that the contract does not cover. The edge replaces the body by an empty object. */
function refusing(
  id: string,
  does: string,
  words: string,
  isRefused: (body: Json) => boolean,
  endpoint: 'chat' | 'completions' = 'chat',
): LegalVariant {
  return variant(id, does, words, { read: reading(endpoint, (body) => (isRefused(body) ? {} : undefined)) });
}

function taking(id: string, does: string, words: string, change: (body: Json) => Json): LegalVariant {
  return variant(id, does, words, { read: reading('chat', change) });
}

function hasNull(object: Json, members: readonly string[]): boolean {
  return members.some((name) => object[name] === null);
}

function listObjects(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function listFunctions({ tools }: Json): readonly Json[] {
  return listObjects(tools).flatMap(({ function: described }) => (isObject(described) ? [described] : []));
}

function listParameters(body: Json): readonly Json[] {
  return listFunctions(body).flatMap(({ parameters }) => (isObject(parameters) ? [parameters] : []));
}

/** Whether a value is a text, but not JSON. */
function isText(value: unknown): boolean {
  return typeof value === 'string' && parsed(value) === undefined;
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

const sampling = ['max_tokens', 'temperature', 'stop'] as const;

/**
 * Legal variants of the validation of requests. The sound gateway accepts the bodies that are rejected here, so
 * the kill matrix covers both choices.
 */
export const requestVariants: readonly LegalVariant[] = [
  refusing('nulls-refused', 'rejects null for optional fields of a chat', open.stop, (body) =>
    hasNull(body, [...sampling, 'tools', 'tool_choice']),
  ),
  refusing(
    'nulls-refused-for-text',
    'rejects null for optional fields of a text completion request',
    open.stop,
    (body) => hasNull(body, sampling),
    'completions',
  ),
  refusing(
    'nulls-refused-in-messages',
    'rejects null for optional fields of a message',
    open.name,
    ({ messages }) => listObjects(messages).some((message) => hasNull(message, ['name', 'tool_calls'])),
  ),
  refusing(
    'nulls-refused-in-tools',
    'rejects null for `description` and `parameters` of a function',
    open.parameters,
    (body) => listFunctions(body).some((described) => hasNull(described, ['description', 'parameters'])),
  ),
  refusing('empty-tools-refused', 'rejects an empty `tools`', open.tools, ({ tools }) => isEmpty(tools)),
  refusing('empty-calls-refused', 'rejects an empty `tool_calls`', open.toolCalls, ({ messages }) =>
    listObjects(messages).some(({ tool_calls: calls }) => isEmpty(calls)),
  ),
  refusing('empty-stop-refused', 'rejects an empty `stop`', open.stop, ({ stop }) => isEmpty(stop)),
  refusing(
    'descriptions-demanded',
    'rejects a function without `description`',
    open.functionDescription,
    (body) => listFunctions(body).some(({ description }) => description === undefined),
  ),
  refusing('parameters-demanded', 'rejects a function without `parameters`', open.parameters, (body) =>
    listFunctions(body).some(({ parameters }) => parameters === undefined),
  ),
  refusing(
    'parts-of-parameters-demanded',
    'rejects `parameters` without `type`, `properties` or a `required` that is not empty',
    open.parameters,
    (body) =>
      listParameters(body).some(
        ({ type, properties, required }) =>
          type === undefined || !isObject(properties) || !Array.isArray(required) || required.length === 0,
      ),
  ),
  refusing(
    'objects-as-choice-refused',
    'rejects an object as `tool_choice`',
    open.toolChoice,
    ({ tool_choice: choice }) => isObject(choice),
  ),
  refusing(
    'results-of-unknown-calls-refused',
    'rejects a tool result without a tool call of its id',
    open.toolCallId,
    ({ messages }) => {
      const calls = listObjects(messages).flatMap(({ tool_calls: each }) =>
        listObjects(each).map(({ id }) => id),
      );
      return listObjects(messages).some(
        ({ role, tool_call_id: id }) => role === 'tool' && !calls.includes(id),
      );
    },
  ),
  refusing(
    'many-tokens-refused',
    'rejects a `max_tokens` above 128',
    open.maxTokens,
    ({ max_tokens: tokens }) => Number.isInteger(tokens) && Number(tokens) > 128,
  ),
  {
    ...refusing(
      'many-messages-refused',
      'rejects more than three messages',
      open.maxTokens,
      ({ messages }) => listObjects(messages).length > 3,
    ),
    hides: 'the check that each role needs `content` sends all four roles in one conversation',
  },
  refusing(
    'arguments-in-json-demanded',
    'rejects a tool call in a message whose arguments are not JSON',
    open.arguments,
    ({ messages }) =>
      listObjects(messages)
        .flatMap(({ tool_calls: each }) => listObjects(each))
        .some(({ function: called }) => isObject(called) && isText(called['arguments'])),
  ),
  taking('no-tokens-taken', 'accepts a `max_tokens` of 0 or less', open.maxTokens, (body) => {
    const { max_tokens: tokens } = body;
    return Number.isInteger(tokens) && Number(tokens) < 1 ? { ...body, max_tokens: 1 } : body;
  }),
];
