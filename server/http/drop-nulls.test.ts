import { describe, expect, it } from 'vitest';
import { dropNulls } from './drop-nulls.ts';

const user = { role: 'user', content: 'hi' };
const chat = { model: 'm', messages: [user] };
const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
const dropFromChat = (body: unknown) => dropNulls(body, 'ChatCompletionRequest');

function describedBy(parameters: object) {
  return { type: 'function', function: { name: 'f', parameters } };
}

/** The message of the model as `model_dump()` of OpenAI's Python package writes it. */
const dumped = {
  role: 'assistant',
  content: 'Ping.',
  refusal: null,
  annotations: null,
  audio: null,
  function_call: null,
  name: null,
  tool_calls: null,
};

describe('D-263: null in an optional field counts as absent', () => {
  it.each<[name: string, sent: object, kept: object]>([
    ['fields of the body', { ...chat, max_tokens: null, stop: null, tools: null, seed: null }, chat],
    ['fields that the contract does not have', { ...chat, stream: null, logit_bias: null }, chat],
    [
      'a message that an SDK sends back',
      { ...chat, messages: [dumped, user] },
      { ...chat, messages: [{ role: 'assistant', content: 'Ping.' }, user] },
    ],
    ['tool calls of a user', { ...chat, messages: [{ ...user, tool_calls: null }] }, chat],
    [
      'the content beside tool calls',
      { ...chat, messages: [{ role: 'assistant', content: null, tool_calls: [call] }] },
      { ...chat, messages: [{ role: 'assistant', tool_calls: [call] }] },
    ],
    [
      'fields of parameters that §2.3 names',
      {
        ...chat,
        tools: [describedBy({ type: null, required: null, properties: { a: { type: null, x: null } } })],
      },
      { ...chat, tools: [describedBy({ properties: { a: { x: null } } })] },
    ],
    [
      'parts of a function',
      {
        ...chat,
        tools: [{ type: 'function', function: { name: 'f', description: null, parameters: null } }],
      },
      { ...chat, tools: [{ type: 'function', function: { name: 'f' } }] },
    ],
    [
      'parts of a response format',
      { ...chat, response_format: { type: 'json_schema', json_schema: { name: 'n', strict: null } } },
      { ...chat, response_format: { type: 'json_schema', json_schema: { name: 'n' } } },
    ],
  ])('%s', (_name, sent, kept) => {
    const before = structuredClone(sent);
    expect(dropFromChat(sent)).toStrictEqual(kept);
    expect(sent).toStrictEqual(before);
  });

  it.each<[name: string, body: unknown]>([
    ['no null', { ...chat, tools: [{ type: 'function', function: { name: 'f', parameters: {} } }] }],
    ['null in required fields', { model: null, messages: null }],
    ['null as the content of a user', { ...chat, messages: [{ role: 'user', content: null }] }],
    ['null as a message', { ...chat, messages: [null] }],
    ['an unknown role', { ...chat, messages: [{ role: 'developer', content: 'x', name: null }] }],
    [
      'null in a JSON Schema',
      {
        ...chat,
        tools: [
          {
            type: 'function',
            function: {
              name: 'f',
              parameters: { properties: { a: { default: null, enum: [null] }, b: null } },
            },
          },
        ],
      },
    ],
    [
      'null in the schema of a response format',
      {
        ...chat,
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'n', schema: { const: null, type: null } },
        },
      },
    ],
    ['null in the metadata', { ...chat, metadata: { run: null } }],
    ['null as a stop sequence', { ...chat, stop: [null] }],
    ['no object', [null]],
    ['null for a body', null],
  ])('but not %s, which stays as sent', (_name, body) => {
    expect(dropFromChat(body)).toBe(body);
  });

  it('and names of the prototype change no prototype', () => {
    const sent = JSON.parse('{"__proto__":null,"constructor":null,"model":"m","messages":[]}');
    const kept = dropFromChat(sent);
    expect(kept).toStrictEqual({ model: 'm', messages: [] });
    expect(Object.getPrototypeOf(kept)).toBe(Object.prototype);
  });
});
