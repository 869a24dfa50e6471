import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { Wallet } from 'ethers';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { presentationsMax } from '../limits.ts';
import type { PaymentSigner } from '../payment/authorization.ts';
import { createMemoryJournal } from '../payment/journal.ts';
import { completionFor, envelope, testModel } from '../testing/completions.ts';
import { chatBody, setStage } from '../testing/exchange.ts';
import { reply } from '../testing/gateway.ts';
import { holdPayment } from './held-journal.ts';
import { purchasesMax, requestBytesMax } from './limits.ts';
import { type ProxyOptions, startProxy } from './proxy.ts';

const accessToken = 'the-token-of-the-tests';
const chatPath = '/v1/chat/completions';
const saying = 'one two three four';
const completion = JSON.parse(completionFor(chatPath, JSON.stringify(chatBody)));
completion.choices[0].message.content = saying;

async function setProxy(change: Partial<ProxyOptions> = {}) {
  const stage = await setStage();
  const { signer, rules, timeoutMs } = stage.options({ amountTotalMax: 25_000n });
  const told: string[] = [];
  const options: ProxyOptions = {
    upstream: stage.gateway.url,
    accessToken,
    journal: createMemoryJournal(),
    port: 0,
    say: (line) => void told.push(line),
    signer,
    rules,
    // Kept completions wait for the end of the test.
    clock: {
      nowSeconds: stage.clock.nowSeconds,
      waitMs: (ms, signal) => (ms < 60_000 ? stage.clock.waitMs(ms, signal) : new Promise(() => undefined)),
    },
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...change,
  };
  const proxy = await startProxy(options);
  const openai = new OpenAI({ baseURL: proxy.url, apiKey: accessToken, maxRetries: 0 });
  return {
    stage,
    told,
    options,
    proxy,
    openai,
    [Symbol.asyncDispose]: async () => {
      await proxy.close();
      await stage.gateway.close();
    },
  };
}

type Asked = {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
};

/** Sends a request with any header, unlike `fetch`. */
async function send(url: string, { path = chatPath, method = 'POST', headers = {}, body }: Asked = {}) {
  const authorization = `Bearer ${accessToken}`;
  const asking = request(new URL(path, url), { method, headers: { authorization, ...headers } });
  asking.end(method === 'POST' ? (body ?? JSON.stringify(chatBody)) : undefined);
  const [response] = await once(asking, 'response');
  return { status: response.statusCode, error: JSON.parse(await text(response)).error };
}

async function read(chunks: AsyncIterable<OpenAI.ChatCompletionChunk>) {
  let written = '';
  for await (const { choices } of chunks) written += choices[0]?.delta.content ?? '';
  return written;
}

