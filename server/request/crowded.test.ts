import { SettlementPendingBody } from '@paid-inference/contract/validators';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../testing/gateway.ts';
import { chatBody, chatPath, decodeOffer, paymentFor, post } from '../testing/payer.ts';
import { callersMax, createInFlight } from './in-flight.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ addressConnectionsMax: null });
});
afterAll(() => gateway.stop());

it('requests with one payment beyond the most that may wait get 503, and their completion later (D-407)', async () => {
  const chat = `${gateway.url}${chatPath}`;
  const offer = decodeOffer(await post(chat, chatBody));
  const payment = await paymentFor(offer, (await gateway.devnet.fundPayer()).privateKey);
  const { answering } = gateway.engine;
  const released = Promise.withResolvers<void>();
  gateway.engine.answering = async (...parameters) => {
    await released.promise;
    return answering(...parameters);
  };
  const surplus = 5;
  const refused: unknown[] = [];
  const responses = Array.from({ length: callersMax + surplus }, async () => {
    const response = await post(chat, chatBody, payment);
    if (response.status !== 200) refused.push(response);
    // The others wait until the last one was refused.
    if (refused.length === surplus) released.resolve();
    return response;
  });
  const statuses = (await Promise.all(responses)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(callersMax);
  expect(refused).toHaveLength(surplus);
  for (const { status, headers, body } of refused as Awaited<ReturnType<typeof post>>[]) {
    expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    expect(SettlementPendingBody(body)).toBe(true);
  }
  expect(await post(chat, chatBody, payment)).toMatchObject({ status: 200 });
  expect(gateway.engine.runs).toBe(1);
});

it('a request may wait again once another one has left (D-407)', async () => {
  const inFlight = createInFlight<string>();
  const { promise, resolve } = Promise.withResolvers<string>();
  const join = (left = new AbortController().signal) => inFlight.join('key', 'same', left, () => promise);
  const first = new AbortController();
  const all = [join(first.signal), ...Array.from({ length: callersMax - 1 }, () => join())];
  expect(await join()).toBe('crowded');
  first.abort();
  const next = join();
  resolve('response');
  expect(await next).toEqual({ result: 'response', key: 'key', joined: true });
  await Promise.all(all);
});
