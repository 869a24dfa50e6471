import { headerNames } from '@paid-inference/contract/constants';
import type { PaymentRequirements } from '@paid-inference/contract/types';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { emptyWallet } from './testing/chain/empty-wallet.ts';
import {
  type FacilitatorFixture,
  impatient,
  openFacilitatorFixture,
  readOutcome,
  signedPayment,
} from './testing/facilitator/facilitator-gateway.ts';
import type { FacilitatorConduct } from './testing/facilitator/fake-facilitator.ts';
import { chatBody, decodeOffer, decodeReceipt, paymentFor, post } from './testing/payer.ts';
import { shareTestServer } from './testing/store/postgres-server.ts';
import { atomicAmount } from './types/units.ts';

// The whole gateway with a facilitator and without a relayer key (D-55 to D-58).

let fixture: FacilitatorFixture;

beforeAll(async () => {
  fixture = await openFacilitatorFixture();
});
afterAll(() => fixture?.stop());
beforeEach(() => fixture.begin());
afterEach(() => fixture.end());

const payerHas = () => fixture.balanceOf(fixture.devnet.payer.address);
const merchantHas = () => fixture.balanceOf(fixture.devnet.payTo);
const signed = (chat: string) => signedPayment(chat, fixture.devnet.payer.privateKey);

/** Repeats the request with the same payment until the response is 200. */
async function repeatUntilPaid(chat: string, header: Record<string, string>): Promise<void> {
  const again = expect.poll(() => post(chat, chatBody, header), { interval: 100 });
  await again.toMatchObject({ status: 200, body: { object: 'chat.completion' } });
}

describe('With FACILITATOR_URL and no relayer key', () => {
  it.each([1, 2] as const)(
    'sells a completion, and the facilitator sends the transfer of the receipt: x402 version %i',
    async (version) => {
      fixture.facilitator.speaks = [version];
      const gateway = await fixture.start();
      const { price, header } = await signed(gateway.chat);
      const before = await merchantHas();
      const response = await post(gateway.chat, chatBody, header);
      expect(response.status).toBe(200);
      expect(response.body.choices[0].message.content).toBe('pong');
      expect((await merchantHas()) - before).toBe(price);
      const sent = await fixture.rpc.call<{ from: string }>('eth_getTransactionByHash', [
        decodeReceipt(response).txHash,
      ]);
      expect(sent).toMatchObject({ ok: true, value: { from: fixture.facilitator.address } });
      expect(fixture.facilitator.asked.map(({ path }) => path)).toEqual(['supported', 'verify', 'settle']);
      expect(fixture.facilitator.asked.at(-1)?.body?.x402Version).toBe(version);
    },
  );

  it('fifty requests with one authorization cause one verification, one inference and one settlement', async () => {
    const gateway = await fixture.start();
    const { price, header } = await signed(gateway.chat);
    const before = await merchantHas();
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => post(gateway.chat, chatBody, header)),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array(50).fill(200));
    expect([fixture.asked('verify'), fixture.engine.runs, fixture.asked('settle')]).toEqual([1, 1, 1]);
    expect((await merchantHas()) - before).toBe(price);
  });

  it('a dozen concurrent payments settle once each', async () => {
    const gateway = await fixture.start();
    const { offer, price } = await signed(gateway.chat);
    const headers = await signKeyed(offer, 12);
    const before = await merchantHas();
    // A request whose wait ended early is repeated until it gets its completion.
    await Promise.all(headers.map((header) => repeatUntilPaid(gateway.chat, header)));
    expect((await merchantHas()) - before).toBe(price * 12n);
    expect(fixture.engine.runs).toBe(12);
    expect(fixture.facilitator.sent).toHaveLength(12);
  });
});

