import { expect, it } from 'vitest';
import { curlLine } from './curl.ts';

it('writes an empty header so that curl sends it', () => {
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
