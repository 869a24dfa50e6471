import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../testing/gateway.ts';
import { createLiveText } from '../testing/live-text.ts';
import { lastEvent, openStream } from '../testing/open-stream.ts';
import { chatBody, chatPath, decodeOffer, paymentFor, post } from '../testing/payer.ts';

let gateway: TestGateway;
let url: string;
beforeAll(async () => {
  gateway = await startTestGateway({ settlementWaitMs: 200 });
  url = `${gateway.url}${chatPath}`;
});
afterAll(() => gateway.stop());

it('A repetition of a live run waits for the chain no longer than the first one, and streams once it shows the payment (D-272)', async () => {
  const text = createLiveText();
  gateway.engine.streaming = text.stream;
  const payment = await paymentFor(decodeOffer(await post(url, chatBody)), gateway.devnet.payer.privateKey);
  await gateway.rpc.call('evm_setAutomine', [false]);
  text.write('one');
  for (let request = 0; request < 2; request++)
    expect(await post(url, { ...chatBody, stream: true }, payment)).toMatchObject({
      status: 503,
      body: { error: { code: 'settlement_pending' } },
    });
  await gateway.rpc.call('evm_setAutomine', [true]);
  await gateway.rpc.call('evm_mine', []);
  const opened = () => openStream(url, chatBody, payment);
  await expect.poll(async () => (await opened()).status).toBe(200);
  const stream = await opened();
  text.end();
  expect((await stream.rest()).at(-1)).toBe(lastEvent);
  expect([stream.text(), gateway.engine.runs]).toEqual(['one', 1]);
});