describe('Before the inference the gateway asks the facilitator (D-56)', () => {
  it('a refusal returns 402 with its reason and a fresh offer; nothing runs, and nothing stays reserved', async () => {
    const gateway = await fixture.start();
    const { header } = await signed(gateway.chat);
    const reason = 'invalid_exact_evm_payload_authorization_from_address_kyt';
    for (const status of [200, 400]) {
      fixture.facilitator.refusal = { status, reason };
      fixture.on('verify', 'refuses');
      const refused = await post(gateway.chat, chatBody, header);
      expect(readOutcome(refused)).toEqual([402, reason]);
      expect(decodeOffer(refused).resource).toBe(gateway.chat);
    }
    expect([fixture.engine.runs, fixture.asked('settle')]).toEqual([0, 0]);
    // The reservation was released: the same payment still buys the completion, and the balance is free.
    fixture.facilitator.conduct = () => 'sound';
    expect((await post(gateway.chat, chatBody, header)).status).toBe(200);
  });

  it('a low balance returns insufficient_funds, as if the gateway had found it', async () => {
    const gateway = await fixture.start();
    const { header } = await signed(gateway.chat);
    fixture.facilitator.refusal = { status: 200, reason: 'insufficient_funds' };
    fixture.on('verify', 'refuses');
    const refused = await post(gateway.chat, chatBody, header);
    expect(readOutcome(refused)).toEqual([402, 'insufficient_funds']);
    expect(refused.body.error.type).toBe('payment_error');
    expect(decodeOffer(refused).resource).toBe(gateway.chat);
    expect(fixture.engine.runs).toBe(0);
  });

  it.each<FacilitatorConduct>(['hangs', 'fails', 'babbles'])(
    'a facilitator that %s: 503 with Retry-After and no offer; nothing runs, nothing is charged',
    async (conduct) => {
      const gateway = await fixture.start();
      const { header } = await signed(gateway.chat);
      const before = await payerHas();
      fixture.on('verify', conduct);
      const unavailable = await post(gateway.chat, chatBody, header);
      expect(readOutcome(unavailable)).toEqual([503, 'unavailable']);
      expect(unavailable.headers.get('Retry-After')).toBe('1');
      expect(unavailable.headers.get('X-PAYMENT-REQUIRED')).toBeNull();
      expect([fixture.engine.runs, fixture.asked('settle')]).toEqual([0, 0]);
      expect(await payerHas()).toBe(before);
      fixture.facilitator.conduct = () => 'sound';
      expect((await post(gateway.chat, chatBody, header)).status).toBe(200);
    },
  );
});

