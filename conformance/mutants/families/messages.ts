import type { RequirementId } from '@paid-inference/contract/requirements';
import { reading } from '../edits.ts';
import { type Mutant, reads } from '../mutant.ts';
import { isObject, type Json, withMember } from '../wire-edits.ts';

const roles = new Set<unknown>(['system', 'user', 'assistant', 'tool']);

/** Rules of messages and tools that a mutant skips (contract 2.2 to 2.4). The edge corrects the body. */
export const messageMutants: readonly Mutant[] = [
  message('role-of-any-word', 'accepts any string as `role`', 'body.message.role.enum', (each) =>
    isStrangeRole(each['role']) ? { ...each, role: 'user' } : each,
  ),
  message('role-not-demanded', 'accepts a message without `role`', 'body.message.role.required', (each) =>
    each['role'] === undefined ? { ...each, role: 'user' } : each,
  ),
  message(
    'content-not-demanded',
    'accepts a message without `content`',
    'body.message.content.required',
    (each) =>
      each['content'] === undefined && each['role'] !== 'assistant' ? { ...each, content: '' } : each,
  ),
  message('content-of-any-type', 'accepts a number as `content`', 'body.message.content.string', (each) =>
    typeof each['content'] === 'number' && each['role'] !== 'tool' ? { ...each, content: '7' } : each,
  ),
  message(
    'tool-calls-by-anybody',
    'accepts `tool_calls` in a user message',
    'body.message.tool_calls.assistant-only',
    (each) => {
      const { tool_calls: calls, ...rest } = each;
      return each['role'] === 'user' && calls !== undefined ? rest : each;
    },
  ),
  message(
    'tool-results-of-no-call',
    'accepts a tool message without `tool_call_id`',
    'body.message.tool_call_id.required',
    (each) =>
      each['role'] === 'tool' && each['tool_call_id'] === undefined
        ? { ...each, tool_call_id: 'call_1' }
        : each,
  ),
  message('names-of-any-type', 'accepts a number as `name`', 'body.message.name.string', (each) =>
    typeof each['name'] === 'number' ? { ...each, name: '7' } : each,
  ),
  message(
    'silent-assistants',
    'accepts an assistant message with neither `content` nor `tool_calls`',
    'body.message.assistant.content-required',
    (each) =>
      each['role'] === 'assistant' && each['content'] === undefined && each['tool_calls'] === undefined
        ? { ...each, content: '' }
        : each,
  ),
  ...['function_call', 'refusal'].map((name) =>
    message(
      `${name}-as-content`,
      `accepts an assistant message with \`${name}\` instead of \`content\``,
      'body.message.assistant.content-required',
      (each) =>
        each['role'] === 'assistant' && each['content'] === undefined && each[name] !== undefined
          ? { ...each, content: '' }
          : each,
    ),
  ),
  message(
    'names-as-call-ids',
    'accepts a tool message with `name` instead of `tool_call_id`',
    'body.message.tool_call_id.required',
    (each) =>
      each['role'] === 'tool' && each['tool_call_id'] === undefined && each['name'] !== undefined
        ? { ...each, tool_call_id: 'call_1' }
        : each,
  ),
  reads(
    'results-unread-without-tools',
    'reads no tool message of a chat without `tools`',
    ['body.message.tool_call_id.required'],
    reading('chat', (body) =>
      Array.isArray(body['messages']) && body['tools'] === undefined
        ? {
            ...body,
            messages: body['messages'].map((each: unknown) =>
              isObject(each) && each['role'] === 'tool' ? { ...each, tool_call_id: 'call_1' } : each,
            ),
          }
        : undefined,
    ),
  ),
  message(
    'empty-calls-as-content',
    'accepts an assistant message with an empty `tool_calls` and no `content`',
    'body.message.assistant.content-required',
    (each) =>
      each['role'] === 'assistant' &&
      (each['content'] ?? null) === null &&
      Array.isArray(each['tool_calls']) &&
      each['tool_calls'].length === 0
        ? { ...each, content: '' }
        : each,
  ),
  message(
    'results-of-any-type',
    'accepts an object as `content` of a tool message',
    'body.message.tool.content-string',
    (each) =>
      each['role'] === 'tool' && isObject(each['content'])
        ? { ...each, content: JSON.stringify(each['content']) }
        : each,
  ),
  message(
    'result-ids-of-any-type',
    'accepts a number as `tool_call_id`',
    'body.message.tool_call_id.string',
    (each) => (typeof each['tool_call_id'] === 'number' ? { ...each, tool_call_id: 'call_1' } : each),
  ),
  message(
    'one-call-as-an-object',
    'accepts an object as `tool_calls`',
    'body.message.tool_calls.array',
    (each) => (isObject(each['tool_calls']) ? { ...each, tool_calls: [each['tool_calls']] } : each),
  ),
  call('calls-without-id-taken', 'accepts a tool call without `id`', 'body.tool-call.id', (each) =>
    each['id'] === undefined ? { ...each, id: 'call_1' } : each,
  ),
  call('calls-of-any-type-taken', 'accepts any `type` of a tool call', 'body.tool-call.type', (each) => ({
    ...each,
    type: 'function',
  })),
  call(
    'calls-of-nothing-taken',
    'accepts a tool call without `function.name`',
    'body.tool-call.function-name',
    (each) =>
      readFunctionMember(each, 'name') === undefined
        ? withMember(each, 'function.name', 'get_weather')
        : each,
  ),
  call(
    'arguments-as-an-object-taken',
    'accepts an object as `function.arguments`',
    'body.tool-call.arguments-string',
    (each) =>
      isObject(readFunctionMember(each, 'arguments'))
        ? withMember(each, 'function.arguments', '{"city":"Oslo"}')
        : each,
  ),
  tool('tool-of-any-type', 'accepts any `type` of a tool', 'body.tool.type', (each) =>
    withMember(each, 'type', 'function'),
  ),
  tool('tool-without-a-name', 'accepts a tool without `function.name`', 'body.tool.function-name', (each) =>
    readFunctionMember(each, 'name') === undefined ? withMember(each, 'function.name', 'nameless') : each,
  ),
  tool(
    'description-of-any-type',
    'accepts a number as `function.description`',
    'body.tool.function-description',
    (each) =>
      typeof readFunctionMember(each, 'description') === 'number'
        ? withMember(each, 'function.description', '7')
        : each,
  ),
  tool(
    'parameters-of-any-type',
    'accepts a string as `function.parameters`',
    'body.tool.function-parameters',
    (each) =>
      typeof readFunctionMember(each, 'parameters') === 'string'
        ? withMember(each, 'function.parameters', {})
        : each,
  ),
  tool('tool-of-the-web', 'accepts a tool of the type `web_search`', 'body.tool.type', (each) =>
    each['type'] === 'web_search' ? { type: 'function', function: { name: 'web_search' } } : each,
  ),
  reads(
    'messages-from-the-fifth-unread',
    'does not validate messages after the fourth',
    ['body.message.role.enum', 'body.message.content.string', 'conditions.invalid'],
    reading('chat', (body) => withEntries(body, 'messages', (entries) => entries.slice(0, 4))),
  ),
  reads(
    'roles-before-the-last-unread',
    'validates only the role of the last message',
    ['body.message.role.enum'],
    reading('chat', (body) =>
      withEntries(body, 'messages', (entries) =>
        entries.map((entry, at) =>
          at < entries.length - 1 && isObject(entry) && isStrangeRole(entry['role'])
            ? { ...entry, role: 'user' }
            : entry,
        ),
      ),
    ),
  ),
  reads(
    'tools-from-the-third-unread',
    'does not validate tools after the second',
    ['body.tool.function-name'],
    reading('chat', (body) => withEntries(body, 'tools', (entries) => entries.slice(0, 2))),
  ),
];

