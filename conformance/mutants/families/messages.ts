import type { RequirementId } from '@paid-inference/contract/requirements';
import { reading } from '../edits.ts';
import { type Mutant, reads } from '../mutant.ts';
import { isObject, type Json, withMember } from '../wire-edits.ts';

const roles = new Set<unknown>(['system', 'user', 'assistant', 'tool']);

/** Rules of messages and tools that are not kept (contract 2.2 to 2.4): what breaks one is read as if it did not. */
export const messageMutants: readonly Mutant[] = [
  message('role-of-any-word', 'takes any word for a `role`', 'body.message.role.enum', (each) =>
    typeof each['role'] === 'string' && !roles.has(each['role']) ? { ...each, role: 'user' } : each,
  ),
  message('role-not-demanded', 'needs no `role`', 'body.message.role.required', (each) =>
    each['role'] === undefined ? { ...each, role: 'user' } : each,
  ),
  message('content-not-demanded', 'needs no `content`', 'body.message.content.required', (each) =>
    each['content'] === undefined && each['role'] !== 'assistant' ? { ...each, content: '' } : each,
  ),
  message('content-of-any-type', 'takes a number for `content`', 'body.message.content.string', (each) =>
    typeof each['content'] === 'number' && each['role'] !== 'tool' ? { ...each, content: '7' } : each,
  ),
  message(
    'tool-calls-by-anybody',
    'takes `tool_calls` of a user',
    'body.message.tool_calls.assistant-only',
    (each) => {
      const { tool_calls: calls, ...rest } = each;
      return each['role'] === 'user' && calls !== undefined ? rest : each;
    },
  ),
  message(
    'tool-results-of-no-call',
    'needs no `tool_call_id`',
    'body.message.tool_call_id.required',
    (each) =>
      each['role'] === 'tool' && each['tool_call_id'] === undefined
        ? { ...each, tool_call_id: 'call_1' }
        : each,
  ),
  message('names-of-any-type', 'takes a number for `name`', 'body.message.name.string', (each) =>
    typeof each['name'] === 'number' ? { ...each, name: '7' } : each,
  ),
  message(
    'silent-assistants',
    'takes an assistant message with neither `content` nor `tool_calls`',
    'body.message.assistant.content-required',
    (each) =>
      each['role'] === 'assistant' && each['content'] === undefined && each['tool_calls'] === undefined
        ? { ...each, content: '' }
        : each,
  ),
  message(
    'results-of-any-type',
    'takes an object as the result of a tool',
    'body.message.tool.content-string',
    (each) =>
      each['role'] === 'tool' && isObject(each['content'])
        ? { ...each, content: JSON.stringify(each['content']) }
        : each,
  ),
  message(
    'result-ids-of-any-type',
    'takes a number for `tool_call_id`',
    'body.message.tool_call_id.string',
    (each) => (typeof each['tool_call_id'] === 'number' ? { ...each, tool_call_id: 'call_1' } : each),
  ),
  message(
    'one-call-as-an-object',
    'takes one object for `tool_calls`',
    'body.message.tool_calls.array',
    (each) => (isObject(each['tool_calls']) ? { ...each, tool_calls: [each['tool_calls']] } : each),
  ),
  call('calls-without-id-taken', 'needs no `id` of a call', 'body.tool-call.id', (each) =>
    each['id'] === undefined ? { ...each, id: 'call_1' } : each,
  ),
  call('calls-of-any-type-taken', 'takes any `type` of a call', 'body.tool-call.type', (each) => ({
    ...each,
    type: 'function',
  })),
  call(
    'calls-of-nothing-taken',
    'takes a call that names no function',
    'body.tool-call.function-name',
    (each) =>
      memberOf(each, 'name') === undefined ? withMember(each, 'function.name', 'get_weather') : each,
  ),
  call(
    'arguments-as-an-object-taken',
    'takes an object for `function.arguments`',
    'body.tool-call.arguments-string',
    (each) =>
      isObject(memberOf(each, 'arguments'))
        ? withMember(each, 'function.arguments', '{"city":"Oslo"}')
        : each,
  ),
  tool('tool-of-any-type', 'takes any `type` of a tool', 'body.tool.type', (each) =>
    withMember(each, 'type', 'function'),
  ),
  tool('tool-without-a-name', 'needs no `function.name`', 'body.tool.function-name', (each) =>
    memberOf(each, 'name') === undefined ? withMember(each, 'function.name', 'nameless') : each,
  ),
  tool(
    'description-of-any-type',
    'takes a number for `function.description`',
    'body.tool.function-description',
    (each) =>
      typeof memberOf(each, 'description') === 'number'
        ? withMember(each, 'function.description', '7')
        : each,
  ),
  tool(
    'parameters-of-any-type',
    'takes a string for `function.parameters`',
    'body.tool.function-parameters',
    (each) =>
      typeof memberOf(each, 'parameters') === 'string' ? withMember(each, 'function.parameters', {}) : each,
  ),
];

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

/** A member of the function that a tool or a call describes. */
function memberOf({ function: described }: Json, name: string): unknown {
  return isObject(described) ? described[name] : undefined;
}
