import { OverloadedBody } from '@paid-inference/contract/validators';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pong } from '../testing/counting-engine.ts';
import { startTestGateway, type TestGateway } from '../testing/gateway.ts';
import { createLiveText } from '../testing/live-text.ts';
import { openStream } from '../testing/open-stream.ts';
import { chatBody, chatPath, decodeOffer, paymentFor, post } from '../testing/payer.ts';
import { connectRaw } from '../testing/raw-client.ts';
import { ok } from '../types/result.ts';

let gateway: TestGateway;
beforeAll(async () => {
  // One client may hold 256 KiB.
  gateway = await startTestGateway({ heldBytesMax: 1_048_576 });
});
afterAll(() => gateway.stop());

it('a client with as many bytes in progress as it may have gets 503 for a large body, until a request ends (D-408)', async () => {
  const chat = `${gateway.url}${chatPath}`;
  const large = { ...chatBody, extra: 'x'.repeat(200_000) };
  const offer = decodeOffer(await post(chat, large));
  const payment = await paymentFor(offer, (await gateway.devnet.fundPayer()).privateKey);
  const { answering } = gateway.engine;
  const released = Promise.withResolvers<void>();
  gateway.engine.answering = async (...parameters) => {
    await released.promise;
    return answering(...parameters);
  };
  const running = post(chat, large, payment);
  await expect.poll(() => gateway.engine.runs).toBe(1);

  const refused = await post(chat, large);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  expect(OverloadedBody(refused.body)).toBe(true);
  expect((await post(chat, chatBody)).status).toBe(402);

  released.resolve();
  expect((await running).status).toBe(200);
  await expect.poll(async () => (await post(chat, large)).status).toBe(402);
});

it('a body counts until the work on its request has ended, also after its client has left (D-432)', async () => {
  const chat = `${gateway.url}${chatPath}`;
  const large = { ...chatBody, user: 'leaves', extra: 'x'.repeat(200_000) };
  const offer = decodeOffer(await post(chat, large));
  const payment = await paymentFor(offer, (await gateway.devnet.fundPayer()).privateKey);
  const { answering } = gateway.engine;
  const released = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  const { runs } = gateway.engine;
  gateway.engine.answering = async (task, limits) => {
    limits.signal.addEventListener('abort', () => left.resolve(), { once: true });
    await released.promise;
    return answering(task, limits);
  };
  const client = new AbortController();
  const headers = { ...payment, 'Content-Type': 'application/json' };
  const sent = { method: 'POST', headers, body: JSON.stringify(large), signal: client.signal };
  const aborted = expect(fetch(chat, sent)).rejects.toThrow();
  await expect.poll(() => gateway.engine.runs).toBe(runs + 1);
  client.abort();
  await Promise.all([aborted, left.promise]);
  expect((await post(chat, large)).status).toBe(503);
  released.resolve();
  await expect.poll(async () => (await post(chat, large)).status).toBe(402);
});

it('a body counts no longer while its client does not read the response (D-408)', async () => {
  const chat = `${gateway.url}${chatPath}`;
  const large = { ...chatBody, user: 'reads nothing', extra: 'x'.repeat(200_000) };
  const offer = decodeOffer(await post(chat, large));
  const payment = await paymentFor(offer, (await gateway.devnet.fundPayer()).privateKey);
  const content = 'pong '.repeat(2_000_000);
  gateway.engine.answering = async (task) => {
    const { usage } = pong(task);
    return ok({ kind: 'chat', message: { role: 'assistant', content }, finishReason: 'stop', usage });
  };
  const { runs } = gateway.engine;
  const client = await connectRaw(gateway.url);
  const body = JSON.stringify(large);
  const fields = Object.entries({ ...payment, Host: 'x', 'Content-Type': 'application/json' });
  const head = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  client.write(`POST ${chatPath} HTTP/1.1\r\n${head}Content-Length: ${body.length}\r\n\r\n${body}`);
  await expect.poll(() => gateway.engine.runs).toBeGreaterThan(runs);
  await expect.poll(async () => (await post(chat, large)).status, { timeout: 5_000 }).toBe(402);
  expect(await client.readUntil('pong "')).toContain('HTTP/1.1 200');
  client.socket.destroy();
});

it('a request that waits for a live run ends when its client leaves (D-432)', async () => {
  const behindProxy = await startTestGateway({ heldBytesMax: 1_048_576, trustedProxies: 1 });
  const chat = `${behindProxy.url}${chatPath}`;
  const large = { ...chatBody, extra: 'x'.repeat(200_000) };
  const [first, second] = [{ 'X-Forwarded-For': '2001:db8:1::1' }, { 'X-Forwarded-For': '2001:db8:2::1' }];
  const offer = decodeOffer(await post(chat, large, first));
  const payment = await paymentFor(offer, (await behindProxy.devnet.fundPayer()).privateKey);
  const text = createLiveText();
  behindProxy.engine.streaming = text.stream;
  text.write('one');
  const stream = await openStream(chat, large, { ...payment, ...first });
  const client = new AbortController();
  const headers = { ...payment, ...second, 'Content-Type': 'application/json' };
  const sent = { method: 'POST', headers, body: JSON.stringify(large), signal: client.signal };
  const aborted = expect(fetch(chat, sent)).rejects.toThrow();
  await expect.poll(async () => (await post(chat, large, second)).status).toBe(503);
  client.abort();
  await aborted;
  await expect.poll(async () => (await post(chat, large, second)).status).toBe(402);
  text.end();
  await stream.rest();
  await behindProxy.stop();
});

it('the networks of one IPv6 site share what a client may hold, and other sites do not (D-224, D-408)', async () => {
  const behindProxy = await startTestGateway({ heldBytesMax: 1_048_576, trustedProxies: 1 });
  const chat = `${behindProxy.url}${chatPath}`;
  const large = { ...chatBody, extra: 'x'.repeat(200_000) };
  const from = (address: string, payment = {}) =>
    post(chat, large, { ...payment, 'X-Forwarded-For': address });
  const offer = decodeOffer(await post(chat, large));
  const payment = await paymentFor(offer, (await behindProxy.devnet.fundPayer()).privateKey);
  const { answering } = behindProxy.engine;
  const released = Promise.withResolvers<void>();
  behindProxy.engine.answering = async (...parameters) => {
    await released.promise;
    return answering(...parameters);
  };
  const running = from('2001:db8:1:1::1', payment);
  await expect.poll(() => behindProxy.engine.runs).toBe(1);

  expect((await from('2001:db8:1:2::1')).status).toBe(503);
  expect((await from('2001:db8:2:2::1')).status).toBe(402);

  released.resolve();
  expect((await running).status).toBe(200);
  await behindProxy.stop();
});
