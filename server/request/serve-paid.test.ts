import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { tracePayment } from '../chain/token-logs.ts';
import { emptyWallet } from '../testing/chain/empty-wallet.ts';
import { createCountingEngine, pong } from '../testing/counting-engine.ts';
import { startTestGateway, type TestGateway } from '../testing/gateway.ts';
import {
  chatBody,
  chatPath,
  decodeOffer,
  decodeReceipt,
  paymentFor,
  post,
  textPath,
} from '../testing/payer.ts';
import { manualClock, systemClock } from '../types/clock.ts';
import { fail, ok } from '../types/result.ts';
import { atomicAmount, type Bytes32 } from '../types/units.ts';

let gateway: TestGateway;
let chat: string;

beforeAll(async () => {
  gateway = await startTestGateway({ settlementWaitMs: 5_000, inferenceTimeoutMs: 5_000 });
  chat = `${gateway.url}${chatPath}`;
});
afterAll(() => gateway.stop());
beforeEach(() => {
  gateway.engine.runs = 0;
  gateway.engine.answering = createCountingEngine().answering;
});

describe('§3 unpaid: 402 with the offer in X-PAYMENT-REQUIRED', () => {
  it('the offer names this endpoint, this token, and a price for x402 v1 and v2 clients (D-01, D-254)', async () => {
    gateway.engine.prepared = 0;
    const response = await post(chat, chatBody);
    expect(response.status).toBe(402);
    const { token, payTo } = gateway.devnet;
    const extra = { name: token.name, version: '1' };
    expect(decodeOffer(response)).toMatchObject({ resource: chat, asset: token.address, payTo, extra });
    expect(response.body).toMatchObject({ x402Version: 1, accepts: [{ network: 'base-sepolia' }] });
    expect(response.headers.get('PAYMENT-REQUIRED')).toBeTruthy();
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    expect([gateway.engine.runs, gateway.engine.prepared]).toEqual([0, 1]);
  });

  it('the same body always costs the same, and a larger one costs more (D-16)', async () => {
    const price = async (max_tokens: number) =>
      BigInt(decodeOffer(await post(chat, { ...chatBody, max_tokens })).maxAmountRequired);
    expect(await price(1_000)).toBe(await price(1_000));
    expect(await price(2_000)).toBeGreaterThan(await price(1_000));
  });
});

describe('§3 paid: 200 with the completion and the receipt of the settlement', () => {
  it('moves exactly the price from the payer to the recipient, in the transaction of the receipt', async () => {
    const { payer, payTo, token } = gateway.devnet;
    const offer = decodeOffer(await post(chat, chatBody));
    const header = await paymentFor(offer, payer.privateKey, { nonce: `0x${'a1'.repeat(32)}` });
    const before = [await gateway.balanceOf(payer.address), await gateway.balanceOf(payTo)];
    const response = await post(chat, chatBody, header);
    const price = BigInt(offer.maxAmountRequired);
    expect(response.status).toBe(200);
    expect(response.body.choices[0].message).toEqual({ role: 'assistant', content: 'pong' });
    expect(await gateway.balanceOf(payer.address)).toBe((before[0] ?? 0n) - price);
    expect(await gateway.balanceOf(payTo)).toBe((before[1] ?? 0n) + price);
    const receipt = decodeReceipt(response);
    expect(receipt).toMatchObject({
      success: true,
      chainId: 84_532,
      payer: payer.address,
      amount: `${price}`,
    });
    const mined = await gateway.rpc.call<{ logs: [] }>('eth_getTransactionReceipt', [receipt.txHash]);
    if (!mined.ok) throw new Error(mined.fault.message);
    const expected = { asset: token.address, from: payer.address, to: payTo, value: atomicAmount(price) };
    expect(tracePayment(mined.value.logs, { ...expected, nonce: `0x${'a1'.repeat(32)}` as Bytes32 })).toBe(
      'paid',
    );
  });

  it('sells text completions in the same way (§4.2)', async () => {
    const body = { model: 'alder/alder-mini', prompt: 'Once' };
    const offer = decodeOffer(await post(`${gateway.url}${textPath}`, body));
    expect(offer.resource).toBe(`${gateway.url}${textPath}`);
    const header = await paymentFor(offer, gateway.devnet.payer.privateKey);
    const response = await post(`${gateway.url}${textPath}`, body, header);
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({ object: 'text_completion', choices: [{ index: 0, text: 'pong' }] });
    expect(decodeReceipt(response).success).toBe(true);
  });

  it.each(['private', 'individual', 'batch'])('accepts X-SETTLEMENT-TYPE: %s (§4.3)', async (mode) => {
    const modeHeader = { 'X-SETTLEMENT-TYPE': mode };
    const offer = decodeOffer(await post(chat, chatBody, modeHeader));
    const header = await paymentFor(offer, gateway.devnet.payer.privateKey);
    expect((await post(chat, chatBody, { ...header, ...modeHeader })).status).toBe(200);
  });

  it('returns 400 for another settlement type before any charge (D-15)', async () => {
    const response = await post(chat, chatBody, { 'X-SETTLEMENT-TYPE': 'public' });
    expect(response.status).toBe(400);
    expect(response.body.error).toMatchObject({ code: 'invalid_request', param: 'X-SETTLEMENT-TYPE' });
  });
});

