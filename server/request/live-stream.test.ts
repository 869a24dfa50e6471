import { randomUUID } from 'node:crypto';
import { headerNames } from '@paid-inference/contract/constants';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { emptyWallet } from '../testing/chain/empty-wallet.ts';
import { createCountingEngine } from '../testing/counting-engine.ts';
import { startTestGateway, type TestGateway } from '../testing/gateway.ts';
import { createLiveText, type LiveText } from '../testing/live-text.ts';
import { lastEvent, openStream } from '../testing/open-stream.ts';
import { chatBody, chatPath, decodeOffer, decodeReceipt, paymentFor, post } from '../testing/payer.ts';
import { atomicAmount } from '../types/units.ts';

// D-272: the payment settles while the model writes.

let gateway: TestGateway;
let chat: string;
let model: LiveText;
const paid = () => gateway.balanceOf(gateway.devnet.payTo);

beforeAll(async () => {
  gateway = await startTestGateway({ settlementWaitMs: 3_000 });
  chat = `${gateway.url}${chatPath}`;
});
afterAll(() => gateway.stop());
beforeEach(() => {
  model = createLiveText();
  gateway.engine.streaming = model.stream;
  gateway.engine.answering = createCountingEngine().answering;
  gateway.engine.honours = [];
  gateway.engine.runs = 0;
});
afterEach(async () => {
  await gateway.rpc.call('evm_setAutomine', [true]);
  await gateway.rpc.call('evm_mine', []);
});

/** Signs a payment for a body whose text is made unique. */
async function buy(more: object = {}, payerKey = gateway.devnet.payer.privateKey) {
  const body = { ...chatBody, user: `purchase ${randomUUID()}`, ...more };
  const offer = decodeOffer(await post(chat, body));
  const sign = () => paymentFor(offer, payerKey);
  return { body, payment: await sign(), sign, price: BigInt(offer.maxAmountRequired), before: await paid() };
}

/** Starts a stream, and returns it after its first text. */
async function begin({ body, payment }: Awaited<ReturnType<typeof buy>>, signal?: AbortSignal) {
  model.write('one');
  const stream = await openStream(chat, body, payment, signal);
  if (stream.status === 200) {
    await stream.next();
    await stream.next();
  }
  return stream;
}

describe('a live stream', () => {
  it('has the receipt and the first text while the model still writes, and the rest as it comes', async () => {
    const bought = await buy();
    const stream = await begin(bought);
    expect([stream.status, stream.text()]).toEqual([200, 'one']);
    expect(decodeReceipt(stream).success).toBe(true);
    expect(await paid()).toBe(bought.before + bought.price);
    const next = stream.next();
    model.write(' two');
    expect(await next).toContain('" two"');
    model.end();
    const events = await stream.rest();
    expect(events.at(-2)).toMatch(/^: X-INFERENCE-PROOF: ./);
    expect([events.at(-1), stream.text()]).toEqual([lastEvent, 'one two']);
  });

  it('has no proof in a header, and the proof of the whole completion in a comment', async () => {
    const bought = await buy();
    const stream = await begin(bought);
    expect(stream.headers.get(headerNames.inferenceProof)).toBeNull();
    model.end();
    const comment = (await stream.rest()).at(-2);
    const whole = await post(chat, bought.body, bought.payment);
    expect(comment).toBe(`: X-INFERENCE-PROOF: ${whole.headers.get(headerNames.inferenceProof)}`);
    expect(whole.body.choices[0].message.content).toBe('one');
    expect(whole.headers.get(headerNames.idempotentReplayed)).toBe('true');
    expect(await paid()).toBe(bought.before + bought.price);
    expect(gateway.engine.runs).toBe(1);
  });

  it.each([
    ['tools', { tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }] }],
    ['a format', { response_format: { type: 'json_object' } }],
  ])(
    'shows nothing early with %s, because a later check may reject the completion (D-46)',
    async (_, more) => {
      gateway.engine.honours = ['response_format'];
      const { body, payment, before } = await buy(more);
      gateway.engine.answering = async () => ({ ok: false, fault: { kind: 'failed', detail: 'invalid' } });
      const response = await post(chat, { ...body, stream: true }, payment);
      expect([response.status, response.body.error.code]).toEqual([502, 'upstream_error']);
      expect(await paid()).toBe(before);
    },
  );

  it('is early with tools that may not be called', async () => {
    const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];
    const stream = await begin(await buy({ tools, tool_choice: 'none' }));
    expect(stream.text()).toBe('one');
    model.end();
    expect((await stream.rest()).at(-1)).toBe(lastEvent);
  });

  it('without any text is a whole completion', async () => {
    const { body, payment } = await buy();
    model.end();
    const stream = await openStream(chat, body, payment);
    expect((await stream.rest()).at(-1)).toBe(lastEvent);
    expect(stream.headers.get(headerNames.inferenceProof)).toBeTruthy();
  });
});

