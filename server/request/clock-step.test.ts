import { afterAll, beforeAll, expect, it } from 'vitest';
import { createCountingEngine, pong } from '../testing/counting-engine.ts';
import { startTestGateway, type TestGateway } from '../testing/gateway.ts';
import { chatBody, chatPath, decodeOffer, paymentFor, post } from '../testing/payer.ts';
import { manualClock, systemClock } from '../types/clock.ts';
import { ok } from '../types/result.ts';

// A correction of the wall clock ends no lease (D-139).

const clock = manualClock(systemClock.nowSeconds());
const hourSeconds = 3_600;
let gateway: TestGateway;
let chat: string;

beforeAll(async () => {
  gateway = await startTestGateway({ maintenanceMs: 20 }, clock);
  chat = `${gateway.url}${chatPath}`;
});
afterAll(() => gateway.stop());

async function signed() {
  const offer = decodeOffer(await post(chat, chatBody));
  const validBefore = systemClock.nowSeconds() + 10 * hourSeconds;
  return paymentFor(offer, gateway.devnet.payer.privateKey, { validBefore });
}

it.each([hourSeconds, -hourSeconds])(
  'returns 200 when the wall clock steps by %i s while the model runs',
  async (step) => {
    const header = await signed();
    gateway.engine.answering = async (task) => {
      clock.step(step);
      // Meanwhile the maintenance loop looks for abandoned reservations.
      await new Promise((resolve) => setTimeout(resolve, 100));
      return ok(pong(task));
    };
    gateway.engine.runs = 0;
    expect((await post(chat, chatBody, header)).status).toBe(200);
    expect(gateway.engine.runs).toBe(1);
    clock.step(-step);
  },
);

it('returns 503 and not 500 when the lease has ended, and then the same payment buys a completion', async () => {
  const header = await signed();
  gateway.engine.answering = async (task) => {
    clock.advance(hourSeconds);
    await new Promise((resolve) => setTimeout(resolve, 100));
    return ok(pong(task));
  };
  const late = await post(chat, chatBody, header);
  expect(late.status).toBe(503);
  // `settlement_pending` comes while the maintenance loop has not released the reservation yet.
  expect(['unavailable', 'settlement_pending']).toContain(late.body.error?.code);
  gateway.engine.answering = createCountingEngine().answering;
  const again = async () => (await post(chat, chatBody, header)).status;
  await expect.poll(again, { timeout: 10_000 }).toBe(200);
});
