import { reading } from '../edits.ts';
import { isObject, type Json } from '../wire-edits.ts';
import { type LegalVariant, open, variant } from './variant.ts';

/** A gateway that refuses a chat that the contract does not speak of: it gets to read an empty object. */
function refusing(id: string, does: string, words: string, isRefused: (body: Json) => boolean): LegalVariant {
  return variant(id, does, words, { read: reading('chat', (body) => (isRefused(body) ? {} : undefined)) });
}

function taking(
  id: string,
  does: string,
  words: string,
  change: (body: Json) => Json,
  endpoint: 'chat' | 'completions' = 'chat',
): LegalVariant {
  return variant(id, does, words, { read: reading(endpoint, change) });
}

/** The object without those of its members that are null. */
function withoutNulls(object: Json, members: readonly string[]): Json {
  return Object.fromEntries(
    Object.entries(object).filter(([name, value]) => value !== null || !members.includes(name)),
  );
}

function entriesOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function functionsOf({ tools }: Json): readonly Json[] {
  return entriesOf(tools).flatMap(({ function: described }) => (isObject(described) ? [described] : []));
}

function parametersOf(body: Json): readonly Json[] {
  return functionsOf(body).flatMap(({ parameters }) => (isObject(parameters) ? [parameters] : []));
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** The body with each entry of an array changed; as it is, where there is none. */
function onEach(body: Json, member: string, change: (entry: Json) => Json): Json {
  const entries = body[member];
  if (!Array.isArray(entries)) return body;
  return { ...body, [member]: entries.map((entry) => (isObject(entry) ? change(entry) : entry)) };
}

const sampling = ['max_tokens', 'temperature', 'stop'] as const;

/**
 * What requests may be. The sound gateway refuses null in the place of optional fields, and takes what is refused here, so
 * that of each both are shown.
 */
export const requestVariants: readonly LegalVariant[] = [
  taking('nulls-taken', 'takes null for optional fields', open.stop, (body) =>
    withoutNulls(body, [...sampling, 'tools', 'tool_choice']),
  ),
  taking(
    'nulls-taken-for-text',
    'takes null for optional fields of text',
    open.stop,
    (body) => withoutNulls(body, sampling),
    'completions',
  ),
  taking('nulls-taken-in-messages', 'takes null for optional fields of messages', open.name, (body) =>
    onEach(body, 'messages', (message) => withoutNulls(message, ['name', 'tool_calls'])),
  ),
  taking('nulls-taken-in-tools', 'takes null for parts of a function', open.parameters, (body) =>
    onEach(body, 'tools', (tool) =>
      isObject(tool['function'])
        ? { ...tool, function: withoutNulls(tool['function'], ['description', 'parameters']) }
        : tool,
    ),
  ),
  refusing('empty-tools-refused', 'refuses an empty array of tools', open.tools, ({ tools }) =>
    isEmpty(tools),
  ),
  refusing('empty-calls-refused', 'refuses an empty array of calls', open.toolCalls, ({ messages }) =>
    entriesOf(messages).some(({ tool_calls: calls }) => isEmpty(calls)),
  ),
  refusing('empty-stop-refused', 'refuses an empty array of stop sequences', open.stop, ({ stop }) =>
    isEmpty(stop),
  ),
  refusing(
    'descriptions-demanded',
    'refuses a function without `description`',
    open.functionDescription,
    (body) => functionsOf(body).some(({ description }) => description === undefined),
  ),
  refusing('parameters-demanded', 'refuses a function without `parameters`', open.parameters, (body) =>
    functionsOf(body).some(({ parameters }) => parameters === undefined),
  ),
  refusing(
    'parts-of-parameters-demanded',
    'refuses `parameters` without their `type` or `properties`, or with nothing `required`',
    open.parameters,
    (body) =>
      parametersOf(body).some(
        ({ type, properties, required }) =>
          type === undefined || !isObject(properties) || !Array.isArray(required) || required.length === 0,
      ),
  ),
  refusing(
    'objects-as-choice-refused',
    'refuses an object for `tool_choice`',
    open.toolChoice,
    ({ tool_choice: choice }) => isObject(choice),
  ),
  refusing(
    'results-of-unknown-calls-refused',
    'refuses the result of a call that nobody made',
    open.toolCallId,
    ({ messages }) => {
      const calls = entriesOf(messages).flatMap(({ tool_calls: each }) =>
        entriesOf(each).map(({ id }) => id),
      );
      return entriesOf(messages).some(({ role, tool_call_id: id }) => role === 'tool' && !calls.includes(id));
    },
  ),
  refusing(
    'many-tokens-refused',
    'refuses a `max_tokens` above 128',
    open.maxTokens,
    ({ max_tokens: tokens }) => Number.isInteger(tokens) && Number(tokens) > 128,
  ),
  {
    ...refusing(
      'many-messages-refused',
      'refuses more than three messages',
      open.maxTokens,
      ({ messages }) => entriesOf(messages).length > 3,
    ),
    hides: 'whether each role must say something is asked of all four in one conversation',
  },
  taking('no-tokens-taken', 'takes 0 and less for `max_tokens`', open.maxTokens, (body) => {
    const { max_tokens: tokens } = body;
    return Number.isInteger(tokens) && Number(tokens) < 1 ? { ...body, max_tokens: 1 } : body;
  }),
];
