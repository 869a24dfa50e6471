import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { emptyWallet } from '../testing/chain/empty-wallet.ts';
import { sendAsThirdParty } from '../testing/chain/send-as-third-party.ts';
import { createCountingEngine, pong } from '../testing/counting-engine.ts';
import { startTestGateway, type TestGateway } from '../testing/gateway.ts';
import {
  chatBody,
  chatPath,
  decodeOffer,
  decodeReceipt,
  paymentFor,
  post,
  type ReceivedResponse,
} from '../testing/payer.ts';
import { manualClock, systemClock } from '../types/clock.ts';
import { ok } from '../types/result.ts';
import { type AtomicAmount, atomicAmount } from '../types/units.ts';

const clock = manualClock(systemClock.nowSeconds());
let gateway: TestGateway;
let chat: string;

beforeAll(async () => {
  const settings = { settlementWaitMs: 5_000, receiptPollMsMax: 50, acceptThirdPartySenders: true };
  gateway = await startTestGateway(settings, clock);
  chat = `${gateway.url}${chatPath}`;
});
afterAll(() => gateway.stop());
beforeEach(() => {
  gateway.engine.runs = 0;
  gateway.engine.answering = createCountingEngine().answering;
});

/** A payment whose payer transfers the whole balance away during the inference. */
async function refused(mode: Record<string, string> = {}) {
  const offer = decodeOffer(await post(chat, chatBody, mode));
  const price = atomicAmount(BigInt(offer.maxAmountRequired));
  const payer = await gateway.devnet.fundPayer(price);
  const sign = async () => {
    const validBefore = clock.nowSeconds() + offer.maxTimeoutSeconds;
    return { ...(await paymentFor(offer, payer.privateKey, { validBefore })), ...mode };
  };
  const header = await sign();
  gateway.engine.answering = async (task) => {
    await emptyWallet(gateway, payer.privateKey);
    return ok(pong(task));
  };
  expectInsufficient(await post(chat, chatBody, header));
  gateway.engine.answering = createCountingEngine().answering;
  const fill = (amount: AtomicAmount = price) => gateway.devnet.mintTo(payer.address, amount);
  const again = (body: object = chatBody) => post(chat, body, header);
  const payAnew = async () => post(chat, chatBody, await sign());
  return { header, payAnew, fill, again, price, balance: () => gateway.balanceOf(payer.address) };
}

function expectInsufficient(response: ReceivedResponse): void {
  expect([response.status, response.body.error?.code]).toEqual([402, 'insufficient_funds']);
  expect(JSON.stringify(response.body)).not.toContain('pong');
}

describe('D-63: a payment that the chain refused is still signed', () => {
  it.each(['batch', 'private'])(
    'refilled and sent again (%s), it buys the stored completion: one inference, one charge',
    async (type) => {
      const { fill, again, price, balance } = await refused({ 'X-SETTLEMENT-TYPE': type });
      expectInsufficient(await again());
      await fill(atomicAmount(3n * price));
      const responses = await Promise.all([again(), again()]);
      for (const response of responses) {
        expect(response.status).toBe(200);
        expect(response.body.choices[0].message.content).toBe('pong');
        expect(decodeReceipt(response).success).toBe(true);
      }
      expect(gateway.engine.runs).toBe(1);
      expect(await balance()).toBe(2n * price);
    },
  );

  it('its payer is blocked until it is paid, and served again afterwards', async () => {
    const { fill, again, price, payAnew } = await refused();
    await fill(atomicAmount(2n * price));
    expectInsufficient(await payAnew());
    expect((await again()).status).toBe(200);
    expect((await payAnew()).status).toBe(200);
    expect(gateway.engine.runs).toBe(2);
  });

  it('it may still be paid when its window is too short for a new request', async () => {
    const { fill, again } = await refused();
    await fill();
    clock.advance(250);
    expect((await again()).status).toBe(200);
    expect(gateway.engine.runs).toBe(1);
  });

  it('sent by a third party, it buys its completion if the operator accepts third-party senders (D-138)', async () => {
    const { header, fill, again, price, balance } = await refused();
    await fill(atomicAmount(2n * price));
    const txHash = await sendAsThirdParty(gateway, header);
    const response = await again();
    expect(response.status).toBe(200);
    expect(decodeReceipt(response)).toMatchObject({ success: true, txHash });
    expect(await balance()).toBe(price);
    expect((await again()).body).toEqual(response.body);
    expect(gateway.engine.runs).toBe(1);
  });

  it('it never pays for another request, with or without a balance', async () => {
    const { fill, again } = await refused();
    await fill();
    const other = await again({ ...chatBody, messages: [{ role: 'user', content: 'pong' }] });
    expect([other.status, other.body.error]).toEqual([402, 'invalid_exact_evm_nonce_already_used']);
  });
});
