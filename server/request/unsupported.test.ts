import { expect, test } from 'vitest';
import { findUnsupported } from './unsupported.ts';

test.each([
  [{ n: 2 }, 'n'],
  [{ n: 0 }, 'n'],
  [{ best_of: 3 }, 'best_of'],
  [{ logprobs: true }, 'logprobs'],
  [{ logprobs: 5 }, 'logprobs'],
  [{ logprobs: 0 }, 'logprobs'],
  [{ top_logprobs: 2 }, 'top_logprobs'],
  [{ functions: [{ name: 'look' }] }, 'functions'],
  [{ function_call: { name: 'look' } }, 'function_call'],
  [{ modalities: ['text', 'audio'] }, 'modalities'],
  [{ web_search_options: {} }, 'web_search_options'],
  [{ echo: true }, 'echo'],
  [{ suffix: 'The end.' }, 'suffix'],
])('D-09: %j changes the product and is refused by name', (body, param) => {
  for (const kind of ['chat', 'text'] as const) {
    const validationError = findUnsupported(body, kind);
    expect(validationError?.param).toBe(param);
    expect(validationError?.message).toContain(param);
  }
});

test.each([
  {},
  { stream: true, n: 1, best_of: 1, logprobs: false, top_logprobs: 0, echo: false, suffix: '' },
  { functions: [], function_call: 'auto', modalities: ['text'], response_format: { type: 'text' } },
  { user: 'x', seed: 1, store: true, logit_bias: { 7: -100 }, prediction: null },
])('D-09: %j does not change the product and is accepted', (body) => {
  expect(findUnsupported(body, 'chat')).toBeNull();
  expect(findUnsupported(body, 'text')).toBeNull();
});

test('D-265: a form of the text is refused for a text completion, which has none', () => {
  const body = { response_format: { type: 'json_object' } };
  expect(findUnsupported(body, 'text')?.param).toBe('response_format');
  expect(findUnsupported(body, 'chat')).toBeNull();
});
