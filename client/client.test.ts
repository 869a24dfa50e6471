import { describe, expect, test } from 'vitest';
import { createClient } from './client.ts';
import { completionFor, testModel } from './testing/completions.ts';
import { chatBody, type Stage, setStage } from './testing/exchange.ts';
import { reply } from './testing/gateway.ts';

const clientFor = (stage: Stage, more: Partial<Parameters<typeof createClient>[0]> = {}) =>
  createClient({ ...stage.options(), baseUrl: stage.gateway.url, ...more });

describe('A paid call', () => {
  test('returns the completion, the receipt and what was paid', async () => {
    await using stage = await setStage();
    const result = await clientFor(stage).chat(chatBody);
    expect(result).toMatchObject({
      kind: 'completion',
      completion: { choices: [{ message: { content: 'pong' } }] },
      receipt: { success: true, payer: stage.wallet.address, amount: '10000' },
      receiptFault: null,
      replayed: false,
      payment: { state: 'settled', authorization: { value: '10000' } },
      requestId: 'request-1',
      ignoredFields: [],
    });
  });

  test('of the text endpoint returns the completion too', async () => {
    await using stage = await setStage();
    const result = await clientFor(stage).complete({ model: testModel, prompt: 'ping' });
    expect(result).toMatchObject({ kind: 'completion', completion: { choices: [{ text: 'pong' }] } });
    expect(stage.gateway.paid()[0]?.path).toBe('/v1/completions');
  });

  test('sends the settlement type of the call, else of the client, else none', async () => {
    await using stage = await setStage();
    const client = clientFor(stage, { settlementType: 'individual' });
    await client.chat(chatBody);
    await client.chat(chatBody, { settlementType: 'private' });
    await clientFor(stage).chat(chatBody);
    const modes = stage.gateway.paid().map(({ settlementType }) => settlementType);
    expect(modes).toEqual(['individual', 'private', null]);
  });

  test('says that the gateway replayed the stored completion', async () => {
    await using stage = await setStage();
    stage.gateway.fates({ fate: 'lose-response' });
    const result = await clientFor(stage).chat(chatBody);
    expect(result).toMatchObject({ kind: 'completion', replayed: true });
  });

  test('with a content that is no text is an error of the client, and sends nothing (D-264)', async () => {
    await using stage = await setStage();
    const image = [{ type: 'image_url', image_url: { url: 'https://images.example/cat.png' } }];
    const body = { ...chatBody, messages: [{ role: 'user' as const, content: image as never }] };
    const expected = { kind: 'error', status: 400, code: 'invalid_request', param: 'messages[0].content[0]' };
    const client = clientFor(stage);
    expect(await client.chat(body)).toMatchObject({ ...expected, payment: { state: 'unsent' } });
    expect(await client.quote(body)).toMatchObject(expected);
    expect(stage.gateway.received).toEqual([]);
  });

  test('names the fields that the gateway ignored', async () => {
    await using stage = await setStage();
    const body = completionFor('/v1/chat/completions', JSON.stringify(chatBody));
    stage.gateway.settings.unpaid = () => reply(200, body, { 'X-Ignored-Fields': 'seed, user' });
    const result = await clientFor(stage).chat(chatBody);
    expect(result).toMatchObject({ kind: 'completion', ignoredFields: ['seed', 'user'], receipt: null });
  });
});

describe('A refused call', () => {
  test('names the spending rule and shows the offer', async () => {
    await using stage = await setStage();
    stage.gateway.settings.offer = { maxAmountRequired: '100001' };
    const client = clientFor(stage);
    expect(await client.chat(chatBody)).toMatchObject({
      kind: 'refused',
      by: 'rules',
      reason: 'price_above_limit',
      offer: { maxAmountRequired: '100001' },
      payment: { state: 'unsent' },
    });
    expect(client.amountSigned()).toBe(0n);
  });

  test('gives the reason of the gateway that rejected the payment, and the new offer', async () => {
    await using stage = await setStage();
    // The price rises between offer and payment, which makes the authorization invalid (D-17).
    const { settings } = stage.gateway;
    const client = clientFor(stage, {
      onStep: ({ step }) => {
        if (step === 'signed') settings.offer = { maxAmountRequired: '20000' };
      },
    });
    expect(await client.chat(chatBody)).toMatchObject({
      kind: 'refused',
      by: 'gateway',
      reason: 'value',
      offer: { maxAmountRequired: '20000' },
      payment: { state: 'released' },
    });
  });

  test.each([
    ['nothing', null, 'offer_missing'],
    ['garbage', '***', 'offer_unreadable'],
  ])('says that the 402 offers %s', async (_, offerHeader, reason) => {
    await using stage = await setStage();
    stage.gateway.settings.offerHeader = offerHeader;
    expect(await clientFor(stage).chat(chatBody)).toMatchObject({ kind: 'refused', reason, offer: null });
  });
});

