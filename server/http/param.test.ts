import { ChatCompletionRequest, CompletionRequest, type Validate } from '@paid-inference/contract/validators';
import { describe, expect, it } from 'vitest';
import { describeValidationError } from './param.ts';

const user = { role: 'user', content: 'hi' };
const valid = { model: 'alder/alder-mini', messages: [user] };
const call = { id: 'call_1', type: 'function', function: { name: 'look_up', arguments: '{}' } };

/** The one validation error for a body; null for a valid body. */
function validationErrorAbout(body: unknown, validate: Validate<unknown> = ChatCompletionRequest) {
  return validate(body) ? null : describeValidationError(validate.errors ?? []);
}

it('A valid body gives no error', () => {
  expect(validationErrorAbout(valid)).toBeNull();
  expect(validationErrorAbout({ ...valid, tool_choice: 'auto', stop: 'x', nobody_knows: 1 })).toBeNull();
});

describe('D-08: one sentence about one place', () => {
  it.each<[name: string, body: unknown, param: string | null, message: RegExp]>([
    ['no object', [], null, /^The body must be object\.$/],
    ['a missing field', { messages: [user] }, 'model', /^model is required\.$/],
    [
      'a path of more than 200 characters',
      { ...valid, metadata: { ['k'.repeat(200)]: 5 } },
      null,
      /^A member whose path has more than 200 characters must be string\.$/,
    ],
    ['an empty string', { ...valid, model: '' }, 'model', /^model must not be empty\.$/],
    ['an empty list', { ...valid, messages: [] }, 'messages', /^messages must have at least 1 item\(s\)\.$/],
    [
      'a list too long',
      { ...valid, stop: Array(17).fill('a') },
      'stop',
      /^stop must have at most 16 item\(s\)/,
    ],
    ['a wrong type', { ...valid, max_tokens: '1' }, 'max_tokens', /^max_tokens must be integer\.$/],
    ['a fraction', { ...valid, max_tokens: 1.5 }, 'max_tokens', /^max_tokens must be integer\.$/],
    ['a number too small', { ...valid, max_tokens: 0 }, 'max_tokens', /^max_tokens must be >= 1\.$/],
    ['a number too large', { ...valid, temperature: 2.1 }, 'temperature', /^temperature must be <= 2\.$/],
    ['neither of two types', { ...valid, stop: 5 }, 'stop', /^stop must be array or string\.$/],
    [
      'neither text nor tool',
      { ...valid, tool_choice: 5 },
      'tool_choice',
      /^tool_choice must be string or object\.$/,
    ],
    ['one of a list', { ...valid, stop: ['a', 5] }, 'stop[1]', /^stop\[1\] must be string\.$/],
    [
      'an unknown role',
      { ...valid, messages: [user, { role: 'developer', content: 'x' }] },
      'messages[1].role',
      /^messages\[1\]\.role must be one of .*assistant.*\.$/,
    ],
    ['no role', { ...valid, messages: [{ content: 'x' }] }, 'messages[0].role', /must be one of .*user.*\.$/],
    ['a role that is no string', { ...valid, messages: [{ role: 1 }] }, 'messages[0].role', /must be one of/],
    [
      'a message that is text',
      { ...valid, messages: ['hi'] },
      'messages[0]',
      /^messages\[0\] must be object\.$/,
    ],
    ['no content', { ...valid, messages: [{ role: 'user' }] }, 'messages[0].content', /is required\.$/],
    [
      'an assistant without content and calls',
      { ...valid, messages: [{ role: 'assistant' }] },
      'messages[0].content',
      /is required\.$/,
    ],
    [
      'tool_calls of a user',
      { ...valid, messages: [{ ...user, tool_calls: [call] }] },
      'messages[0].tool_calls',
      /is not allowed here\.$/,
    ],
    [
      'a missing field three levels down',
      { ...valid, messages: [{ role: 'assistant', tool_calls: [{ ...call, function: { name: 'x' } }] }] },
      'messages[0].tool_calls[0].function.arguments',
      /is required\.$/,
    ],
    [
      'a field whose name has a slash and a tilde',
      {
        ...valid,
        tools: [
          { type: 'function', function: { name: 'f', parameters: { properties: { 'a/b~c': { type: 5 } } } } },
        ],
      },
      'tools[0].function.parameters.properties.a/b~c.type',
      /must be string or array\.$/,
    ],
  ])('%s', (_name, body, param, message) => {
    const validationError = validationErrorAbout(body);
    expect(validationError?.param).toBe(param);
    expect(validationError?.message).toMatch(message);
  });

  it('text bodies alike', () => {
    expect(validationErrorAbout({ model: 'x', prompt: ['a'] }, CompletionRequest)).toEqual({
      param: 'prompt',
      message: 'prompt must be string.',
    });
  });

  it('never repeats the value', () => {
    const secret = 'my-private-prompt';
    for (const body of [
      { ...valid, model: { secret } },
      { ...valid, messages: [{ role: secret, content: secret }] },
      { ...valid, messages: secret },
      { ...valid, max_tokens: secret },
    ]) {
      expect(JSON.stringify(validationErrorAbout(body))).not.toContain(secret);
    }
  });
});

it('An empty list of errors still means an invalid body', () => {
  expect(describeValidationError([])).toEqual({ message: 'The body is invalid.', param: null });
});
