import {
  decodePaymentObject,
  decodePaymentReceipt,
  encodePaymentObject,
  encodePaymentReceipt,
} from '@paid-inference/contract/headers';
import type { PaymentAuthorization, PaymentPayload, SavedExchange } from '@paid-inference/contract/types';
import { concat, id, toBeHex, zeroPadValue } from 'ethers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mined } from '../testing/chain.ts';
import type { Enclave } from '../testing/enclave.ts';
import { type Scene, setScene } from '../testing/proven.ts';
import { highForm, withResponseHeader } from '../testing/tamper.ts';
import { verifyExchange } from './verify-exchange.ts';

let scene: Scene;
let enclave: Enclave;
let bought: SavedExchange;
let other: SavedExchange;

beforeAll(async () => {
  scene = await setScene();
  enclave = await scene.enclave();
  bought = await scene.exchange(enclave, 'private');
  other = await scene.exchange(enclave, 'private');
});
afterAll(() => scene[Symbol.asyncDispose]());

async function paid(exchange: SavedExchange, token?: string): Promise<string> {
  const { steps } = await scene.verify(exchange, token === undefined ? {} : { token });
  const step = steps.find((each) => each.step === 'payment');
  return `${step?.verdict}: ${step?.sentence}`;
}

function decodeReceipt({ response }: SavedExchange) {
  const decoded = decodePaymentReceipt(response.headers['x-payment-response'] ?? '');
  if (!decoded.ok) throw new Error(decoded.message);
  return decoded.value;
}

function withReceipt(exchange: SavedExchange, change: object): SavedExchange {
  return withResponseHeader(
    exchange,
    'x-payment-response',
    encodePaymentReceipt({ ...decodeReceipt(exchange), ...change }),
  );
}

function withPayment(
  exchange: SavedExchange,
  change: Partial<PaymentAuthorization>,
  signature = decodePayload(exchange).signature,
): SavedExchange {
  const { request } = exchange;
  const authorization = { ...decodeAuthorization(exchange), ...change };
  const payment = encodePaymentObject({ payload: { signature, authorization } });
  return { ...exchange, request: { ...request, headers: { ...request.headers, 'x-payment': payment } } };
}

function decodePayload({ request }: SavedExchange): PaymentPayload {
  const decoded = decodePaymentObject(request.headers['x-payment'] ?? '');
  if (!decoded.ok) throw new Error(decoded.message);
  return decoded.value.payload;
}

function decodeAuthorization(exchange: SavedExchange): PaymentAuthorization {
  return decodePayload(exchange).authorization;
}

