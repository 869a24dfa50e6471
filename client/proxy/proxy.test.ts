import { Wallet } from 'ethers';
import type OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { presentationsMax } from '../limits.ts';
import type { PaymentSigner } from '../payment/authorization.ts';
import { createMemoryJournal, type Journal, type PaymentEnd } from '../payment/journal.ts';
import { completionFor, envelope, testModel } from '../testing/completions.ts';
import { chatBody } from '../testing/exchange.ts';
import { reply } from '../testing/gateway.ts';
import { accessToken, chatPath, setProxy } from '../testing/proxy.ts';
import { keptMsMax, leavingMsMax } from './limits.ts';

const saying = 'one two three four';
const completion = JSON.parse(completionFor(chatPath, JSON.stringify(chatBody)));
completion.choices[0].message.content = saying;

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

  test.each([
    ['is served by the same purchase if it is marked as a retry', '1', 1],
    ['is a purchase of its own if it is not', '0', 2],
  ])('and whose first connection is not ended: its next request %s', async (_, retryCount, payments) => {
    await using set = await setProxy();
    const { openai, stage } = set;
    stage.gateway.settings.streams = true;
    stage.gateway.settings.completion = JSON.stringify(completion);
    const held = Promise.withResolvers<void>();
    stage.gateway.fates({ fate: 'hold-stream', after: 2, until: held.promise });
    const ask = (headers: Record<string, string> = {}) =>
      openai.chat.completions.create({ ...chatBody, stream: true }, { headers });
    const first = await ask();
    const second = await ask({ 'x-stainless-retry-count': retryCount });
    held.resolve();
    expect([await read(first), await read(second)]).toEqual([saying, saying]);
    expect(stage.gateway.store.charges).toHaveLength(payments);
  });

  test('and asks again before its first connection ends finds its purchase', async () => {
    const waiting = Promise.withResolvers<void>();
    const clock = {
      nowSeconds: () => 1_800_000_000,
      waitMs(ms: number) {
        if (ms === leavingMsMax) waiting.resolve();
        return new Promise<void>(() => undefined);
      },
    };
    await using set = await setProxy({ clock });
    const { openai, stage } = set;
    stage.gateway.settings.streams = true;
    stage.gateway.settings.completion = JSON.stringify(completion);
    const held = Promise.withResolvers<void>();
    stage.gateway.fates({ fate: 'hold-stream', after: 2, until: held.promise });
    const leaving = new AbortController();
    const ask = (signal?: AbortSignal) =>
      openai.chat.completions.create({ ...chatBody, stream: true }, { signal: signal ?? null });
    await ask(leaving.signal);
    const second = ask();
    await waiting.promise;
    leaving.abort();
    held.resolve();
    expect(await read(await second)).toBe(saying);
    expect(stage.gateway.store.charges).toHaveLength(1);
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

  test('gets the completion from the gateway by the same payment when the proxy no longer keeps it', async () => {
    const kept = Promise.withResolvers<number>();
    const clock = {
      nowSeconds: () => 1_800_000_000,
      waitMs: async (ms: number) => void (ms !== leavingMsMax && kept.resolve(ms)),
    };
    await using set = await setProxy({ clock });
    const { openai, stage, told } = set;
    stage.gateway.settings.streams = true;
    const held = Promise.withResolvers<void>();
    stage.gateway.fates({ fate: 'hold-stream', after: 1, until: held.promise });
    const leaving = new AbortController();
    const ask = (signal?: AbortSignal) =>
      openai.chat.completions.create({ ...chatBody, stream: true }, { signal: signal ?? null });
    for await (const _ of await ask(leaving.signal)) leaving.abort();
    await expect.poll(() => told).toContainEqual(left);
    held.resolve();
    expect(await kept.promise).toBe(keptMsMax);
    expect(await read(await ask())).toBe('pong');
    expect(stage.gateway.paid()).toHaveLength(2);
    expect(stage.gateway.store.charges).toHaveLength(1);
  });
});

describe('A journal that fails (D-291)', () => {
  /** A journal that writes no end of a payment, and reads no sums, while the disk is full. */
  function setFullDisk() {
    const journal = createMemoryJournal();
    const disk = { isFull: true };
    const fail = () => {
      if (disk.isFull) throw new Error('the disk is full');
    };
    const failing: Journal = {
      ...journal,
      amountSigned() {
        fail();
        return journal.amountSigned();
      },
      reserve(...given) {
        const reserved = journal.reserve(...given);
        if (!reserved.ok) return reserved;
        const { record, end } = reserved.entry;
        // As in a file, the payment stays open.
        const endIfWritten = (as: PaymentEnd) => {
          end(disk.isFull ? 'open' : as);
          fail();
        };
        return { ok: true, entry: { record, end: endIfWritten } };
      },
    };
    return { journal: failing, disk };
  }

  test.each([
    ['a completion', [], 200],
    ['a refusal', [{ fate: 'respond', status: 400, code: 'invalid_request' }], 400],
  ] as const)('after %s ends neither the response nor the proxy', async (_, fates, status) => {
    const { journal, disk } = setFullDisk();
    await using set = await setProxy({ journal });
    const { stage, told, proxy } = set;
    stage.gateway.fates(...fates);
    const headers = { Authorization: `Bearer ${accessToken}`, 'Content-Type': 'application/json' };
    const ask = () =>
      fetch(`${proxy.url}/chat/completions`, { method: 'POST', headers, body: JSON.stringify(chatBody) });
    const response = await ask();
    await response.text();
    expect(response.status).toBe(status);
    await expect.poll(() => told).toContainEqual('the journal failed: the disk is full');
    disk.isFull = false;
    expect((await ask()).status).toBe(200);
    expect(new Set(stage.gateway.paid().map(({ payment }) => payment)).size).toBe(1);
  });
});
