import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LeaseLost } from '../store/relayer-lease.ts';
import { type OpenStore, StoreUnavailable } from '../store/store.ts';
import { createCountingEngine } from '../testing/counting-engine.ts';
import { startTestGateway, type TestGateway } from '../testing/gateway.ts';
import { createLiveText, type LiveText } from '../testing/live-text.ts';
import { lastEvent, openStream } from '../testing/open-stream.ts';
import { chatBody, chatPath, decodeOffer, paymentFor, post } from '../testing/payer.ts';

// The store is unavailable while a model writes (D-272).

type Operation = 'owe' | 'completeOwed';
/** `lost` works, and its response is lost. `away` does not work. */
type Fault = 'none' | 'lost' | 'away' | 'defect' | 'lease-lost';

let gateway: TestGateway;
let chat: string;
let model: LiveText;
const faults: Record<Operation, Fault> = { owe: 'none', completeOwed: 'none' };
const calls: Operation[] = [];
const paid = () => gateway.balanceOf(gateway.devnet.payTo);

async function failing(name: Operation, work: () => Promise<void>): Promise<void> {
  calls.push(name);
  const fault = faults[name];
  if (fault === 'defect') throw new Error('the test says so');
  if (fault === 'lease-lost') throw new LeaseLost('the test says so');
  if (fault !== 'away') await work();
  if (fault !== 'none') throw new StoreUnavailable('the test says so');
}

beforeAll(async () => {
  const wrapStore = (store: OpenStore): OpenStore => ({
    ...store,
    owe: (...parameters) => failing('owe', () => store.owe(...parameters)),
    completeOwed: (...parameters) => failing('completeOwed', () => store.completeOwed(...parameters)),
  });
  gateway = await startTestGateway({ settlementWaitMs: 1_000 }, undefined, { wrapStore });
  chat = `${gateway.url}${chatPath}`;
});
afterAll(() => gateway.stop());
beforeEach(() => {
  model = createLiveText();
  gateway.engine.streaming = model.stream;
  gateway.engine.answering = createCountingEngine().answering;
  gateway.engine.runs = 0;
  Object.assign(faults, { owe: 'none', completeOwed: 'none' });
  calls.length = 0;
});

async function buy() {
  const body = { ...chatBody, user: `purchase ${randomUUID()}` };
  const offer = decodeOffer(await post(chat, body));
  const payment = await paymentFor(offer, gateway.devnet.payer.privateKey);
  return { body, payment, price: BigInt(offer.maxAmountRequired), before: await paid() };
}

const tried = (name: Operation) => expect.poll(() => calls.filter((each) => each === name).length);
const openChat = ({ body, payment }: Awaited<ReturnType<typeof buy>>) => openStream(chat, body, payment);

describe('the response of the write that owes the payment is lost', () => {
  it('while the model writes: the write is repeated, and the stream begins', async () => {
    const bought = await buy();
    faults.owe = 'lost';
    const stream = openChat(bought);
    model.write('one');
    await tried('owe').toBeGreaterThan(1);
    faults.owe = 'none';
    const opened = await stream;
    model.end();
    expect((await opened.rest()).at(-1)).toBe(lastEvent);
    expect([opened.text(), gateway.engine.runs]).toEqual(['one', 1]);
    expect(await paid()).toBe(bought.before + bought.price);
  });

  it('until the model has ended: the completion is stored all the same, with one run and one charge', async () => {
    const bought = await buy();
    faults.owe = 'lost';
    model.write('one');
    model.end();
    const stream = openChat(bought);
    await tried('owe').toBeGreaterThan(2);
    faults.owe = 'none';
    const opened = await stream;
    await opened.rest();
    expect([opened.status, opened.text(), gateway.engine.runs]).toEqual([200, 'one', 1]);
    expect(await paid()).toBe(bought.before + bought.price);
  });

  it('until the model breaks: the payment is owed, and the same request runs the model again', async () => {
    const bought = await buy();
    faults.owe = 'lost';
    model.write('one');
    model.break();
    const opened = await openChat(bought);
    expect((await opened.rest()).at(-1)).toBe(lastEvent);
    expect([opened.status, opened.text(), gateway.engine.runs]).toEqual([200, 'pong', 2]);
    expect(await paid()).toBe(bought.before + bought.price);
  });

  it('for longer than a client waits: 503, and the same payment gets the completion of the first run', async () => {
    const bought = await buy();
    faults.owe = 'away';
    model.write('one');
    model.end();
    const pending = await post(chat, { ...bought.body, stream: true }, bought.payment);
    expect([pending.status, pending.body.error.code]).toEqual([503, 'settlement_pending']);
    faults.owe = 'none';
    const later = await expect.poll(() => post(chat, bought.body, bought.payment));
    await later.toMatchObject({ status: 200, body: { choices: [{ message: { content: 'one' } }] } });
    expect(gateway.engine.runs).toBe(1);
    expect(await paid()).toBe(bought.before + bought.price);
  });
});