describe('After the inference only the chain decides (D-55)', () => {
  it.each<FacilitatorConduct>(['hangs', 'fails', 'babbles', 'lies'])(
    'a facilitator that %s: 503 settlement_pending without completion and offer, the completion later, one charge',
    async (conduct) => {
      const gateway = await fixture.start({}, impatient);
      const { price, header } = await signed(gateway.chat);
      const before = await payerHas();
      fixture.on('settle', conduct);
      const pending = await post(gateway.chat, chatBody, header);
      expect(readOutcome(pending)).toEqual([503, 'settlement_pending']);
      expect(pending.headers.get('X-PAYMENT-REQUIRED')).toBeNull();
      expect(JSON.stringify(pending.body)).not.toContain('pong');
      expect(await payerHas()).toBe(before);
      fixture.facilitator.conduct = () => 'sound';
      await repeatUntilPaid(gateway.chat, header);
      expect(fixture.engine.runs).toBe(1);
      expect(await payerHas()).toBe(before - price);
    },
  );

  it.each<FacilitatorConduct>(['settles-and-denies', 'settles-and-fails', 'settles-and-hangs'])(
    'a facilitator that %s: 200 with the receipt of its transfer, one charge',
    async (conduct) => {
      // A transfer counts as the facilitator's only after its response is lost (D-138), so the deadline is
      // short.
      const gateway = await fixture.start({}, { settlementWaitMs: 15_000, settleTimeoutMs: 1_000 });
      const { price, header } = await signed(gateway.chat);
      const before = await payerHas();
      fixture.on('settle', conduct);
      const response = await post(gateway.chat, chatBody, header);
      expect(response.status).toBe(200);
      expect(decodeReceipt(response).txHash).toBe(fixture.facilitator.sent[0]);
      expect(await payerHas()).toBe(before - price);
      expect(fixture.facilitator.sent).toHaveLength(1);
    },
  );

  it('a facilitator that always refuses: 402 with a fresh offer, no completion, no charge', async () => {
    const gateway = await fixture.start();
    const { header } = await signed(gateway.chat);
    const before = await payerHas();
    fixture.on('settle', 'refuses');
    const ask = () => post(gateway.chat, chatBody, header);
    await expect.poll(async () => readOutcome(await ask())).toEqual([402, 'invalid_transaction_state']);
    expect(fixture.asked('settle')).toBe(6);
    const refused = await ask();
    expect(decodeOffer(refused).resource).toBe(gateway.chat);
    expect(JSON.stringify(refused.body)).not.toContain('pong');
    expect(fixture.engine.runs).toBe(1);
    expect(await payerHas()).toBe(before);
  });

  it('a payer who empties the wallet meanwhile: 402 insufficient_funds, no completion', async () => {
    const gateway = await fixture.start();
    const { price } = await signed(gateway.chat);
    const payer = await fixture.devnet.fundPayer(atomicAmount(price));
    const { header } = await signedPayment(gateway.chat, payer.privateKey);
    const { answering } = fixture.engine;
    fixture.engine.answering = async (task, limits) => {
      await emptyWallet(fixture, payer.privateKey);
      return answering(task, limits);
    };
    const response = await post(gateway.chat, chatBody, header);
    expect(readOutcome(response)).toEqual([402, 'insufficient_funds']);
    expect(JSON.stringify(response.body)).not.toContain('pong');
  });

  it('an inference that was not settled before a stop is settled once by the next gateway', async () => {
    const first = await fixture.start({}, impatient);
    const { price, header } = await signed(first.chat);
    const before = await payerHas();
    fixture.on('settle', 'hangs');
    expect((await post(first.chat, chatBody, header)).status).toBe(503);
    await first.stop();
    fixture.facilitator.conduct = () => 'sound';
    // The payment settles from the store, without another request.
    const second = await fixture.start();
    await expect.poll(() => payerHas()).toBe(before - price);
    const replayed = await post(second.chat, chatBody, header);
    expect(replayed.status).toBe(200);
    expect(replayed.headers.get('Idempotent-Replayed')).toBe('true');
    expect(fixture.engine.runs).toBe(1);
    expect(fixture.facilitator.sent).toHaveLength(1);
  });
});

/** Signs payments for equal requests. Another key is another purchase (D-258). */
function signKeyed(offer: PaymentRequirements, count: number): Promise<Record<string, string>[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => ({
      ...(await paymentFor(offer, fixture.devnet.payer.privateKey)),
      [headerNames.idempotencyKey]: `${index}`,
    })),
  );
}

it('Two gateways on one store settle each payment through the facilitator once', async () => {
  const server = await shareTestServer();
  try {
    const shared = {
      DATABASE_URL: await server.createDatabase(),
      COMPLETION_KEY: `0x${'ab'.repeat(32)}`,
      PUBLIC_BASE_URL: 'https://gateway.example',
    };
    const [one, other] = await Promise.all([fixture.start(shared), fixture.start(shared)]);
    const { offer, price } = await signed(one.chat);
    const before = await merchantHas();
    const headers = await signKeyed(offer, 6);
    // Sends each of the six payments to both gateways.
    await Promise.all(
      headers.flatMap((header) => [one, other].map(({ chat }) => repeatUntilPaid(chat, header))),
    );
    expect((await merchantHas()) - before).toBe(price * 6n);
    expect(fixture.engine.runs).toBe(6);
    expect(fixture.asked('settle')).toBe(6);
    await Promise.all([one.stop(), other.stop()]);
  } finally {
    await server.remove();
  }
}, 60_000);