describe('A payment', () => {
  test('is true when the chain shows the signed transfer', async () => {
    expect(await paid(bought)).toMatch(/^true: 1000 units of 0x.* went from 0x.* to 0x.*, as signed$/);
    expect(await paid(bought, scene.token)).toMatch(/^true/);
  });

  test('of another purchase is named by transaction or payer', async () => {
    const { txHash } = decodeReceipt(other);
    expect(await paid(withReceipt(bought, { txHash }))).toBe(
      `false: the transaction ${txHash} does not use this payment's nonce: the receipt belongs to another payment`,
    );
    const { payer } = decodeReceipt(other);
    expect(await paid(withReceipt(bought, { payer }))).toBe(
      `false: X-PAYMENT-RESPONSE names the payer ${payer}, not ${decodeReceipt(bought).payer}`,
    );
  });

  test.each([
    ['amount', { value: '999' }, /^false: the transaction 0x.* does not move 999 units to 0x/],
    [
      'recipient',
      { to: '0x1111111111111111111111111111111111111111' },
      /^false: .* does not move 1000 units to 0x1111/,
    ],
    ['nonce', { nonce: `0x${'ab'.repeat(32)}` }, /^false: .* does not use this payment's nonce/],
    [
      'window',
      { validBefore: 1_999_999_999 },
      /^false: 0x.* did not sign this payment: the signature or the/,
    ],
  ])('with another %s than the signed one is false', async (_, change, sentence) => {
    expect(await paid(withPayment(bought, change))).toMatch(sentence);
  });

  test('with a changed signature or value is false, and names the token unless it is pinned', async () => {
    const { signature } = decodePayload(other);
    const { from } = decodeAuthorization(bought);
    const blamed = `false: ${from} did not sign this payment: the signature or the signed values were changed`;
    for (const changed of [withPayment(bought, {}, signature), withPayment(bought, { validBefore: 1 })]) {
      expect(await paid(changed, scene.token)).toBe(blamed);
      expect(await paid(changed)).toBe(`${blamed}, or ${scene.token.toLowerCase()} is not the payment token`);
    }
  });

  test('with a signature form that the token rejects is false', async () => {
    const { signature } = decodePayload(bought);
    const forms = ['00', '01', '23', 'ff'].map((v) => signature.slice(0, -2) + v);
    for (const form of [...forms, highForm(signature)]) {
      expect(await paid(withPayment(bought, {}, form), scene.token)).toMatch(
        /^false: .* did not sign this payment/,
      );
    }
  });

  test('with an unknown or failed transaction is false', async () => {
    const txHash = `0x${'cd'.repeat(32)}`;
    expect(await paid(withReceipt(bought, { txHash }))).toBe(
      `false: the chain has no transaction ${txHash}: this payment was settled by ${decodeReceipt(bought).txHash}`,
    );
    const failed = await revertedTransaction();
    expect(await paid(withReceipt(bought, { txHash: failed }))).toBe(
      `false: the transaction ${failed} failed`,
    );
    expect(await paid(withReceipt(bought, { success: false }))).toBe(
      'false: X-PAYMENT-RESPONSE says that the settlement failed',
    );
  });

  test("in a contract that imitates the token's logs is false", async () => {
    const txHash = await forgedTransfer(decodeAuthorization(bought));
    expect(await paid(withReceipt(bought, { txHash }))).toMatch(
      /^false: 0x.* did not sign this payment: .* were changed, or 0x[0-9a-f]{40} is not the payment token$/,
    );
  });

  test('in another token than the pinned one is false', async () => {
    const token = '0x2222222222222222222222222222222222222222';
    expect(await paid(bought, token)).toMatch(
      new RegExp(`^false: .* moves units of ${scene.token.toLowerCase()}, not of`),
    );
  });

  test('is false when the node is on another chain', async () => {
    const { steps } = await scene.verify(bought, { chainRpcUrl: scene.ledgerChain.url });
    expect(steps.at(-1)).toMatchObject({
      verdict: 'false',
      sentence: 'the payment is on chain 84532, but the node is on chain 31740',
    });
  });

  test('without X-PAYMENT or receipt is false, even without a node', async () => {
    const without = async (name: string) => {
      const { request, response } = bought;
      const exchange = {
        ...bought,
        request: { ...request, headers: omit(request.headers, name) },
        response: { ...response, headers: omit(response.headers, name) },
      };
      const alone = await verifyExchange(exchange, { gatewayUrl: null });
      expect(`false: ${alone.steps.at(-1)?.sentence}`).toBe(await paid(exchange));
      return paid(exchange);
    };
    expect(await without('x-payment')).toBe(
      'false: the request has no X-PAYMENT, which every paid request has',
    );
    expect(await without('x-payment-response')).toBe(
      'false: the response has no X-PAYMENT-RESPONSE, which every paid response has',
    );
  });
});

function omit(headers: Readonly<Record<string, string>>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name));
}

/** A transaction that the token reverts. */
async function revertedTransaction(): Promise<string> {
  const account = await scene.paymentChain.account();
  const sent = await account.sendTransaction({
    to: scene.token,
    data: id('mint(address,uint256)').slice(0, 10),
    gasLimit: 100_000n,
  });
  await mined(sent).catch(() => undefined);
  return sent.hash;
}

/** Deploys code that only writes the logs of a token, which anybody can do. */
async function forgedTransfer({ from, to, value, nonce }: PaymentAuthorization): Promise<string> {
  const push = (word: string) => concat(['0x7f', word]);
  const word = (address: string) => zeroPadValue(address, 32);
  const log = (data: string, ...topics: string[]) =>
    concat([
      push(data),
      '0x5f52',
      ...topics.toReversed().map(push),
      '0x60205f',
      toBeHex(0xa0 + topics.length, 1),
    ]);
  const account = await scene.paymentChain.account();
  const data = concat([
    log(toBeHex(0, 32), id('AuthorizationUsed(address,bytes32)'), word(from), nonce),
    log(toBeHex(BigInt(value), 32), id('Transfer(address,address,uint256)'), word(from), word(to)),
  ]);
  const sent = await account.sendTransaction({ data });
  await mined(sent);
  return sent.hash;
}