describe('D-18, D-19: one authorization, one inference, one settlement', () => {
  it('50 concurrent requests with one authorization run once, settle once, and get the same response', async () => {
    const { payer } = gateway.devnet;
    const offer = decodeOffer(await post(chat, chatBody));
    const header = await paymentFor(offer, payer.privateKey);
    const before = await gateway.balanceOf(payer.address);
    const responses = await Promise.all(Array.from({ length: 50 }, () => post(chat, chatBody, header)));
    expect(responses.map((response) => response.status)).toEqual(Array(50).fill(200));
    expect(new Set(responses.map((response) => JSON.stringify(response.body))).size).toBe(1);
    expect(new Set(responses.map((response) => decodeReceipt(response).txHash)).size).toBe(1);
    expect(gateway.engine.runs).toBe(1);
    expect(await gateway.balanceOf(payer.address)).toBe(before - BigInt(offer.maxAmountRequired));
    const first = responses.filter((response) => response.headers.get('Idempotent-Replayed') === null);
    expect(first).toHaveLength(1);
  });

  it('replays the stored completion later, also with another key order in the body', async () => {
    const header = await paymentFor(decodeOffer(await post(chat, chatBody)), gateway.devnet.payer.privateKey);
    const first = await post(chat, chatBody, header);
    const reordered = Object.fromEntries(Object.entries(chatBody).reverse());
    const second = await post(chat, reordered, header);
    expect(second.status).toBe(200);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('Idempotent-Replayed')).toBe('true');
    expect(gateway.engine.runs).toBe(1);
  });

  it('an authorization never pays for another request: 402 with a fresh offer', async () => {
    const header = await paymentFor(decodeOffer(await post(chat, chatBody)), gateway.devnet.payer.privateKey);
    await post(chat, chatBody, header);
    const other = await post(chat, { ...chatBody, messages: [{ role: 'user', content: 'pong' }] }, header);
    expect(other.status).toBe(402);
    expect(other.body.error).toBe('invalid_exact_evm_nonce_already_used');
    expect(gateway.engine.runs).toBe(1);
  });
});

describe('D-19, D-24: a purchase outlives its window and its price', () => {
  it('a settled payment is replayed after its window, and never gets a new offer', async () => {
    const clock = manualClock(systemClock.nowSeconds());
    const aging = await startTestGateway({}, clock);
    try {
      const url = `${aging.url}${chatPath}`;
      const header = await paymentFor(decodeOffer(await post(url, chatBody)), aging.devnet.payer.privateKey);
      const first = await post(url, chatBody, header);
      expect(first.status).toBe(200);
      clock.advance(3_600);
      const late = await post(url, chatBody, header);
      expect(late.status).toBe(200);
      expect(late.body).toEqual(first.body);
      const other = await post(url, { ...chatBody, max_tokens: 17 }, header);
      expect(other.status).toBe(402);
      expect(aging.engine.runs).toBe(1);
    } finally {
      await aging.stop();
    }
  });
});

describe('D-21: several payments, one balance', () => {
  it('returns insufficient_funds with a fresh offer to a payer without tokens, and runs nothing (§3, D-02)', async () => {
    const payer = await gateway.devnet.fundPayer(atomicAmount(0n));
    const header = await paymentFor(decodeOffer(await post(chat, chatBody)), payer.privateKey);
    const response = await post(chat, chatBody, header);
    expect(response.status).toBe(402);
    expect(response.body.error).toMatchObject({ type: 'payment_error', code: 'insufficient_funds' });
    expect(decodeOffer(response).resource).toBe(chat);
    expect(gateway.engine.runs).toBe(0);
  });

  it('of ten concurrent authorizations, a balance for three pays for three', async () => {
    const offer = decodeOffer(await post(chat, chatBody));
    const payer = await gateway.devnet.fundPayer(atomicAmount(3n * BigInt(offer.maxAmountRequired)));
    const headers = await Promise.all(Array.from({ length: 10 }, () => paymentFor(offer, payer.privateKey)));
    // The engine waits for all ten, so that no refusal comes from a balance that was already spent.
    const judged = Promise.withResolvers<void>();
    gateway.engine.answering = async (task) => {
      await judged.promise;
      return ok(pong(task));
    };
    // Ten different requests: equal ones would join the first (D-258).
    const responses = headers.map((header, at) => post(chat, { ...chatBody, user: `${at}` }, header));
    let refused = 0;
    for (const response of responses) {
      void response.then(({ status }) => {
        if (status === 402 && ++refused === 7) judged.resolve();
      });
    }
    const statuses = (await Promise.all(responses)).map((response) => response.status).sort();
    expect(statuses).toEqual([200, 200, 200, ...Array(7).fill(402)]);
    expect(await gateway.balanceOf(payer.address)).toBe(0n);
    expect(gateway.engine.runs).toBe(3);
  });
});