describe('the payment cannot be owed', () => {
  it('and the model breaks: it is released, and nothing is charged', async () => {
    const bought = await buy();
    faults.owe = 'away';
    model.write('one');
    model.break();
    const failed = await post(chat, { ...bought.body, stream: true }, bought.payment);
    expect([failed.status, failed.body.error.code]).toEqual([503, 'unavailable']);
    expect(failed.body.error.message).toContain('Nothing was charged');
    expect(await paid()).toBe(bought.before);
    gateway.engine.streaming = null;
    expect((await post(chat, bought.body, bought.payment)).status).toBe(200);
  });

  it('because of a defect: the model is stopped, and the same payment works again', async () => {
    const bought = await buy();
    faults.owe = 'defect';
    model.write('one');
    const failed = await post(chat, { ...bought.body, stream: true }, bought.payment);
    expect([failed.status, failed.body.error.code]).toEqual([500, 'internal_error']);
    expect((await model.begun).aborted).toBe(true);
    expect(await paid()).toBe(bought.before);
    gateway.engine.streaming = null;
    const again = await expect.poll(() => post(chat, bought.body, bought.payment));
    await again.toMatchObject({ status: 200 });
    expect(await paid()).toBe(bought.before + bought.price);
  });

  it('because its lease ended: the model is stopped, and nothing is shown', async () => {
    const bought = await buy();
    faults.owe = 'lease-lost';
    model.write('secret');
    const failed = await post(chat, { ...bought.body, stream: true }, bought.payment);
    expect([failed.status, failed.body.error.code]).toEqual([503, 'settlement_pending']);
    expect(JSON.stringify(failed.body)).not.toContain('secret');
    expect((await model.begun).aborted).toBe(true);
    expect(await paid()).toBe(bought.before);
  });
});

describe('the write of the completion', () => {
  it('whose response is lost is repeated, before the stream ends', async () => {
    const bought = await buy();
    faults.completeOwed = 'lost';
    model.write('one');
    const opened = await openChat(bought);
    model.end();
    await tried('completeOwed').toBeGreaterThan(1);
    faults.completeOwed = 'none';
    expect((await opened.rest()).at(-1)).toBe(lastEvent);
    const whole = await post(chat, bought.body, bought.payment);
    expect(whole.body.choices[0].message.content).toBe('one');
    expect(gateway.engine.runs).toBe(1);
  });

  it('that takes longer than a client without a stream waits gets 503, and later the completion', async () => {
    const bought = await buy();
    faults.completeOwed = 'away';
    model.write('one');
    const opened = await openChat(bought);
    model.end();
    const pending = await post(chat, bought.body, bought.payment);
    expect([pending.status, pending.body.error.code]).toEqual([503, 'settlement_pending']);
    faults.completeOwed = 'none';
    expect((await opened.rest()).at(-1)).toBe(lastEvent);
    expect((await post(chat, bought.body, bought.payment)).status).toBe(200);
    expect(gateway.engine.runs).toBe(1);
  });

  it('that came too late cuts the stream, because another run makes the completion', async () => {
    const bought = await buy();
    faults.completeOwed = 'lease-lost';
    model.write('one');
    const opened = await openChat(bought);
    model.end();
    await expect(opened.rest()).rejects.toThrow();
    const pending = await post(chat, bought.body, bought.payment);
    expect([pending.status, pending.body.error.code]).toEqual([503, 'settlement_pending']);
    expect(await paid()).toBe(bought.before + bought.price);
  });
});
