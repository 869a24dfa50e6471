import type { ChatCompletionRequest, CompletionRequest } from '@paid-inference/contract/types';
import { describe, expect, it } from 'vitest';
import { chatTask, type FindModel, textTask } from './task.ts';

const limits = { messagesMax: 3, toolsMax: 2 };
const model = { contextLength: 1_000, maxOutputTokens: 500 };
const findModel: FindModel = (id) => (id === 'known' ? model : undefined);
const user = { role: 'user', content: 'hi' } as const;
const tool = (name: string) => ({ type: 'function', function: { name } }) as const;
const named = (name: string) => ({ type: 'function', function: { name } }) as const;

function chat(change: Partial<ChatCompletionRequest> = {}) {
  return chatTask({ model: 'known', messages: [user], ...change }, findModel, limits);
}
function text(change: Partial<CompletionRequest> = {}) {
  return textTask({ model: 'known', prompt: 'hi', ...change }, findModel);
}
function findParam(result: ReturnType<typeof chat> | ReturnType<typeof text>): string | null {
  return result.ok ? null : result.fault.param;
}

describe('§8: defaults', () => {
  it('of a chat: 100 tokens, temperature 1, no stops, no tools, no choice', () => {
    expect(chat()).toEqual({
      ok: true,
      value: {
        kind: 'chat',
        model: 'known',
        messages: [user],
        maxTokens: 100,
        temperature: 1,
        stop: [],
        fields: {},
        tools: [],
        toolChoice: { mode: 'none' },
      },
    });
  });

  it('of a text: the same (D-12)', () => {
    expect(text()).toEqual({
      ok: true,
      value: {
        kind: 'text',
        model: 'known',
        prompt: 'hi',
        maxTokens: 100,
        temperature: 1,
        stop: [],
        fields: {},
      },
    });
  });

  it('give way to every value in the request, zero included', () => {
    const sent = { max_tokens: 1, temperature: 0 };
    const expected = { value: { maxTokens: 1, temperature: 0 } };
    expect(chat(sent)).toMatchObject(expected);
    expect(text(sent)).toMatchObject(expected);
  });
});

describe('D-06, D-12: the model', () => {
  it('must be in the catalog', () => {
    expect(findParam(chat({ model: 'unknown' }))).toBe('model');
    expect(findParam(text({ model: 'KNOWN' }))).toBe('model');
  });

  it('returns as many tokens as its limit, and no more', () => {
    expect(findParam(chat({ max_tokens: 500 }))).toBeNull();
    expect(findParam(chat({ max_tokens: 501 }))).toBe('max_tokens');
    expect(findParam(text({ max_tokens: 501 }))).toBe('max_tokens');
  });

  it('has room for input and output together, to the last token', () => {
    const prompt = (tokens: number) => 'x'.repeat(tokens * 4);
    expect(findParam(text({ prompt: prompt(900), max_tokens: 100 }))).toBeNull();
    expect(findParam(text({ prompt: prompt(901), max_tokens: 100 }))).toBe('prompt');
    const message = (tokens: number) => ({ ...user, content: prompt(tokens - 4) });
    expect(findParam(chat({ messages: [message(900)], max_tokens: 100 }))).toBeNull();
    expect(findParam(chat({ messages: [message(901)], max_tokens: 100 }))).toBe('messages');
  });
});

describe('D-14: lists', () => {
  it('are accepted up to the limit', () => {
    expect(findParam(chat({ messages: Array(3).fill(user) }))).toBeNull();
    expect(findParam(chat({ messages: Array(4).fill(user) }))).toBe('messages');
    expect(findParam(chat({ tools: [tool('a'), tool('b')] }))).toBeNull();
    expect(findParam(chat({ tools: [tool('a'), tool('b'), tool('c')] }))).toBe('tools');
  });
});

describe('D-10: stop', () => {
  it.each<[string, ChatCompletionRequest['stop'], readonly string[]]>([
    ['a list', ['a', 'b'], ['a', 'b']],
    ['a bare string is a list of one', 'END', ['END']],
    ['an empty list stops nothing', [], []],
    ['an empty string is ignored', '', []],
    ['an empty string in a list is ignored', ['', 'a', ''], ['a']],
  ])('%s', (_name, stop, expected) => {
    const change = stop === undefined ? {} : { stop };
    expect(chat(change)).toMatchObject({ value: { stop: expected } });
    expect(text(change)).toMatchObject({ value: { stop: expected } });
  });
});

describe('D-11: tool_choice', () => {
  it.each([
    [10, 't9.'],
    [25, 't9 and 15 more.'],
  ])('of an unknown name with %i tools lists ten of them (D-199)', (count, end) => {
    const many = Array.from({ length: count }, (_, at) => tool(`t${at}`));
    const request = { model: 'known', messages: [user], tools: many, tool_choice: 'other' };
    const result = chatTask(request, findModel, { messagesMax: 3, toolsMax: 100 });
    const names = 't0, t1, t2, t3, t4, t5, t6, t7, t8, ';
    expect(result.ok ? '' : result.fault.message).toBe(
      `tool_choice must be auto, none, required, or one of ${names}${end}`,
    );
  });

  const tools = [tool('look'), tool('auto')];
  it.each<[string, Partial<ChatCompletionRequest>, object]>([
    ['absent with tools is auto', { tools }, { mode: 'auto' }],
    ['absent without tools is none', {}, { mode: 'none' }],
    ['auto without tools is auto', { tool_choice: 'auto' }, { mode: 'auto' }],
    ['none with tools is none', { tools, tool_choice: 'none' }, { mode: 'none' }],
    ['required', { tools, tool_choice: 'required' }, { mode: 'required' }],
    ['a name', { tools, tool_choice: 'look' }, { mode: 'specific', name: 'look' }],
    ['the object form', { tools, tool_choice: named('look') }, { mode: 'specific', name: 'look' }],
    ['a tool that is called auto', { tools, tool_choice: 'auto' }, { mode: 'specific', name: 'auto' }],
  ])('%s', (_name, change, toolChoice) => {
    expect(chat(change)).toMatchObject({ ok: true, value: { toolChoice } });
  });

  it.each<[string, Partial<ChatCompletionRequest>]>([
    ['a name that is not in tools', { tools, tool_choice: 'other' }],
    ['its object form', { tools, tool_choice: named('other') }],
    ['a name without tools', { tool_choice: 'look' }],
    ['required without tools', { tool_choice: 'required' }],
    ['a mode in the object form', { tool_choice: named('auto') }],
    ['another case', { tools, tool_choice: 'LOOK' }],
    ['nothing', { tools, tool_choice: '' }],
  ])('%s is refused', (_name, change) => {
    expect(findParam(chat(change))).toBe('tool_choice');
  });
});
