import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { pong } from '../testing/counting-engine.ts';
import { startTestGateway, type TestGateway } from '../testing/gateway.ts';
import { chatBody, chatPath, decodeOffer, paymentFor, post } from '../testing/payer.ts';
import { ok } from '../types/result.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());
afterEach(() => vi.restoreAllMocks());

/** Buys a completion of this length, requests it eight times at once, and returns the turns of its serializations. */
async function replayAtOnce(length: number): Promise<readonly number[]> {
  const content = 'x'.repeat(length);
  gateway.engine.answering = async (task) => {
    const inference = pong(task);
    if (inference.kind !== 'chat') throw new Error('the test sends a chat');
    return ok({ ...inference, message: { role: 'assistant', content } });
  };
  const chat = `${gateway.url}${chatPath}`;
  const offer = decodeOffer(await post(chat, chatBody));
  const payment = await paymentFor(offer, (await gateway.devnet.fundPayer()).privateKey);
  expect((await post(chat, chatBody, payment)).body.choices[0].message.content).toBe(content);

  let turn = 0;
  let counting = setImmediate(function count() {
    turn += 1;
    counting = setImmediate(count);
  });
  const turns: number[] = [];
  const stringify = JSON.stringify;
  vi.spyOn(JSON, 'stringify').mockImplementation((...parameters: Parameters<typeof stringify>) => {
    const text = stringify(...parameters);
    if (text?.includes(content)) turns.push(turn);
    return text;
  });
  const replays = await Promise.all(Array.from({ length: 8 }, () => post(chat, chatBody, payment)));
  clearImmediate(counting);
  expect(replays.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
  for (const { body } of replays) expect(body.choices[0].message.content).toBe(content);
  return turns;
}

it('leaves eight turns to other clients between two responses with a large completion (D-404)', async () => {
  const turns = await replayAtOnce(100_000);
  expect(turns).toHaveLength(8);
  expect(leastGap(turns)).toBeGreaterThan(8);
});

it('returns small completions as soon as they are ready (D-404)', async () => {
  const turns = await replayAtOnce(1_000);
  expect(turns).toHaveLength(8);
  expect(leastGap(turns)).toBeLessThan(8);
});

function leastGap(turns: readonly number[]): number {
  return Math.min(...turns.slice(1).map((turn, at) => turn - (turns[at] ?? 0)));
}
