import { describe, expect, it } from 'vitest';
import { judge } from '../index.ts';
import { listenOnLoopback } from '../testing/fake-target.ts';

const offer = { 'X-PAYMENT-REQUIRED': Buffer.from('{"scheme":"exact"}').toString('base64') };
const completion = '{"id":"c-1","choices":[{"index":0,"text":"pong","finish_reason":"stop"}]}';

function errorBody(type: string, code: string): string {
  return JSON.stringify({ error: { message: 'No.', type, code } });
}

/** Judges a server without a list of models that sends one response to each POST request. */
async function judgeServer(status: number, headers: Readonly<Record<string, string>>, body: string) {
  await using server = await listenOnLoopback((request, response) => {
    if (request.method === 'POST') response.writeHead(status, headers).end(body);
    else response.writeHead(404).end();
  });
  return await judge({ targetUrl: server.url, profiles: ['free'], filter: 'unpaid.chat.' });
}

describe('a target without a list of models (D-455)', () => {
  it.each([
    ['an offer with 401', 401, offer, ''],
    ['an offer with 303', 303, offer, ''],
    ['an offer with 200', 200, offer, '{}'],
    ['a completion with 202', 202, {}, completion],
    ['a stream', 200, { 'Content-Type': 'text/event-stream' }, `data: ${completion}\n\ndata: [DONE]\n\n`],
    ['the 500 of §7', 500, {}, errorBody('server_error', 'internal_error')],
    ['the 401 of §7', 401, {}, errorBody('authentication_error', 'invalid_signature')],
  ])('fails for %s', async (_, status, headers, body) => {
    expect(await judgeServer(status, headers, body)).toMatchObject({ report: { exitCode: 1 } });
  });

  it.each([
    ['a page', 200, { 'Content-Type': 'text/html' }, '<html>data: {}</html>'],
    ['another event stream', 200, { 'Content-Type': 'text/event-stream' }, 'data: {"tick":1}\n\n'],
    ['a 500 of its own', 500, {}, errorBody('api_error', 'internal_error')],
    ['a request for an API key', 401, {}, errorBody('invalid_request_error', 'invalid_api_key')],
    [
      'a refusal of the model with an offer',
      400,
      offer,
      errorBody('invalid_request_error', 'invalid_request'),
    ],
  ])('is not judged for %s', async (_, status, headers, body) => {
    expect(await judgeServer(status, headers, body)).toMatchObject({ ok: false });
  });
});