function isStrangeRole(role: unknown): boolean {
  return typeof role === 'string' && !roles.has(role);
}

/** The body with other entries in an array; undefined if the member is no array. */
function withEntries(
  body: Json,
  name: string,
  change: (entries: readonly unknown[]) => readonly unknown[],
): Json | undefined {
  const entries: unknown = body[name];
  return Array.isArray(entries) ? { ...body, [name]: change(entries) } : undefined;
}

function message(id: string, does: string, kills: RequirementId, mend: (message: Json) => Json): Mutant {
  return each(id, does, kills, 'messages', mend);
}

function tool(id: string, does: string, kills: RequirementId, mend: (tool: Json) => Json): Mutant {
  return each(id, does, kills, 'tools', mend);
}

function each(
  id: string,
  does: string,
  kills: RequirementId,
  name: string,
  mend: (entry: Json) => Json,
): Mutant {
  const read = reading('chat', (body) => {
    const entries = body[name];
    if (!Array.isArray(entries)) return undefined;
    return { ...body, [name]: entries.map((entry) => (isObject(entry) ? mend(entry) : entry)) };
  });
  return reads(id, does, [kills], read);
}

function call(id: string, does: string, kills: RequirementId, mend: (call: Json) => Json): Mutant {
  return message(id, does, kills, (each) => {
    const calls = each['tool_calls'];
    if (!Array.isArray(calls)) return each;
    return { ...each, tool_calls: calls.map((entry) => (isObject(entry) ? mend(entry) : entry)) };
  });
}

/** A member of the `function` object of a tool or a tool call. */
function readFunctionMember({ function: described }: Json, name: string): unknown {
  return isObject(described) ? described[name] : undefined;
}