describe('An error', () => {
  test('of the contract is returned with every field of its envelope', async () => {
    await using stage = await setStage();
    const body =
      '{"error":{"message":"no such model","type":"invalid_request_error","code":"invalid_request","param":"model"}}';
    stage.gateway.settings.unpaid = () => reply(400, body, { 'X-Request-Id': 'request-7' });
    expect(await clientFor(stage).chat(chatBody)).toEqual({
      kind: 'error',
      status: 400,
      code: 'invalid_request',
      type: 'invalid_request_error',
      message: 'no such model',
      param: 'model',
      requestId: 'request-7',
      retryAfterSeconds: null,
      payment: { state: 'unsent' },
    });
  });

  test('of a busy gateway has the seconds of Retry-After', async () => {
    await using stage = await setStage();
    const body = '{"error":{"message":"slow down","type":"rate_limit_error","code":"rate_limited"}}';
    stage.gateway.settings.unpaid = () => reply(429, body, { 'Retry-After': '7' });
    const result = await clientFor(stage).chat(chatBody);
    expect(result).toMatchObject({ kind: 'error', code: 'rate_limited', retryAfterSeconds: 7, param: null });
  });

  test('after a payment keeps the outcome: insufficient_funds is no charge', async () => {
    await using stage = await setStage();
    stage.gateway.fates({ fate: 'respond', status: 402, code: 'insufficient_funds' });
    const result = await clientFor(stage).chat(chatBody);
    expect(result).toMatchObject({
      kind: 'error',
      code: 'insufficient_funds',
      payment: { state: 'released' },
    });
  });

  test.each([
    ['an HTML page of a proxy', 502, '<html>Bad gateway</html>', {}, /returned 502 without an error/],
    ['an empty body', 500, '', {}, /returned 500 without an error/],
    [
      'a redirect',
      308,
      '',
      { location: 'https://elsewhere.example/' },
      /redirects to https:\/\/elsewhere.example/,
    ],
    ['a 200 that is not JSON', 200, 'pong', {}, /is not a chat completion/],
    ['a 200 without a completion', 200, '{"choices":[]}', {}, /is not a chat completion/],
    ['a 200 with an empty body', 200, '', {}, /is not a chat completion/],
  ])('that is %s is described', async (_, status, body, headers, message) => {
    await using stage = await setStage();
    stage.gateway.settings.unpaid = () => reply(status, body, headers);
    const result = await clientFor(stage).chat(chatBody);
    expect(result).toMatchObject({
      kind: 'error',
      status,
      code: null,
      message: expect.stringMatching(message),
    });
  });

  test('in a paid response keeps the receipt', async () => {
    await using stage = await setStage();
    stage.gateway.settings.completion = '{"choices":';
    const result = await clientFor(stage).chat(chatBody);
    expect(result).toMatchObject({
      kind: 'error',
      status: 200,
      payment: { state: 'settled', receipt: { success: true } },
    });
  });
});

describe('A receipt', () => {
  test.each([
    ['that is missing', null, /is missing/],
    ['that is garbage', 'garbage', /is not base64 of JSON/],
  ])('%s leaves the completion intact', async (_, receiptHeader, message) => {
    await using stage = await setStage();
    stage.gateway.settings.receiptHeader = receiptHeader;
    expect(await clientFor(stage).chat(chatBody)).toMatchObject({
      kind: 'completion',
      receipt: null,
      receiptFault: expect.stringMatching(message),
      payment: { state: 'maybe-charged' },
    });
  });
});

describe('No response', () => {
  test('to the unpaid request is a network error without a charge', async () => {
    await using stage = await setStage();
    await stage.gateway.close();
    const result = await clientFor(stage).chat(chatBody);
    expect(result).toEqual({ kind: 'network', message: 'ECONNREFUSED', payment: { state: 'unsent' } });
  });

  test('to the payment names the authorization that may have been settled', async () => {
    await using stage = await setStage();
    const lose = { fate: 'lose-response' } as const;
    stage.gateway.fates(lose, lose, lose, lose);
    const result = await clientFor(stage).chat(chatBody);
    const { nonce } = stage.gateway.store.charges[0] ?? {};
    expect(result).toMatchObject({
      kind: 'network',
      payment: { state: 'maybe-charged', authorization: { nonce } },
    });
  });

  test('to a call that the caller aborted is a network error', async () => {
    await using stage = await setStage();
    const result = await clientFor(stage).chat(chatBody, { signal: AbortSignal.abort() });
    expect(result).toEqual({ kind: 'network', message: 'cancelled', payment: { state: 'unsent' } });
  });
});

describe('Without paying', () => {
  test('a quote returns the offer of either endpoint', async () => {
    await using stage = await setStage();
    const client = clientFor(stage);
    expect(await client.quote(chatBody)).toMatchObject({ kind: 'offer', offer: { resource: stage.chatUrl } });
    const text = await client.quote({ model: testModel, prompt: 'ping' });
    expect(text).toMatchObject({ kind: 'offer', offer: { resource: stage.completionsUrl } });
    expect(stage.gateway.paid()).toEqual([]);
  });

  test('a quote of an unreadable offer is an error', async () => {
    await using stage = await setStage();
    stage.gateway.settings.offerHeader = '***';
    const result = await clientFor(stage).quote(chatBody);
    expect(result).toMatchObject({ kind: 'error', status: 402, message: 'X-PAYMENT-REQUIRED is not base64' });
  });

  test('models returns the catalog', async () => {
    await using stage = await setStage();
    const result = await clientFor(stage).models();
    expect(result).toMatchObject({ kind: 'models', models: [{ id: testModel }] });
  });

  test('model finds an id with a slash, and returns not_found for an unknown id', async () => {
    await using stage = await setStage();
    const client = clientFor(stage);
    expect(await client.model(testModel)).toMatchObject({ kind: 'model', model: { id: testModel } });
    expect(await client.model('alder/none')).toMatchObject({ kind: 'error', status: 404, code: 'not_found' });
  });
});

test.each(['', 'gateway.example', 'ftp://gateway.example', 'https://a:b@gateway.example'])(
  'createClient rejects the base URL "%s"',
  async (baseUrl) => {
    await using stage = await setStage();
    expect(() => clientFor(stage, { baseUrl })).toThrow('Not the base URL of a gateway');
  },
);
