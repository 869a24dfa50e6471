import { expect, test } from 'vitest';
import { asTyped } from './as-typed.ts';

const text = 'npm run wallet -- new payer.key, npm run --silent chat -- "Hello", npm run models';

test('The repository has npm scripts', () => {
  expect(asTyped(text)).toBe(text);
});

test('An installed package has one command', () => {
  expect(asTyped(text, 'file:///node_modules/@paid-inference/client/cli/as-typed.js')).toBe(
    'npx paid-inference wallet new payer.key, npx paid-inference chat "Hello", npx paid-inference models',
  );
});

test('"npm start" has a place', () => {
  const hint = 'Is the gateway running? "npm start" starts one.';
  expect(asTyped(hint)).toBe(hint);
  expect(asTyped(hint, 'file:///as-typed.js')).toBe(
    'Is the gateway running? "npm start" in the repository starts one.',
  );
});