describe('A tool of OpenAI (D-291)', () => {
  test('buys a chat, a text and a stream, and lists the models', async () => {
    await using set = await setProxy();
    const { openai, stage, told, proxy } = set;
    const chat = await openai.chat.completions.create(chatBody);
    expect(chat.choices[0]?.message.content).toBe('pong');
    const { data } = await openai.models.list();
    expect(data.map(({ id }) => id)).toEqual([testModel]);
    expect((await openai.models.retrieve(testModel)).id).toBe(testModel);
    const written = await openai.completions.create({ model: testModel, prompt: 'ping' });
    expect(written.choices[0]?.text).toBe('pong');
    expect(stage.gateway.store.charges).toHaveLength(2);
    expect(proxy.spending.summary()).toEqual({ purchases: 2, units: 20_000n, total: 20_000n });
    const shown = `paid 10000 units for ${testModel}, transaction 0x`;
    expect(told).toEqual([
      expect.stringContaining(shown),
      expect.stringMatching(/; 20000 units in this run, 20000 of 25000 in total$/),
    ]);
  });

  test('gets each event of a stream when it arrives', async () => {
    await using set = await setProxy();
    const { openai, stage } = set;
    stage.gateway.settings.streams = true;
    stage.gateway.settings.completion = JSON.stringify(completion);
    const held = Promise.withResolvers<void>();
    stage.gateway.fates({ fate: 'hold-stream', after: 2, until: held.promise });
    let written = '';
    for await (const { choices } of await openai.chat.completions.create({ ...chatBody, stream: true })) {
      written += choices[0]?.delta.content ?? '';
      // Without this, the gateway never sends the rest.
      if (written === 'one') held.resolve();
    }
    expect(written).toBe(saying);
  });

  test('sends its own forms, and not its headers', async () => {
    await using set = await setProxy({ defaults: { maxTokens: 900, settlementType: 'private' } });
    const { openai, stage } = set;
    const content = [{ type: 'text' as const, text: 'Say pong.' }];
    await openai.chat.completions.create(
      { model: testModel, messages: [{ role: 'developer', content }] },
      { headers: { cookie: 'a=b', 'X-PAYMENT': 'e30=' } },
    );
    await openai.completions.create({ model: testModel, prompt: 'ping', max_tokens: 7 });
    const [first, second] = stage.gateway.paid();
    expect(JSON.parse(first?.body ?? '')).toEqual({
      model: testModel,
      messages: [{ role: 'system', content: 'Say pong.' }],
      max_tokens: 900,
    });
    expect(first?.settlementType).toBe('private');
    expect(Object.keys(first?.headers ?? {})).not.toContain('cookie');
    expect(stage.gateway.received.map(({ headers }) => headers.authorization)).toEqual(
      Array(4).fill(undefined),
    );
    expect(JSON.parse(second?.body ?? '')).toMatchObject({ max_tokens: 7 });
  });

  test('gets the errors of the rules and of the gateway in the form of OpenAI', async () => {
    await using set = await setProxy({ rules: { amountPerRequestMax: 10_000n, amountTotalMax: 15_000n } });
    const { openai, stage, told } = set;
    const buy = () => openai.chat.completions.create(chatBody);
    stage.gateway.settings.unpaid = () => reply(400, envelope('invalid_request'));
    await expect(buy()).rejects.toMatchObject({ status: 400, code: 'invalid_request' });
    stage.gateway.settings.unpaid = () => reply(502, '<html>');
    await expect(buy()).rejects.toMatchObject({ status: 502, code: 'upstream_unreachable' });
    delete stage.gateway.settings.unpaid;
    await buy();
    await expect(buy()).rejects.toMatchObject({
      status: 402,
      type: 'payment_error',
      code: 'total_above_limit',
      message: expect.stringMatching(/--max-total/),
    });
    expect(told.at(-1)).toMatch(/^paid nothing: the price of 10000 units/);
    stage.gateway.settings.offer = { maxAmountRequired: '10001' };
    await expect(buy()).rejects.toMatchObject({ code: 'price_above_limit' });
    expect(stage.gateway.store.charges).toHaveLength(1);
    await stage.gateway.close();
    await expect(buy()).rejects.toMatchObject({
      status: 502,
      message: expect.stringMatching(/ECONNREFUSED/),
    });
    await expect(openai.models.list()).rejects.toMatchObject({ status: 502 });
  });

  test('gets the reason when the gateway rejects the payment', async () => {
    await using set = await setProxy();
    const { openai, stage } = set;
    const body = JSON.stringify({ x402Version: 1, error: 'invalid_transaction_state', accepts: [] });
    stage.gateway.fates({ fate: 'respond', status: 402, body, headers: { 'X-PAYMENT-REQUIRED': 'e30=' } });
    await expect(openai.chat.completions.create(chatBody)).rejects.toMatchObject({
      status: 402,
      code: 'payment_rejected',
      message: expect.stringMatching(/invalid_transaction_state/),
    });
  });

  test('pays once when it repeats a request whose response was lost', async () => {
    await using set = await setProxy();
    const { openai, stage } = set;
    stage.gateway.fates(...Array(presentationsMax).fill({ fate: 'lose-response' }));
    const repeating = openai.withOptions({ maxRetries: 1 });
    const { choices } = await repeating.chat.completions.create(chatBody);
    expect(choices[0]?.message.content).toBe('pong');
    expect(stage.gateway.store.charges).toHaveLength(1);
    expect(set.proxy.spending.summary().total).toBe(10_000n);
  });
});