describe('before the first text', () => {
  it('a failure charges nothing, and the same payment buys the completion', async () => {
    const bought = await buy();
    model.break();
    const failed = await openStream(chat, bought.body, bought.payment);
    expect(failed.status).toBe(502);
    expect(await paid()).toBe(bought.before);
    gateway.engine.streaming = null;
    expect((await post(chat, bought.body, bought.payment)).status).toBe(200);
  });

  it('a client that leaves cancels the run and is not charged (D-22)', async () => {
    const bought = await buy();
    const left = new AbortController();
    const leaving = openStream(chat, bought.body, bought.payment, left.signal).catch(() => 'left');
    const signal = await model.begun;
    left.abort();
    expect(await leaving).toBe('left');
    await expect.poll(() => signal.aborted).toBe(true);
    gateway.engine.streaming = null;
    expect(
      (await post(chat, bought.body, bought.payment)).headers.get(headerNames.idempotentReplayed),
    ).toBeNull();
    expect(await paid()).toBe(bought.before + bought.price);
  });
});

describe('after the first text', () => {
  it('the run goes on without a client, and the same payment gets the whole completion', async () => {
    const bought = await buy();
    const left = new AbortController();
    const stream = await begin(bought, left.signal);
    left.abort();
    await expect(stream.rest()).rejects.toThrow();
    const signal = await model.begun;
    model.write(' two');
    model.end();
    const whole = await post(chat, bought.body, bought.payment);
    expect(whole.body.choices[0].message.content).toBe('one two');
    expect([signal.aborted, gateway.engine.runs]).toEqual([false, 1]);
    expect(await paid()).toBe(bought.before + bought.price);
  });

  it('a break cuts the stream; the same payment gets a whole completion of another run, and is charged once', async () => {
    const bought = await buy();
    const stream = await begin(bought);
    model.break();
    await expect(stream.rest()).rejects.toThrow();
    const again = await openStream(chat, bought.body, bought.payment);
    expect((await again.rest()).at(-1)).toBe(lastEvent);
    expect(again.text()).toBe('pong');
    const whole = await post(chat, bought.body, bought.payment);
    expect(whole.body.choices[0].message.content).toBe('pong');
    expect(decodeReceipt(whole).txHash).toBe(decodeReceipt(stream).txHash);
    expect(gateway.engine.runs).toBe(2);
    expect(await paid()).toBe(bought.before + bought.price);
  });

  it('requests during the second run get its text, never that of the broken one', async () => {
    const bought = await buy();
    const stream = await begin(bought);
    model.break();
    await expect(stream.rest()).rejects.toThrow();
    const inferred = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const { answering } = createCountingEngine();
    gateway.engine.answering = async (...parameters) => {
      started.resolve();
      await inferred.promise;
      return answering(...parameters);
    };
    const first = openStream(chat, bought.body, bought.payment);
    await started.promise;
    const second = openStream(chat, bought.body, bought.payment);
    const third = post(chat, bought.body, await bought.sign());
    await fetch(`${gateway.url}/health`);
    inferred.resolve();
    for (const each of [await first, await second]) {
      expect((await each.rest()).at(-1)).toBe(lastEvent);
      expect(each.text()).toBe('pong');
    }
    expect((await third).body.choices[0].message.content).toBe('pong');
    expect(gateway.engine.runs).toBe(2);
    expect(await paid()).toBe(bought.before + bought.price);
  });

  it('a model that fails again has a rest, in which the same payment gets a 503', async () => {
    const bought = await buy();
    expect((await begin(bought)).text()).toBe('one');
    model.break();
    gateway.engine.answering = async () => ({ ok: false, fault: { kind: 'failed', detail: 'down' } });
    const said = [];
    for (let run = 0; run < 3; run++) said.push(await post(chat, bought.body, bought.payment));
    expect(said.map(({ status }) => status)).toEqual([502, 503, 503]);
    expect(said[0]?.body.error.message).toMatch(/is charged. Send the same request with the same payment/);
    expect(said[1]?.body.error.code).toBe('settlement_pending');
    expect(gateway.engine.runs).toBe(2);
    expect(await paid()).toBe(bought.before + bought.price);
  });

  /** A payer whose wallet is empty when the model begins. */
  async function buyPoor() {
    const offer = decodeOffer(await post(chat, chatBody));
    const payer = await gateway.devnet.fundPayer(atomicAmount(BigInt(offer.maxAmountRequired)));
    const { stream } = model;
    gateway.engine.streaming = async function* (...parameters) {
      await emptyWallet(gateway, payer.privateKey);
      return yield* stream(...parameters);
    };
    return buy({}, payer.privateKey);
  }

  it('a payment that the chain refuses at the end gets JSON, and its completion is kept (D-63)', async () => {
    const bought = await buyPoor();
    model.write('secret');
    model.end();
    const refused = await post(chat, { ...bought.body, stream: true }, bought.payment);
    expect([refused.status, refused.body.error.code]).toEqual([402, 'insufficient_funds']);
    expect(refused.body.error.message).toContain('send the same request with the same payment again');
  });

  it('a payment that the chain refuses gets JSON, and stops the model', async () => {
    const bought = await buyPoor();
    model.write('secret');
    const refused = await post(chat, { ...bought.body, stream: true }, bought.payment);
    expect([refused.status, refused.body.error.code]).toEqual([402, 'insufficient_funds']);
    expect(JSON.stringify(refused.body)).not.toContain('secret');
    await expect.poll(async () => (await model.begun).aborted).toBe(true);
    expect(await paid()).toBe(bought.before);
    const again = await post(chat, bought.body, bought.payment);
    expect([again.status, gateway.engine.runs]).toEqual([402, 1]);
  });
});

