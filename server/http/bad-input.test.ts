import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { errorTable } from '@paid-inference/contract/errors';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../testing/gateway.ts';
import { chatBody, chatPath, decodeOffer, paymentFor, post, textPath } from '../testing/payer.ts';

let gateway: TestGateway;
let chat: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  chat = `${gateway.url}${chatPath}`;
});
afterAll(() => gateway.stop());

const message = { role: 'user', content: 'x' };
const tool = { type: 'function', function: { name: 'look_up' } };
const call = { id: 'call_1', type: 'function', function: { name: 'look_up', arguments: '{}' } };

describe('§7: an invalid body returns 400 invalid_request with the place of the fault (D-08)', () => {
  it.each<[name: string, change: object, param: string | null]>([
    ['no model', { model: undefined }, 'model'],
    ['a model that is a number', { model: 7 }, 'model'],
    ['an empty model', { model: '' }, 'model'],
    ['a model that is not in the catalog (D-06)', { model: 'nobody/nothing' }, 'model'],
    ['no messages', { messages: undefined }, 'messages'],
    ['messages that are a string', { messages: 'hello' }, 'messages'],
    ['messages that are empty', { messages: [] }, 'messages'],
    ['a message that is a string', { messages: ['hello'] }, 'messages[0]'],
    ['a message that is null', { messages: [null] }, 'messages[0]'],
    ['a message without role', { messages: [{ content: 'x' }] }, 'messages[0].role'],
    [
      'a role of another API',
      { messages: [message, { role: 'developer', content: 'x' }] },
      'messages[1].role',
    ],
    ['a user message without content', { messages: [{ role: 'user' }] }, 'messages[0].content'],
    [
      'content in parts',
      { messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] },
      'messages[0].content',
    ],
    [
      'content null without tool_calls',
      { messages: [{ role: 'assistant', content: null }] },
      'messages[0].content',
    ],
    [
      'tool_calls on a user message',
      { messages: [{ ...message, tool_calls: [call] }] },
      'messages[0].tool_calls',
    ],
    [
      'a tool message without tool_call_id',
      { messages: [{ role: 'tool', content: '1' }] },
      'messages[0].tool_call_id',
    ],
    [
      'tool call arguments that are an object',
      {
        messages: [{ role: 'assistant', tool_calls: [{ ...call, function: { name: 'f', arguments: {} } }] }],
      },
      'messages[0].tool_calls[0].function.arguments',
    ],
    ['a name that is a number', { messages: [{ ...message, name: 5 }] }, 'messages[0].name'],
    ['max_tokens that is a fraction', { max_tokens: 1.5 }, 'max_tokens'],
    ['max_tokens that is a string', { max_tokens: '10' }, 'max_tokens'],
    ['max_tokens of zero (D-12)', { max_tokens: 0 }, 'max_tokens'],
    ['max_tokens above the limit of the model (D-12)', { max_tokens: 1_000_000 }, 'max_tokens'],
    ['max_tokens beyond int32', { max_tokens: 1e300 }, 'max_tokens'],
    ['temperature above 2', { temperature: 2.1 }, 'temperature'],
    ['temperature below 0', { temperature: -0.1 }, 'temperature'],
    ['temperature that is a string', { temperature: '1' }, 'temperature'],
    ['stop that is a number', { stop: 5 }, 'stop'],
    ['a stop sequence that is a number', { stop: ['a', 5] }, 'stop[1]'],
    ['17 stop sequences (D-10)', { stop: Array(17).fill('a') }, 'stop'],
    ['tools that are an object', { tools: {} }, 'tools'],
    ['a tool of another type', { tools: [{ ...tool, type: 'retrieval' }] }, 'tools[0].type'],
    ['a tool without function', { tools: [{ type: 'function' }] }, 'tools[0].function'],
    ['a tool without name', { tools: [{ type: 'function', function: {} }] }, 'tools[0].function.name'],
    [
      'parameters whose required is a string',
      { tools: [{ type: 'function', function: { name: 'f', parameters: { required: 'x' } } }] },
      'tools[0].function.parameters.required',
    ],
    ['129 tools (D-14)', { tools: Array(129).fill(tool) }, 'tools'],
    ['1025 messages (D-14)', { messages: Array(1025).fill(message) }, 'messages'],
    ['tool_choice of a tool that is missing (D-11)', { tools: [tool], tool_choice: 'other' }, 'tool_choice'],
    ['tool_choice that is a number', { tool_choice: 5 }, 'tool_choice'],
    ['a stream that is no boolean (D-267)', { stream: 'yes' }, 'stream'],
    ['n of 2 (D-09)', { n: 2 }, 'n'],
    ['best_of of 2 (D-09)', { best_of: 2 }, 'best_of'],
    ['logprobs (D-09)', { logprobs: true }, 'logprobs'],
    [
      'more input than the context of the model',
      { messages: [{ role: 'user', content: 'x'.repeat(600_000) }] },
      'messages',
    ],
  ])('%s', async (_name, change, param) => {
    const response = await post(chat, { ...chatBody, ...change });
    expect([response.status, response.body.error.code, response.body.error.param]).toEqual([
      400,
      'invalid_request',
      param,
    ]);
    expect(response.body.error.type).toBe('invalid_request_error');
    expect(response.body.error.message.length).toBeGreaterThan(10);
    expect((await post(chat, chatBody)).status).toBe(402);
  });

  it.each([
    ['no prompt', { prompt: undefined }, 'prompt'],
    ['a prompt that is an array', { prompt: ['x'] }, 'prompt'],
    ['a prompt of token numbers', { prompt: [1, 2] }, 'prompt'],
    ['temperature above 2', { temperature: 3 }, 'temperature'],
    ['max_tokens that is a boolean', { max_tokens: true }, 'max_tokens'],
  ])('text: %s', async (_name, change, param) => {
    const body = { model: chatBody.model, prompt: 'Once', ...change };
    const response = await post(`${gateway.url}${textPath}`, body);
    expect([response.status, response.body.error.code, response.body.error.param]).toEqual([
      400,
      'invalid_request',
      param,
    ]);
  });
});

