import type { SavedExchange } from '@paid-inference/contract/types';
import { describe, expect, test } from 'vitest';
import { completionFor } from '../testing/answers.ts';
import { gatewayOf, saleFault } from './sale.ts';

const chatUrl = 'https://gateway.test/v1/chat/completions';
const textUrl = 'https://gateway.test/v1/completions';
const chatRequest = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'ping' }] });
const chat = completionFor('/v1/chat/completions', chatRequest);
const text = completionFor('/v1/completions', JSON.stringify({ model: 'm', prompt: 'ping' }));

function exchange(url: string, body: string, { method = 'POST', status = 200 } = {}): SavedExchange {
  const request = { method, url, headers: {}, body: '{}' };
  return { format: 'paid-inference/exchange/v1', request, response: { status, headers: {}, body } };
}

describe('Inference is sold', () => {
  test.each([
    ['in chat', chatUrl, chat],
    ['in text', textUrl, text],
    ['under a path of the gateway', 'https://gateway.test/prefix/v1/chat/completions', chat],
  ])('%s', (_, url, body) => {
    expect(saleFault(exchange(url, body))).toBe(null);
  });

  test.each([100, 201, 402, 503])('and not with the status %i', (status) => {
    expect(saleFault(exchange(chatUrl, chat, { status }))).toBe(
      `the answer has the status ${status}, and inference that was sold is answered 200`,
    );
  });

  test.each([
    ['GET', chatUrl, 'GET /v1/chat/completions'],
    ['POST', 'https://gateway.test/v1/models', 'POST /v1/models'],
    ['POST', `${chatUrl}/`, 'POST /v1/chat/completions/'],
    ['POST', 'no url', 'POST what is no URL'],
  ])('and not at %s %s', (method, url, where) => {
    expect(saleFault(exchange(url, chat, { method }))).toBe(
      `no inference is sold at ${where}: that is at POST /v1/chat/completions and POST /v1/completions`,
    );
  });

  test('with the body of its own endpoint, and not of the other', () => {
    expect(saleFault(exchange(textUrl, chat))).toBe(
      'the answer is a chat.completion, and /v1/completions answers with a text_completion',
    );
    expect(saleFault(exchange(chatUrl, text))).toBe(
      'the answer is a text_completion, and /v1/chat/completions answers with a chat.completion',
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
])('An exchange with %s is asked about at %s', (url, gateway) => {
  expect(gatewayOf(exchange(url, chat))).toBe(gateway);
});
