import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { headerNames } from '@paid-inference/contract/constants';
import canonicalize from 'canonicalize';
import { id } from 'ethers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createCountingEngine } from '../testing/counting-engine.ts';
import { startTestGateway, type TestGateway } from '../testing/gateway.ts';
import {
  chatBody,
  chatPath,
  decodeOffer,
  decodeProof,
  decodeReceipt,
  paymentFor,
  post,
  textPath,
} from '../testing/payer.ts';
import { fail } from '../types/result.ts';
import type { Bytes32 } from '../types/units.ts';
import { fingerprintRequest } from './fingerprint.ts';

let gateway: TestGateway;
let chat: string;
beforeAll(async () => {
  gateway = await startTestGateway();
  chat = `${gateway.url}${chatPath}`;
});
afterAll(() => gateway.stop());
beforeEach(() => {
  gateway.engine.answering = createCountingEngine().answering;
});

const streamed = { ...chatBody, stream: true };

/** Signs a payment for the offer of a body, whose text is made unique. */
async function preparePurchase(url = chat, plain: object = chatBody) {
  const user = `purchase ${randomUUID()}`;
  const body = { ...plain, user };
  const offer = decodeOffer(await post(url, { ...body, stream: true }));
  return { body, offer, payment: await paymentFor(offer, gateway.devnet.payer.privateKey) };
}

async function postStreamed(url: string, body: object, payment: Record<string, string>) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...payment },
    body: JSON.stringify({ ...body, stream: true }),
  });
  const text = await response.text();
  const events = text.split('\n\n').slice(0, -1);
  const chunks = events.filter((each) => each.startsWith('data: {')).map((each) => JSON.parse(each.slice(6)));
  return { status: response.status, headers: response.headers, body: null, text, events, chunks };
}

describe('D-271: a streamed request', () => {
  it('gets the offer of the same request without a stream, with the same price', async () => {
    const [whole, parts] = [await post(chat, chatBody), await post(chat, streamed)];
    expect([whole.status, parts.status]).toEqual([402, 402]);
    expect(decodeOffer(parts)).toEqual(decodeOffer(whole));
  });

  it('gets the receipt as a header, then the completion as events, and [DONE]', async () => {
    const { body, offer, payment } = await preparePurchase();
    const before = await gateway.balanceOf(gateway.devnet.payer.address);
    const response = await postStreamed(chat, body, payment);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    expect(decodeReceipt(response)).toMatchObject({ success: true, amount: offer.maxAmountRequired });
    expect(response.chunks.map(({ choices: [choice] }) => choice.delta)).toEqual([
      { role: 'assistant', content: '' },
      { content: 'pong' },
      {},
    ]);
    expect(response.events.at(-1)).toBe('data: [DONE]');
    const after = await gateway.balanceOf(gateway.devnet.payer.address);
    expect(before - after).toBe(BigInt(offer.maxAmountRequired));
  });

  it('has the usage with include_usage', async () => {
    const { body, payment } = await preparePurchase();
    const wanted = { ...body, stream_options: { include_usage: true } };
    const { chunks } = await postStreamed(chat, wanted, payment);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 2 } });
  });

  it('buys the same as without a stream: the same payment gets the whole completion, and is charged once', async () => {
    const { body, payment } = await preparePurchase();
    const runs = gateway.engine.runs;
    const first = await postStreamed(chat, body, payment);
    const whole = await post(chat, body, payment);
    const again = await postStreamed(chat, { ...body, stream_options: { include_usage: true } }, payment);
    expect([whole.status, again.status]).toEqual([200, 200]);
    expect(whole.headers.get(headerNames.idempotentReplayed)).toBe('true');
    expect(decodeReceipt(whole).txHash).toBe(decodeReceipt(first).txHash);
    expect(decodeReceipt(again).txHash).toBe(decodeReceipt(first).txHash);
    expect(gateway.engine.runs).toBe(runs + 1);
    const [chunk] = first.chunks;
    expect(whole.body).toMatchObject({ id: chunk.id, created: chunk.created, model: chunk.model });
    expect(whole.body.choices[0].message.content).toBe('pong');
  });

  it('replays a purchase that an older version stored under a body with `stream`', async () => {
    const { body, payment } = await preparePurchase();
    const old = { ...body, stream: false, stream_options: null };
    expect((await post(chat, old, payment)).status).toBe(200);
    const hash = id(canonicalize(old) ?? '') as Bytes32;
    const database = new DatabaseSync(gateway.storeFile, { timeout: 5_000 });
    database
      .prepare('UPDATE payment SET fingerprint = ? WHERE id = (SELECT max(id) FROM payment)')
      .run(fingerprintRequest('createChatCompletion', 'batch', hash));
    database.close();
    const again = await post(chat, old, payment);
    expect([again.status, again.headers.get(headerNames.idempotentReplayed)]).toEqual([200, 'true']);
    expect((await post(chat, body, payment)).status).toBe(402);
  });

  it('still is another request with another body', async () => {
    const { body, payment } = await preparePurchase();
    await postStreamed(chat, body, payment);
    expect((await post(chat, { ...body, max_tokens: 15 }, payment)).status).toBe(402);
  });

  it('has a proof of the body as received and of the whole completion, as a comment', async () => {
    const { body, payment } = await preparePurchase();
    const response = await postStreamed(chat, body, payment);
    const comment = response.events.at(-2);
    expect(comment).toBe(`: X-INFERENCE-PROOF: ${response.headers.get(headerNames.inferenceProof)}`);
    const proof = decodeProof(response);
    const whole = await post(chat, body, payment);
    expect(proof).toMatchObject({
      inputHash: id(canonicalize({ ...body, stream: true }) ?? ''),
      outputHash: id(canonicalize(whole.body) ?? ''),
    });
  });

  it('costs nothing when the model fails, and gets the error as JSON', async () => {
    const { body, payment } = await preparePurchase();
    gateway.engine.answering = async () => fail({ kind: 'failed', detail: 'x' });
    const { status, text } = await postStreamed(chat, body, payment);
    expect([status, JSON.parse(text).error.code]).toEqual([502, 'upstream_error']);
  });

  it('streams text completions, too', async () => {
    const url = `${gateway.url}${textPath}`;
    const { body, payment } = await preparePurchase(url, { model: chatBody.model, prompt: 'ping' });
    const { chunks } = await postStreamed(url, body, payment);
    expect(chunks.map(({ object, choices: [choice] }) => [object, choice.text])).toEqual([
      ['text_completion', 'pong'],
      ['text_completion', ''],
    ]);
  });
});
