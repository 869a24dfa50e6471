import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startTestGateway, type TestGateway } from '../testing/gateway.ts';
import { createLiveText } from '../testing/live-text.ts';
import { lastEvent, openStream } from '../testing/open-stream.ts';
import { chatBody, chatPath, decodeOffer, paymentFor, post } from '../testing/payer.ts';

let gateway: TestGateway;
let chat: string;
beforeAll(async () => {
  gateway = await startTestGateway({ concurrentInferencesMax: 1, settlementWaitMs: 60_000 });
  chat = `${gateway.url}${chatPath}`;
});
afterAll(() => gateway.stop());

it('A payment that waits for its settlement leaves its place to a new one, and is served later (D-359)', async () => {
  const offer = decodeOffer(await post(chat, chatBody));
  const pay = async () => paymentFor(offer, (await gateway.devnet.fundPayer()).privateKey);
  const [first, second] = [await pay(), await pay()];
  await gateway.rpc.call('evm_setAutomine', [false]);
  const waiting = post(chat, chatBody, first);
  await expect.poll(() => gateway.engine.runs).toBe(1);
  const next = untilTaken(second);
  expect(await waiting).toMatchObject({ status: 503, body: { error: { code: 'settlement_pending' } } });
  await gateway.rpc.call('evm_setAutomine', [true]);
  await gateway.rpc.call('evm_mine', []);
  expect((await next).status).toBe(200);
  await expect.poll(() => post(chat, chatBody, first)).toMatchObject({ status: 200 });
  expect(gateway.engine.runs).toBe(2);
});

it('A live stream that waits for its settlement keeps its place, because its model still writes (D-359)', async () => {
  const text = createLiveText();
  gateway.engine.streaming = text.stream;
  const offer = decodeOffer(await post(chat, chatBody));
  const pay = async () => paymentFor(offer, (await gateway.devnet.fundPayer()).privateKey);
  const [first, second] = [await pay(), await pay()];
  await gateway.rpc.call('evm_setAutomine', [false]);
  text.write('one');
  const opened = openStream(chat, chatBody, first);
  await text.begun;
  const refused = await post(chat, chatBody, second);
  expect(refused).toMatchObject({ status: 503, body: { error: { code: 'overloaded' } } });
  await gateway.rpc.call('evm_setAutomine', [true]);
  await gateway.rpc.call('evm_mine', []);
  const stream = await opened;
  expect(stream.status).toBe(200);
  text.end();
  expect((await stream.rest()).at(-1)).toBe(lastEvent);
  expect((await post(chat, chatBody, second)).status).toBe(200);
});

it('Of two sites, a request of the one with the most waits leaves its place, however many payers it has (D-359)', async () => {
  const trusting = await startTestGateway({
    concurrentInferencesMax: 5,
    settlementWaitMs: 60_000,
    trustedProxies: 1,
  });
  onTestFinished(() => trusting.stop());
  const { devnet, rpc, engine } = trusting;
  const url = `${trusting.url}${chatPath}`;
  const offer = decodeOffer(await post(url, chatBody));
  const [alice, late] = [await devnet.fundPayer(), await devnet.fundPayer()];
  const crowd = [await devnet.fundPayer(), await devnet.fundPayer(), await devnet.fundPayer()];
  await rpc.call('evm_setAutomine', [false]);
  const ends: string[] = [];
  const waits: Promise<void>[] = [];
  const begin = async (name: string, privateKey: string, address: string) => {
    // Each request is a purchase of its own, also of one payer.
    const body = { ...chatBody, user: `request ${waits.length}` };
    const headers = { 'X-Forwarded-For': address, ...(await paymentFor(offer, privateKey)) };
    waits.push(post(url, body, headers).then(({ status }) => void ends.push(`${name} ${status}`)));
    await expect.poll(() => engine.runs).toBe(waits.length);
  };
  await begin('alice', alice.privateKey, '192.0.2.1');
  for (const { privateKey } of crowd) await begin('crowd', privateKey, '192.0.2.2');
  await begin('alice', alice.privateKey, '192.0.2.1');
  await begin('new', late.privateKey, '192.0.2.3');
  await expect.poll(() => ends).toEqual(['crowd 503']);
  await rpc.call('evm_setAutomine', [true]);
  await rpc.call('evm_mine', []);
  await Promise.all(waits);
  expect(ends.toSorted()).toEqual([
    'alice 200',
    'alice 200',
    'crowd 200',
    'crowd 200',
    'crowd 503',
    'new 200',
  ]);
});

/** Sends the payment until the gateway takes it: the first payment waits soon after its inference. */
async function untilTaken(
  payment: Awaited<ReturnType<typeof paymentFor>>,
): Promise<Awaited<ReturnType<typeof post>>> {
  const response = await post(chat, chatBody, payment);
  return response.body.error?.code === 'overloaded' ? untilTaken(payment) : response;
}