describe('a body that is not a JSON object returns 400 and never 500', () => {
  it.each([
    ['nothing', ''],
    ['half an object', '{"model":'],
    ['not JSON', 'model=x'],
    ['an array', '[]'],
    ['a string', '"x"'],
    ['null', 'null'],
    ['a number', '5'],
    ['a hundred thousand brackets', '['.repeat(100_000)],
    ['a deep field that the contract does not know', `{"x":${'['.repeat(5_000)}${']'.repeat(5_000)}}`],
    ['a string with half a surrogate pair', JSON.stringify({ ...chatBody, user: '\ud800' })],
    ['__proto__ as a field', '{"__proto__":{"model":"alder/alder-mini","messages":[]}}'],
  ])('%s', async (_name, text) => {
    const response = await post(chat, text);
    expect([response.status, response.body.error.code]).toEqual([400, 'invalid_request']);
  });

  it('a duplicate name returns 400 with its place (D-118)', async () => {
    const body = JSON.stringify(chatBody).replace(
      '"messages":',
      '"messages":[{"role":"user","content":"forged"}],"messages":',
    );
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(chat, { method: 'POST', headers, body });
    const error = { code: 'invalid_request', param: 'messages' };
    expect([response.status, await response.json()]).toMatchObject([400, { error }]);
  });

  it('bytes that are not UTF-8', async () => {
    const body = Buffer.concat([Buffer.from('{"model":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
    const response = await fetch(chat, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
    });
    expect(response.status).toBe(400);
  });
});

describe('D-05, D-07: faults that the gateway finds before it reads the body', () => {
  it.each([
    ['an unknown path', 'POST', '/v1/nothing', 404, 'not_found'],
    ['a doubled slash', 'POST', '//v1/chat/completions', 404, 'not_found'],
    ['a trailing slash', 'POST', '/v1/chat/completions/', 404, 'not_found'],
    ['a path that does not decode', 'GET', '/v1/models/%E0%A4%A', 404, 'not_found'],
    ['an unknown model', 'GET', '/v1/models/nobody%2Fnothing', 404, 'not_found'],
    ['another method', 'GET', '/v1/chat/completions', 405, 'method_not_allowed'],
    ['a method on the catalog', 'DELETE', '/v1/models', 405, 'method_not_allowed'],
  ])('%s', async (_name, method, path, status, code) => {
    const response = await fetch(`${gateway.url}${path}`, { method });
    const body = (await response.json()) as { error: { code: string; type: string } };
    expect([response.status, body.error.code]).toEqual([status, code]);
    expect(body.error.type).toBe(errorTable[code as keyof typeof errorTable].type);
    expect(response.headers.get('x-request-id')).toBeTruthy();
  });

  it.each([
    ['nonce', 'a nonce of 31 bytes', `nonce=0x${'11'.repeat(31)}`],
    ['signer', 'a signer of 19 bytes', `nonce=0x${'11'.repeat(32)}&signer=0x${'11'.repeat(19)}`],
  ])('an attestation request returns 400 and %s for %s', async (param, _name, query) => {
    const response = await fetch(`${gateway.url}/v1/attestation?${query}`);
    expect([response.status, await response.json()]).toMatchObject([400, { error: { param } }]);
  });

  it('an attestation request for a key that the gateway never had returns 404', async () => {
    const response = await fetch(`${gateway.url}/v1/attestation?signer=0x${'11'.repeat(20)}`);
    expect([response.status, await response.json()]).toMatchObject([404, { error: { param: 'signer' } }]);
  });

  it('405 lists the allowed methods', async () => {
    expect((await fetch(chat, { method: 'PUT' })).headers.get('Allow')).toBe('POST');
  });

  it.each([
    ['none', {}],
    ['a form', { 'Content-Type': 'application/x-www-form-urlencoded' }],
    ['text', { 'Content-Type': 'text/plain' }],
  ])('returns 415 for content type %s before it reads the body', async (_name, headers) => {
    const response = await fetch(chat, { method: 'POST', headers, body: new Blob(['not json']) });
    expect(response.status).toBe(415);
  });

  it('accepts a charset after application/json', async () => {
    const headers = { 'Content-Type': 'application/json; charset=utf-8' };
    expect((await post(chat, chatBody, headers)).status).toBe(402);
  });

  it.each([
    ['declared', true],
    ['chunked', false],
  ])('returns 413 for a body over the limit, %s', async (_name, declared) => {
    const body = JSON.stringify({ ...chatBody, user: 'x'.repeat(1_100_000) });
    const status = await new Promise((resolve, reject) => {
      const headers = {
        'Content-Type': 'application/json',
        ...(declared && { 'Content-Length': body.length }),
      };
      const sent = httpRequest(chat, { method: 'POST', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on('error', reject);
      sent.end(body);
    });
    expect(status).toBe(413);
  });

  it('gives up headers and a body that stop arriving, and serves other clients', async () => {
    // This gateway has short timeouts, which would fail the other tests.
    const hasty = await startTestGateway({ bodyTimeoutMs: 300, headersTimeoutMs: 400 });
    const head = `POST ${chatPath} HTTP/1.1\r\nHost: x\r\n`;
    const body = `Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{`;
    expect(await raw(head + body, hasty.url)).toMatch(/^HTTP\/1\.1 400/);
    expect(await raw(head, hasty.url)).toMatch(/^HTTP\/1\.1 400/);
    expect((await fetch(`${hasty.url}/health`)).status).toBe(200);
    await hasty.stop();
  });

  it.each([
    ['bytes that are not HTTP', 'hello there\r\n\r\n', 400],
    [
      'an absolute target without a path',
      'GET http://[ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      404,
    ],
    ['headers without end', `GET /health HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(40_000)}\r\n\r\n`, 413],
  ])('returns the error envelope for %s', async (_name, bytes, status) => {
    const text = await raw(bytes);
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status}`));
    expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '')).toHaveProperty('error.code');
  });
});

describe('reports the earlier fault of D-05 when a request has two', () => {
  it('404 before 415, 405 before 415, 415 before 413 and 400, 413 before 400, 400 before 402 and 401', async () => {
    const plain = { 'Content-Type': 'text/plain' };
    const bad = { 'X-PAYMENT': 'not a payment' };
    expect((await post(`${gateway.url}/nope`, 'x', plain)).status).toBe(404);
    expect((await fetch(chat, { method: 'PUT', headers: plain, body: 'x' })).status).toBe(405);
    expect((await post(chat, 'x', plain)).status).toBe(415);
    expect((await post(chat, 'x'.repeat(1_100_000), bad)).status).toBe(413);
    expect((await post(chat, { ...chatBody, temperature: 9 }, bad)).status).toBe(400);
    const offer = decodeOffer(await post(chat, chatBody));
    const foreign = await paymentFor(offer, `0x${'11'.repeat(32)}`);
    expect((await post(chat, { ...chatBody, temperature: 9 }, foreign)).status).toBe(400);
  });
});

describe('D-09: unknown fields are ignored and listed', () => {
  it('lists in X-Ignored-Fields the names that a header can carry', async () => {
    const response = await post(chat, { ...chatBody, store: true, logit_bias: {}, 'a\r\nb': 1 });
    expect(response.status).toBe(402);
    expect(response.headers.get('X-Ignored-Fields')).toBe('store, logit_bias');
  });
});

/** Sends raw bytes and reads until the gateway closes the connection. */
function raw(bytes: string, url = gateway.url): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
}