describe('D-22: no completion, no charge', () => {
  it.each([
    ['failed', 502, 'upstream_error'],
    ['timeout', 504, 'upstream_timeout'],
    ['overloaded', 503, 'overloaded'],
  ] as const)(
    'an engine that %s returns %i %s; then the same payment buys the completion',
    async (kind, status, code) => {
      const { payer } = gateway.devnet;
      const header = await paymentFor(decodeOffer(await post(chat, chatBody)), payer.privateKey);
      const before = await gateway.balanceOf(payer.address);
      gateway.engine.answering = () => Promise.resolve(fail({ kind, detail: 'the test says so' }));
      const failed = await post(chat, chatBody, header);
      expect([failed.status, failed.body.error.code]).toEqual([status, code]);
      expect(JSON.stringify(failed.body)).not.toContain('the test says so');
      expect(await gateway.balanceOf(payer.address)).toBe(before);
      gateway.engine.answering = createCountingEngine().answering;
      expect((await post(chat, chatBody, header)).status).toBe(200);
    },
  );

  it('an engine that throws returns 500 without details, and nothing stays reserved', async () => {
    const header = await paymentFor(decodeOffer(await post(chat, chatBody)), gateway.devnet.payer.privateKey);
    gateway.engine.answering = () => Promise.reject(new Error('secret detail'));
    const failed = await post(chat, chatBody, header);
    expect([failed.status, failed.body.error.code]).toEqual([500, 'internal_error']);
    expect(JSON.stringify(failed.body)).not.toContain('secret');
    gateway.engine.answering = createCountingEngine().answering;
    expect((await post(chat, chatBody, header)).status).toBe(200);
  });

  it('a client that leaves cancels the inference and is not charged', async () => {
    const { payer } = gateway.devnet;
    const header = await paymentFor(decodeOffer(await post(chat, chatBody)), payer.privateKey);
    const before = await gateway.balanceOf(payer.address);
    const started = Promise.withResolvers<void>();
    const cancelled = Promise.withResolvers<void>();
    gateway.engine.answering = (_task, { signal }) =>
      new Promise((resolve) => {
        started.resolve();
        signal.addEventListener('abort', () => {
          cancelled.resolve();
          resolve(fail({ kind: 'cancelled', detail: 'the client left' }));
        });
      });
    const client = new AbortController();
    const request = post(chat, chatBody, header, client.signal).catch(() => 'left');
    await started.promise;
    client.abort();
    expect(await request).toBe('left');
    await cancelled.promise;
    gateway.engine.answering = createCountingEngine().answering;
    expect(await gateway.balanceOf(payer.address)).toBe(before);
    expect((await post(chat, chatBody, header)).status).toBe(200);
  });
});

describe('D-23, D-24: the result of the chain after inference', () => {
  it('a payer who empties the wallet meanwhile gets a fresh offer and no completion', async () => {
    const offer = decodeOffer(await post(chat, chatBody));
    const payer = await gateway.devnet.fundPayer(atomicAmount(BigInt(offer.maxAmountRequired)));
    const header = await paymentFor(offer, payer.privateKey);
    gateway.engine.answering = async (task) => {
      await emptyWallet(gateway, payer.privateKey);
      return ok(pong(task));
    };
    const response = await post(chat, chatBody, header);
    expect(response.status).toBe(402);
    expect(response.body.error.code).toBe('insufficient_funds');
    expect(JSON.stringify(response.body)).not.toContain('pong');
    expect(gateway.engine.runs).toBe(1);
  });

  it('a settlement that is not mined in time returns 503 settlement_pending; the same payment gets the completion later', async () => {
    const patient = await startTestGateway({ settlementWaitMs: 200 });
    try {
      const url = `${patient.url}${chatPath}`;
      const offer = decodeOffer(await post(url, chatBody));
      const header = await paymentFor(offer, patient.devnet.payer.privateKey);
      const before = await patient.balanceOf(patient.devnet.payer.address);
      await patient.rpc.call('evm_setAutomine', [false]);
      const pending = await post(url, chatBody, header);
      expect([pending.status, pending.body.error.code]).toEqual([503, 'settlement_pending']);
      expect(pending.headers.get('Retry-After')).toBe('1');
      expect(pending.headers.get('X-PAYMENT-REQUIRED')).toBeNull();
      expect(JSON.stringify(pending.body)).not.toContain('pong');
      await patient.rpc.call('evm_setAutomine', [true]);
      await patient.rpc.call('evm_mine', []);
      await expect.poll(() => patient.balanceOf(patient.devnet.payer.address)).toBeLessThan(before);
      const settled = { status: 200, body: { object: 'chat.completion' } };
      await expect.poll(() => post(url, chatBody, header)).toMatchObject(settled);
      expect(patient.engine.runs).toBe(1);
      const price = BigInt(offer.maxAmountRequired);
      expect(await patient.balanceOf(patient.devnet.payer.address)).toBe(before - price);
    } finally {
      await patient.stop();
    }
  });
});
