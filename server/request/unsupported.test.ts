import { expect, test } from 'vitest';
import { findUnsupported } from './unsupported.ts';

test.each([
  [{ stream: true }, 'stream'],
  [{ stream: 'yes' }, 'stream'],
  [{ n: 2 }, 'n'],
  [{ n: 0 }, 'n'],
  [{ best_of: 3 }, 'best_of'],
  [{ logprobs: true }, 'logprobs'],
  [{ logprobs: 5 }, 'logprobs'],
  [{ logprobs: 0 }, 'logprobs'],
])('D-09: %j changes the product and is refused by name', (body, param) => {
  const validationError = findUnsupported(body);
  expect(validationError?.param).toBe(param);
  expect(validationError?.message).toContain(param);
});

test.each([
  {},
  { stream: false, n: 1, best_of: 1, logprobs: false },
  { stream: null, n: null, best_of: null, logprobs: null },
  { user: 'x', seed: 1, response_format: {} },
])('D-09: %j does not change the product and is accepted', (body) => {
  expect(findUnsupported(body)).toBeNull();
});
