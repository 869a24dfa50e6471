import { ChatCompletionRequest } from '@paid-inference/contract/validators';
import { expect, it } from 'vitest';
import { newDraft, readDraft } from './draft.ts';

const draft = newDraft('alder/alder-mini');

it('the first draft is a valid request, with the tool and without', () => {
  for (const hasTool of [true, false]) {
    const read = readDraft({ ...draft, hasTool });
    expect(read.ok && ChatCompletionRequest(read.body)).toBe(true);
    expect(read.ok && 'tools' in read.body).toBe(hasTool);
  }
});

it('the next message follows the conversation, and after the result of a tool none is needed', () => {
  const call = {
    id: 'call-1',
    type: 'function' as const,
    function: { name: 'order_status', arguments: '{}' },
  };
  const messages = [
    { role: 'user' as const, content: 'Where is it?' },
    { role: 'assistant' as const, content: null, tool_calls: [call] },
    { role: 'tool' as const, tool_call_id: 'call-1', content: 'shipped' },
  ];
  const roles = (message: string) => {
    const read = readDraft({ ...draft, messages, message });
    return read.ok ? read.body.messages.map(({ role }) => role) : read.message;
  };
  expect(roles('')).toEqual(['user', 'assistant', 'tool']);
  expect(roles('And now?')).toEqual(['user', 'assistant', 'tool', 'user']);
});

it.each([
  [{ message: ' ' }, 'Write a message first.'],
  [{ maxTokens: 0 }, 'The completion needs at least one token.'],
  [{ maxTokens: 1.5 }, 'The completion needs at least one token.'],
  [{ hasTool: true, tool: '{' }, 'The definition of the tool is not JSON.'],
])('the fault of %j is named', (more, message) => {
  expect(readDraft({ ...draft, ...more })).toEqual({ ok: false, message });
});
