import { OverloadedBody } from '@paid-inference/contract/validators';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../testing/gateway.ts';
import { chatBody, chatPath, decodeOffer, paymentFor, post } from '../testing/payer.ts';
import { systemClock } from '../types/clock.ts';

// By this clock, 15 ms pass between two looks at it. So each turn of the event loop is long.
let jumpedMs = 0;
const clock = {
  ...systemClock,
  monotonicMs: () => {
    jumpedMs += 15;
    return systemClock.monotonicMs() + jumpedMs;
  },
};
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({ concurrentInferencesMax: 1 }, clock);
});
afterAll(() => gateway.stop());

it('a full gateway with long turns refuses payments before it looks at them, and serves them later (D-389)', async () => {
  const chat = `${gateway.url}${chatPath}`;
  const offer = decodeOffer(await post(chat, chatBody));
  const pay = async () => paymentFor(offer, (await gateway.devnet.fundPayer()).privateKey);
  const [first, second] = [await pay(), await pay()];
  const { answering } = gateway.engine;
  const released = Promise.withResolvers<void>();
  gateway.engine.answering = async (...parameters) => {
    await released.promise;
    return answering(...parameters);
  };
  const running = post(chat, chatBody, first);
  await expect.poll(() => gateway.engine.runs).toBe(1);

  // The first refusal measures the turn.
  expect((await post(chat, chatBody, second)).body.error.message).toContain('Nothing was charged');
  const refused = await post(chat, chatBody, second);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  expect(OverloadedBody(refused.body)).toBe(true);
  expect(refused.body.error.message).toMatch(/^The gateway is full\. Send the same request/);
  expect((await post(chat, chatBody)).status).toBe(402);

  released.resolve();
  expect((await running).status).toBe(200);
  await expect.poll(() => post(chat, chatBody, second)).toMatchObject({ status: 200 });
});
