import { truncateSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { createEngines } from '../testing/counting-engine.ts';
import { startTestGateway } from '../testing/gateway.ts';
import type { TinyModel } from '../testing/inference/tiny-model.ts';
import { lastEvent, openStream } from '../testing/open-stream.ts';
import { chatBody, chatPath, decodeOffer, decodeReceipt, paymentFor, post } from '../testing/payer.ts';
import { endless, openTinyEngine, story } from './tiny-engine.ts';

/** Starts a gateway that sells a tiny model with one sequence. */
async function openGateway(model: TinyModel, prepare: (file: string) => void = () => {}) {
  const { engine, file } = openTinyEngine(model, { sequences: 1, contextTokens: 4_096 });
  prepare(file);
  const gateway = await startTestGateway({ upstreamHealthAgeMaxMs: 50 }, undefined, {
    engines: createEngines(engine),
  });
  onTestFinished(() => gateway.stop());
  const chat = `${gateway.url}${chatPath}`;
  const paid = () => gateway.balanceOf(gateway.devnet.payTo);
  const ready = async () => (await fetch(`${gateway.url}/ready`)).status;
  const buy = async (change: object = {}) => {
    const body = { ...chatBody, temperature: 0, user: crypto.randomUUID(), ...change };
    const offer = decodeOffer(await post(chat, body));
    const payment = await paymentFor(offer, gateway.devnet.payer.privateKey);
    return { body, payment, price: BigInt(offer.maxAmountRequired) };
  };
  return { ...gateway, chat, paid, ready, buy };
}

test('sells completions of the model, with its tokens, whole and as a stream', async () => {
  const gateway = await openGateway(story);
  await expect.poll(gateway.ready).toBe(200);
  const { body, payment, price } = await gateway.buy();
  const before = await gateway.paid();
  const response = await post(gateway.chat, body, payment);
  expect(response.status).toBe(200);
  expect(response.body).toMatchObject({
    choices: [{ message: { content: 'Once upon a time' }, finish_reason: 'stop' }],
    // <|im_start|>user⏎ping<|im_end|>⏎<|im_start|>assistant⏎
    usage: { prompt_tokens: 1 + 5 + 4 + 2 + 1 + 10, completion_tokens: 4 },
  });
  expect(decodeReceipt(response).success).toBe(true);
  expect(await gateway.paid()).toBe(before + price);

  const streamed = await gateway.buy();
  const stream = await openStream(gateway.chat, streamed.body, streamed.payment);
  expect((await stream.rest()).at(-1)).toBe(lastEvent);
  expect(stream.text()).toBe('Once upon a time');
  expect(await gateway.paid()).toBe(before + price + streamed.price);
});

test('charges nothing for a client that leaves, and gives its sequence to the next one', async () => {
  const gateway = await openGateway(endless);
  await expect.poll(gateway.ready).toBe(200);
  const long = await gateway.buy({ max_tokens: 2_000 });
  const controller = new AbortController();
  const left = post(gateway.chat, long.body, long.payment, controller.signal);
  const other = await gateway.buy({ max_tokens: 2 });
  const busy = await post(gateway.chat, other.body, other.payment);
  expect([busy.status, busy.body.error.code]).toEqual([503, 'overloaded']);
  controller.abort();
  await expect(left).rejects.toThrow('aborted');
  const before = await gateway.paid();
  const next = () => post(gateway.chat, other.body, other.payment);
  await expect.poll(async () => (await next()).status).toBe(200);
  expect(await gateway.paid()).toBe(before + other.price);
});

test('sells nothing while the model cannot be loaded', async () => {
  const gateway = await openGateway(story, (file) => truncateSync(file, 20_000));
  await expect.poll(gateway.ready).toBe(503);
  const before = await gateway.paid();
  const { body, payment } = await gateway.buy();
  const response = await post(gateway.chat, body, payment);
  expect([response.status, response.body.error.code]).toEqual([503, 'unavailable']);
  expect(await gateway.paid()).toBe(before);
});
