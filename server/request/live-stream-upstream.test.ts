import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOpenAiEngine } from '../inference/openai/openai-engine.ts';
import { startTestGateway, type TestGateway } from '../testing/gateway.ts';
import {
  chatChunk,
  chatCompletion,
  helloChunks,
  lookCall,
  options,
  showEarly,
  usageChunk,
} from '../testing/inference/exchange.ts';
import { type Behaviour, events, json, openUpstream } from '../testing/inference/fake-upstream.ts';
import { lastEvent, openStream } from '../testing/open-stream.ts';
import { chatBody, chatPath, decodeOffer, paymentFor, post } from '../testing/payer.ts';

// D-272: no charge without a delivered completion, at an upstream that ends its completions in a wrong way.

let gateway: TestGateway;
let chat: string;
const paid = () => gateway.balanceOf(gateway.devnet.payTo);
beforeAll(async () => {
  gateway = await startTestGateway({ settlementWaitMs: 3_000, inferenceTimeoutMs: 1_500 });
  chat = `${gateway.url}${chatPath}`;
});
afterAll(() => gateway.stop());

/** Sells the completions of an upstream that has ended a stream in the right way before, or has not. */
async function sell(behaviour: Behaviour, isTrusted: boolean) {
  let conduct = isTrusted ? events(...helloChunks) : behaviour;
  const upstream = await openUpstream((response, request) => conduct(response, request));
  const engine = createOpenAiEngine(options(upstream.baseUrl));
  gateway.engine.streaming = (task, limits) => engine.stream(task, limits);
  gateway.engine.answering = (task, limits) => engine.infer(task, limits);
  gateway.engine.runs = 0;
  if (isTrusted) await showEarly(engine);
  conduct = behaviour;
  return {
    async [Symbol.asyncDispose]() {
      await engine.close();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

async function buy() {
  const body = { ...chatBody, user: `purchase ${randomUUID()}` };
  const offer = decodeOffer(await post(chat, body));
  const payment = await paymentFor(offer, gateway.devnet.payer.privateKey);
  return { body, payment, price: BigInt(offer.maxAmountRequired), before: await paid() };
}

/** Buys a stream, which is whole, and is charged once. */
async function expectWhole(text: string, finishReason: string): Promise<void> {
  const { body, payment, price, before } = await buy();
  const stream = await openStream(chat, body, payment);
  expect(stream.status).toBe(200);
  expect((await stream.rest()).at(-1)).toBe(lastEvent);
  expect(stream.text()).toBe(text);
  const again = await post(chat, body, payment);
  const [choice] = again.body.choices;
  expect([choice.message.content, choice.finish_reason]).toEqual([text, finishReason]);
  expect(await paid()).toBe(before + price);
  expect(gateway.engine.runs).toBe(1);
}

const hello = helloChunks.slice(0, 3);

it('a model that takes longer than the timeout is cut with `length`, stored, and charged once', async () => {
  const writing: Behaviour = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const chunk of hello) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  await using _ = await sell(writing, true);
  await expectWhole('Hello.', 'length');
});

const isStreamed = (body: unknown) => (body as { stream?: boolean }).stream === true;
const calls: Behaviour = (response, request) => {
  const chunks = [...hello, chatChunk({ tool_calls: [lookCall] }, 'tool_calls'), usageChunk(3), '[DONE]'];
  const message = { content: 'Hello.', tool_calls: [lookCall] };
  const behaviour = isStreamed(request.body) ? events(...chunks) : json(chatCompletion(message));
  behaviour(response, request);
};

it('a call that was not offered is dropped behind a text that was shown', async () => {
  await using _ = await sell(calls, true);
  await expectWhole('Hello.', 'stop');
});

it('an upstream without any valid stream shows no text, and charges nothing', async () => {
  await using _ = await sell(calls, false);
  const { body, payment, before } = await buy();
  for (let round = 0; round < 2; round++) {
    const stream = await openStream(chat, body, payment);
    expect([stream.status, stream.text()]).toEqual([502, '']);
  }
  expect(await paid()).toBe(before);
});
