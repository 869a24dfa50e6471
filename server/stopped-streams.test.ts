import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RunningGateway } from './start/start.ts';
import { type CountingEngine, createCountingEngine } from './testing/counting-engine.ts';
import { createLiveText, type LiveText } from './testing/live-text.ts';
import { lastEvent, openStream } from './testing/open-stream.ts';
import { chatBody, chatPath, decodeOffer, paymentFor, post } from './testing/payer.ts';
import { openStartedGateways, type StartedGateways } from './testing/started-gateways.ts';

// A gateway stops in the middle of a stream, and another one begins on the same store (D-272).

let gateways: StartedGateways;
let engine: CountingEngine;
let model: LiveText;
beforeAll(async () => {
  gateways = await openStartedGateways();
});
afterAll(() => gateways.close());
beforeEach(() => {
  engine = createCountingEngine();
  model = createLiveText();
  engine.streaming = model.stream;
});

const sold = {
  id: chatBody.model,
  created: 1_700_000_000,
  owned_by: 'alder',
  engine: 'reference',
  context_length: 8_192,
  max_output_tokens: 2_048,
  pricing: { input_per_million: '1000000', output_per_million: '4000000', minimum: '1000' },
};

async function start(model = sold, shutdownTimeoutMs = 5_000): Promise<RunningGateway> {
  const file = join(gateways.folder, 'catalog.json');
  writeFileSync(file, JSON.stringify({ models: [model] }));
  const started = await gateways.start({ CATALOG_FILE: file }, engine, 5_000, { shutdownTimeoutMs });
  if (!started.ok) throw new Error(started.fault.join('\n'));
  return started.value;
}

/** Begins a stream at a new gateway. */
async function begin(shutdownTimeoutMs?: number) {
  const first = await start(sold, shutdownTimeoutMs);
  const chat = `${first.url}${chatPath}`;
  const body = { ...chatBody, user: `purchase ${randomUUID()}` };
  const offer = decodeOffer(await post(chat, body));
  const payment = await paymentFor(offer, gateways.devnet.payer.privateKey);
  const before = await gateways.balanceOf(gateways.devnet.payTo);
  model.write('one');
  const stream = await openStream(chat, body, payment);
  const charged = async () => (await gateways.balanceOf(gateways.devnet.payTo)) - before;
  return { first, stream, body, payment, price: BigInt(offer.maxAmountRequired), charged };
}

/** Stops a gateway in the middle of a stream. */
async function cut() {
  const begun = await begin(50);
  const broken = expect(begun.stream.rest()).rejects.toThrow();
  await begun.first.stop();
  await broken;
  engine.streaming = null;
  return begun;
}

describe('a stop of the gateway', () => {
  it('lets a stream end that ends in time', async () => {
    const { first, stream } = await begin();
    const stopped = first.stop();
    model.write(' two');
    model.end();
    expect((await stream.rest()).at(-1)).toBe(lastEvent);
    expect(stream.text()).toBe('one two');
    await stopped;
  });

  it('cuts a stream that does not; the next start serves the same payment at once, without another charge', async () => {
    const { body, payment, price, charged } = await cut();
    expect((await model.begun).aborted).toBe(true);
    const second = await start();
    const whole = await post(`${second.url}${chatPath}`, body, payment);
    expect([whole.status, whole.body.choices?.[0].message.content]).toEqual([200, 'pong']);
    expect([engine.runs, await charged()]).toEqual([2, price]);
    await second.stop();
  });

  it('and a catalog without the model end in an error that names the refund, until the model is sold again', async () => {
    const { body, payment, price, charged } = await cut();
    const second = await start({ ...sold, id: 'alder/another' });
    const refund = await post(`${second.url}${chatPath}`, body, payment);
    expect([refund.status, refund.headers.get('x-should-retry')]).toEqual([502, 'false']);
    expect(refund.body.error.message).toMatch(/no longer sells this request.*Ask the operator for a refund/);
    await second.stop();
    const third = await start();
    expect((await post(`${third.url}${chatPath}`, body, payment)).status).toBe(200);
    expect([engine.runs, await charged()]).toEqual([2, price]);
    await third.stop();
  });
});
