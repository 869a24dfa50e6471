import { expect, it, onTestFinished } from 'vitest';
import { emptyWallet } from '../testing/chain/empty-wallet.ts';
import { startTestGateway, type TestGateway } from '../testing/gateway.ts';
import { createLiveText } from '../testing/live-text.ts';
import { openStream } from '../testing/open-stream.ts';
import { chatBody, chatPath, decodeOffer, paymentFor, post } from '../testing/payer.ts';

// A payer can move its tokens away while the model works. Then the chain refuses the payment, and the inference was for
// nothing. Only the address of the client bounds such payments, since the tokens may move from payer to payer (D-227).

/** A gateway that accepts some refusals of a client in ten minutes. */
async function start({ requestsMax = 1, settlementWaitMs = 20_000 } = {}) {
  const refusalRateLimit = { requestsMax, windowSeconds: 600 };
  const gateway = await startTestGateway({ refusalRateLimit, settlementWaitMs });
  onTestFinished(() => gateway.stop());
  const chat = `${gateway.url}${chatPath}`;
  const signedBy = async (privateKey: string) =>
    paymentFor(decodeOffer(await post(chat, chatBody)), privateKey);
  const buy = async (privateKey: string) => post(chat, chatBody, await signedBy(privateKey));
  return { gateway, chat, signedBy, buy };
}

/** The payer moves all its tokens away while the model works for the first time. */
function moveTokensAway(gateway: TestGateway, privateKey: string): void {
  const { engine } = gateway;
  const sound = engine.answering;
  engine.answering = async (task, limits) => {
    await emptyWallet(gateway, privateKey);
    engine.answering = sound;
    return sound(task, limits);
  };
}

const tooMany = { status: 429, body: { error: { code: 'rate_limited' } } };
const pending = { status: 503, body: { error: { code: 'settlement_pending' } } };
const poor = { status: 402, body: { error: { code: 'insufficient_funds' } } };

it('A payment that the chain refuses after its inference counts as a refusal of its client (D-227)', async () => {
  const { gateway, buy } = await start();
  const { devnet, engine } = gateway;
  const [mallory, alice] = [await devnet.fundPayer(), await devnet.fundPayer()];
  moveTokensAway(gateway, mallory.privateKey);
  expect(await buy(mallory.privateKey)).toMatchObject(poor);
  expect(await buy(alice.privateKey)).toMatchObject(tooMany);
  expect(engine.runs).toBe(1);
});

it('A payment that the chain refuses after the wait of its request counts (D-227)', async () => {
  const { gateway, buy } = await start({ settlementWaitMs: 1 });
  const { devnet } = gateway;
  const [mallory, alice] = [await devnet.fundPayer(), await devnet.fundPayer()];
  moveTokensAway(gateway, mallory.privateKey);
  expect(await buy(mallory.privateKey)).toMatchObject(pending);
  await expect.poll(() => buy(alice.privateKey)).toMatchObject(tooMany);
});

it('A live stream that the chain refuses counts, also after its client has left (D-227)', async () => {
  const { gateway, chat, signedBy, buy } = await start();
  const { devnet, engine, rpc } = gateway;
  const [mallory, alice] = [await devnet.fundPayer(), await devnet.fundPayer()];
  const text = createLiveText();
  engine.streaming = async function* (task, limits) {
    await emptyWallet(gateway, mallory.privateKey);
    await rpc.call('evm_setAutomine', [false]);
    return yield* text.stream(task, limits);
  };
  const client = new AbortController();
  text.write('one');
  const left = openStream(chat, chatBody, await signedBy(mallory.privateKey), client.signal);
  left.catch(() => undefined);
  const run = await text.begun;
  client.abort();
  await rpc.call('evm_setAutomine', [true]);
  await rpc.call('evm_mine', []);
  await expect.poll(() => run.aborted).toBe(true);
  expect(await buy(alice.privateKey)).toMatchObject(tooMany);
});

it('A refused payment that is sent again counts, and at the limit the gateway does not ask the chain (D-227)', async () => {
  const { gateway, chat, signedBy, buy } = await start({ requestsMax: 2 });
  const { devnet, engine } = gateway;
  const [mallory, alice] = [await devnet.fundPayer(), await devnet.fundPayer()];
  moveTokensAway(gateway, mallory.privateKey);
  const payment = await signedBy(mallory.privateKey);
  expect(await post(chat, chatBody, payment)).toMatchObject(poor);
  expect(await post(chat, chatBody, payment)).toMatchObject(poor);
  expect(await post(chat, chatBody, payment)).toMatchObject(pending);
  expect(await buy(alice.privateKey)).toMatchObject(tooMany);
  expect(engine.runs).toBe(1);
});

it('A payment that is settled counts as no refusal', async () => {
  const { gateway, buy } = await start();
  const { privateKey } = await gateway.devnet.fundPayer();
  for (let bought = 0; bought < 3; bought++) expect((await buy(privateKey)).status).toBe(200);
});
