import { expect, it } from 'vitest';
import { curlLine } from './curl.ts';

it('sends a header that is empty as one that is there', () => {
  const request = {
    method: 'POST',
    url: 'https://gateway.example/v1/completions',
    headers: { 'X-PAYMENT': '', 'Content-Type': 'application/json' },
    body: '{}',
  };
  expect(curlLine(request)).toBe(
    "curl -i -X POST 'https://gateway.example/v1/completions' -H 'X-PAYMENT;' -H 'Content-Type: application/json' --data-raw '{}'",
  );
});