describe('a repetition of a live run', () => {
  it('with a stream gets the text from before and the rest, in its own form', async () => {
    const bought = await buy();
    const first = await begin(bought);
    const wanted = { ...bought.body, stream_options: { include_usage: true } };
    const second = await openStream(chat, wanted, bought.payment);
    expect(second.headers.get(headerNames.idempotentReplayed)).toBe('true');
    model.write(' two');
    model.end();
    const [one, two] = [await first.rest(), await second.rest()];
    expect([first.text(), second.text()]).toEqual(['one two', 'one two']);
    expect([one.join(), two.join()].map((text) => text.includes('"total_tokens"'))).toEqual([false, true]);
    expect(gateway.engine.runs).toBe(1);
  });

  it('without a stream gets the whole completion, also with a new authorization (D-258)', async () => {
    const bought = await buy();
    const stream = await begin(bought);
    const whole = [post(chat, bought.body, bought.payment), post(chat, bought.body, await bought.sign())];
    await fetch(`${gateway.url}/health`);
    model.end();
    for (const { status, body } of await Promise.all(whole))
      expect([status, body.choices[0].message.content]).toEqual([200, 'one']);
    await stream.rest();
    expect(gateway.engine.runs).toBe(1);
    expect(await paid()).toBe(bought.before + bought.price);
  });
});