describe('A tool that leaves (D-291)', () => {
  const left = expect.stringMatching(/the tool left/);

  test('finds the finished purchase when it returns, also a stream', async () => {
    await using set = await setProxy();
    const { openai, stage, told } = set;
    stage.gateway.settings.streams = true;
    stage.gateway.settings.completion = JSON.stringify(completion);
    const held = Promise.withResolvers<void>();
    stage.gateway.fates({ fate: 'hold-stream', after: 2, until: held.promise });
    const leaving = new AbortController();
    const ask = (signal?: AbortSignal) =>
      openai.chat.completions.create({ ...chatBody, stream: true }, { signal: signal ?? null });
    for await (const { choices } of await ask(leaving.signal))
      if (choices[0]?.delta.content === 'one') leaving.abort();
    await expect.poll(() => told).toContainEqual(left);
    held.resolve();
    expect(await read(await ask())).toBe(saying);
    expect(stage.gateway.received).toHaveLength(2);
    // The completion is delivered, so the next request buys another one.
    expect(await read(await ask())).toBe(saying);
    expect(stage.gateway.store.charges).toHaveLength(2);
  });

  test('pays nothing when it leaves before the signature', async () => {
    const asked = Promise.withResolvers<void>();
    const mayGo = Promise.withResolvers<void>();
    const wallet = Wallet.createRandom();
    const signer: PaymentSigner = {
      signTypedData: (...given) => wallet.signTypedData(...given),
      async getAddress() {
        asked.resolve();
        await mayGo.promise;
        return wallet.address;
      },
    };
    await using set = await setProxy({ signer });
    const leaving = new AbortController();
    const buying = set.openai.chat.completions.create(chatBody, { signal: leaving.signal });
    await asked.promise;
    leaving.abort();
    await expect(buying).rejects.toThrow();
    await expect.poll(() => set.told).toContainEqual(left);
    mayGo.resolve();
    await expect.poll(() => set.told.at(-1)).toMatch(/paid nothing: .*the tool has left/);
    expect([set.stage.gateway.paid(), set.proxy.spending.summary().total]).toEqual([[], 0n]);
  });

  test('or a crash before the tool has the completion: the payment is open for an equal request', async () => {
    const journal = createMemoryJournal();
    const held = holdPayment(journal);
    const reserved = held.journal.reserve(1n, { amountPerRequestMax: 1n, amountTotalMax: 2n }, 1);
    if (!reserved.ok) throw new Error(reserved.refusal.reason);
    const authorization = { from: '0x1', to: '0x2', value: '1', validAfter: 0, validBefore: 9, nonce: '0x3' };
    reserved.entry.record('equal', { authorization, asset: '0x4', header: 'e30=', signaturePreview: '' });
    reserved.entry.end('closed');
    held.release('open');
    const again = holdPayment(journal);
    again.journal.take('equal', 2)?.entry.end('closed');
    again.release('closed');
    expect(journal.take('equal', 2)).toBeNull();
    expect(journal.amountSigned()).toBe(1n);
  });
});

describe('The proxy refuses (D-292)', () => {
  test.each([
    ['no access token', { headers: { authorization: '' } }, 401, 'invalid_api_key'],
    [
      'a wrong access token',
      { headers: { authorization: `Bearer ${accessToken}x` } },
      401,
      'invalid_api_key',
    ],
    ['a page of another origin', { headers: { origin: 'https://evil.example' } }, 403, 'origin_not_allowed'],
    ['a page on this machine', { headers: { origin: 'http://localhost:3000' } }, 403, 'origin_not_allowed'],
    ['a page without an origin', { headers: { 'sec-fetch-site': 'cross-site' } }, 403, 'origin_not_allowed'],
    [
      'a preflight',
      { method: 'OPTIONS', headers: { origin: 'https://evil.example' } },
      403,
      'origin_not_allowed',
    ],
    ['a name that resolves to this machine', { headers: { host: 'evil.example' } }, 403, 'host_not_allowed'],
    [
      'a name that begins like this machine',
      { headers: { host: 'localhost.evil.example' } },
      403,
      'host_not_allowed',
    ],
    ['another path', { path: '/v1/embeddings' }, 404, 'not_found'],
    ['another method', { method: 'PUT' }, 405, 'method_not_allowed'],
    ['a body that is too large', { body: 'x'.repeat(requestBytesMax + 1) }, 413, 'request_too_large'],
  ] as const)('%s', async (_, asked, status, code) => {
    await using set = await setProxy();
    expect(await send(set.proxy.url, asked)).toMatchObject({
      status,
      error: { code, message: expect.any(String) },
    });
    expect(set.stage.gateway.received).toEqual([]);
  });

  test('further purchases while too many are in progress', async () => {
    await using set = await setProxy({ rules: { amountPerRequestMax: 10_000n, amountTotalMax: 1_000_000n } });
    const { gateway } = set.stage;
    gateway.fates(...Array(purchasesMax).fill({ fate: 'hang' }));
    const buy = () => send(set.proxy.url);
    const waiting = Array.from({ length: purchasesMax }, () => buy().catch(() => null));
    await expect.poll(() => gateway.paid()).toHaveLength(purchasesMax);
    expect(await buy()).toMatchObject({ status: 429, error: { code: 'too_many_purchases' } });
    await set.proxy.close();
    expect(await Promise.all(waiting)).toEqual(Array(purchasesMax).fill(null));
  });
});
