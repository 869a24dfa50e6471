import { headerNames } from '@paid-inference/contract/constants';
import {
  decodePaymentObject,
  decodeX402V2Offer,
  encodeX402V2Payment,
} from '@paid-inference/contract/headers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../testing/gateway.ts';
import { chatBody, chatPath, decodeOffer, decodeReceipt, paymentFor, post } from '../testing/payer.ts';

let gateway: TestGateway;
let chat: string;

beforeAll(async () => {
  gateway = await startTestGateway({ settlementWaitMs: 300 });
  chat = `${gateway.url}${chatPath}`;
});
afterAll(() => gateway.stop());
beforeEach(() => {
  gateway.engine.runs = 0;
});

describe('D-260: payment-identifier of x402 v2', () => {
  async function signV2(id: unknown): Promise<Record<string, string>> {
    const offer = decodeOffer(await post(chat, chatBody));
    const signed = await paymentFor(offer, gateway.devnet.payer.privateKey);
    const decoded = decodePaymentObject(signed[headerNames.payment] ?? '');
    if (!decoded.ok) throw new Error(decoded.message);
    const extensions = { 'payment-identifier': { info: { required: false, id } } };
    const { signature, authorization } = decoded.value.payload;
    const payload = { signature, authorization };
    return { [headerNames.paymentSignature]: encodeX402V2Payment({ x402Version: 2, payload, extensions }) };
  }
  const pay = async (id: unknown) => post(chat, chatBody, await signV2(id));

  it('is advertised in the v2 offer, and not required', async () => {
    const offer = decodeX402V2Offer((await post(chat, chatBody)).headers.get('PAYMENT-REQUIRED') ?? '');
    if (!offer.ok) throw new Error(offer.message);
    const { info, schema } = offer.value.extensions?.['payment-identifier'] ?? {};
    expect(info).toEqual({ required: false });
    expect(schema).toMatchObject({ properties: { id: { minLength: 16, maxLength: 128 } } });
  });

  it('joins the payment with the same id, also after its response, and not one with another id', async () => {
    const id = 'pay_0123456789ab';
    const paid = [await pay(id), await pay(id), await pay(`${id}-2`)];
    const [first, second, other] = paid.map((response) => decodeReceipt(response).txHash);
    expect(second).toBe(first);
    expect(other).not.toBe(first);
    expect(gateway.engine.runs).toBe(2);
  });

  it.each(['short', 'x'.repeat(129), 'with spaces in the id', 16])(
    'refuses the id %j with 400',
    async (id) => {
      const refused = await pay(id);
      expect(refused.status).toBe(400);
      expect(refused.body.error).toMatchObject({ code: 'invalid_request', param: 'PAYMENT-SIGNATURE' });
      expect(gateway.engine.runs).toBe(0);
    },
  );

  it.each([
    ['alone', {}, 'false'],
    ['beside an Idempotency-Key', { 'Idempotency-Key': 'a key' }, null],
  ] as const)(
    '%s decides whether an SDK may retry a pending settlement (D-26)',
    async (_, headers, expected) => {
      await gateway.rpc.call('evm_setAutomine', [false]);
      try {
        const signed = await signV2('pay_of_one_signature');
        const pending = await post(chat, chatBody, { ...signed, ...headers });
        expect([pending.status, pending.body.error.code]).toEqual([503, 'settlement_pending']);
        expect(pending.headers.get('x-should-retry')).toBe(expected);
      } finally {
        await gateway.rpc.call('evm_setAutomine', [true]);
        await gateway.rpc.call('evm_mine', []);
      }
    },
  );

  it('is not needed', async () => {
    expect((await pay(undefined)).status).toBe(200);
  });
});
