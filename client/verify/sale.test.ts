import type { SavedExchange } from '@paid-inference/contract/types';
import { describe, expect, test } from 'vitest';
import { completionFor } from '../testing/completions.ts';
import { findGatewayUrl, saleFault } from './sale.ts';

const chatUrl = 'https://gateway.test/v1/chat/completions';
const textUrl = 'https://gateway.test/v1/completions';
const chatRequest = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'ping' }] });
const chat = completionFor('/v1/chat/completions', chatRequest);
const text = completionFor('/v1/completions', JSON.stringify({ model: 'm', prompt: 'ping' }));

function exchange(url: string, body: string, { method = 'POST', status = 200 } = {}): SavedExchange {
  const request = { method, url, headers: {}, body: '{}' };
  return { format: 'paid-inference/exchange/v1', request, response: { status, headers: {}, body } };
}

describe('saleFault accepts', () => {
  test.each([
    ['a chat completion', chatUrl, chat],
    ['a text completion', textUrl, text],
    ['an endpoint below a path', 'https://gateway.test/prefix/v1/chat/completions', chat],
  ])('%s', (_, url, body) => {
    expect(saleFault(exchange(url, body))).toBe(null);
  });

  test.each([100, 201, 402, 503])('and rejects the status %i', (status) => {
    expect(saleFault(exchange(chatUrl, chat, { status }))).toBe(
      `the response has status ${status}, but a sold inference has status 200`,
    );
  });

  test.each([
    ['GET', chatUrl, 'GET /v1/chat/completions'],
    ['POST', 'https://gateway.test/v1/models', 'POST /v1/models'],
    ['POST', `${chatUrl}/`, 'POST /v1/chat/completions/'],
    ['POST', 'no url', 'POST an invalid URL'],
  ])('and rejects %s %s', (method, url, where) => {
    expect(saleFault(exchange(url, chat, { method }))).toBe(
      `${where} sells no inference: POST /v1/chat/completions and POST /v1/completions do`,
    );
  });

  test('and rejects a body of the other endpoint', () => {
    expect(saleFault(exchange(textUrl, chat))).toBe(
      'the response is a chat.completion, but /v1/completions returns a text_completion',
    );
    expect(saleFault(exchange(chatUrl, text))).toBe(
      'the response is a text_completion, but /v1/chat/completions returns a chat.completion',
    );
  });
});

test.each([
  ['http://127.0.0.1:8402/v1/chat/completions', 'http://127.0.0.1:8402'],
  ['https://gateway.test/v1/completions', 'https://gateway.test'],
  ['https://gateway.test/prefix/v1/chat/completions', 'https://gateway.test/prefix'],
  ['https://gateway.test/elsewhere?x=1', 'https://gateway.test'],
  ['file:///etc/passwd', null],
  ['https://user:secret@gateway.test/v1/completions', null],
  ['no url', null],
])('The gateway of an exchange with %s is %s', (url, gateway) => {
  expect(findGatewayUrl(exchange(url, chat))).toBe(gateway);
});
