import { describe, expect, test } from 'vitest';
import { createPayingFetch } from './create-paying-fetch.ts';
import { readExchange } from './saved-exchange.ts';
import { chatInit, setStage } from './testing/exchange.ts';

describe('An exchange', () => {
  test('goes to onExchange once it is paid, with the headers of the attempt that got the response', async () => {
    await using stage = await setStage();
    const saved: unknown[] = [];
    const fetch = createPayingFetch({ ...stage.options(), onExchange: (exchange) => saved.push(exchange) });
    stage.gateway.fates({ fate: 'lose-response' });
    const response = await fetch(stage.chatUrl, {
      ...chatInit,
      headers: { ...chatInit.headers, authorization: 'Bearer secret', cookie: 'secret=1' },
    });
    const body = await response.text();
    expect(saved).toEqual([
      {
        format: 'paid-inference/exchange/v1',
        request: {
          method: 'POST',
          url: stage.chatUrl,
          headers: { 'content-type': 'application/json', 'x-payment': stage.gateway.paid().at(-1)?.payment },
          body: chatInit.body,
        },
        response: {
          status: 200,
          headers: expect.objectContaining({
            'idempotent-replayed': 'true',
            'x-payment-response': expect.any(String),
          }),
          body,
        },
      },
    ]);
    expect(JSON.stringify(saved)).not.toContain('secret');
    expect(readExchange(JSON.stringify(saved[0]))).toEqual({ ok: true, exchange: saved[0] });
  });

  test('does not go to onExchange without a payment or without a completion', async () => {
    await using stage = await setStage();
    const saved: unknown[] = [];
    const options = { ...stage.options(), onExchange: (exchange: unknown) => saved.push(exchange) };
    await createPayingFetch(options)(`${stage.gateway.url}/v1/models`);
    stage.gateway.fates({ fate: 'respond', status: 400, code: 'invalid_request' });
    await createPayingFetch(options)(stage.chatUrl, chatInit);
    await createPayingFetch({ ...options, rules: { amountPerRequestMax: 1n, amountTotalMax: 1n } })(
      stage.chatUrl,
      chatInit,
    );
    expect(saved).toEqual([]);
  });

  const whole = {
    format: 'paid-inference/exchange/v1',
    request: { method: 'POST', url: 'http://gateway.test/v1/completions', headers: {}, body: '{}' },
    response: { status: 200, headers: {}, body: '{}' },
  };

  test.each([
    ['no JSON', '{', 'the file is not JSON'],
    [
      'another format',
      JSON.stringify({ ...whole, format: 'x' }),
      '/format must be equal to one of the allowed values: paid-inference/exchange/v1',
    ],
    [
      'no body',
      JSON.stringify({ ...whole, request: { ...whole.request, body: 1 } }),
      '/request/body must be string',
    ],
    [
      'an invalid HTTP header',
      JSON.stringify({ ...whole, response: { ...whole.response, headers: { 'x-a': 'one\ntwo' } } }),
      'a header is not valid in HTTP',
    ],
  ])('that has %s cannot be read', (_, text, message) => {
    expect(readExchange(text)).toEqual({ ok: false, message });
    expect(readExchange(JSON.stringify(whole))).toMatchObject({ ok: true });
  });
});
