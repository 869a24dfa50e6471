import { headerNames } from '@paid-inference/contract/constants';
import { encodePaymentObject } from '@paid-inference/contract/headers';
import type { PaymentAuthorization } from '@paid-inference/contract/types';
import { AbiCoder, Wallet } from 'ethers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { walletSignatureBytesMax } from './chain/wallet-signature.ts';
import type { Config } from './config/schema.ts';
import type { RunningGateway } from './start/start.ts';
import { delegate, guardedTokenCode } from './testing/chain/guarded-token.ts';
import {
  deployTestWallet,
  setConduct,
  signatureOfWallet,
  type TestWallet,
} from './testing/chain/test-wallet.ts';
import { type CountingEngine, createCountingEngine } from './testing/counting-engine.ts';
import {
  authorizationFor,
  chatBody,
  chatPath,
  decodeOffer,
  decodeReceipt,
  paymentFor,
  post,
  sign,
} from './testing/payer.ts';
import { openStartedGateways, type StartedGateways } from './testing/started-gateways.ts';
import { atomicAmount } from './types/units.ts';

// Contract wallets buy from a whole gateway, on a token like FiatToken v2.2 (D-293, D-294).

let gateways: StartedGateways;
let engine: CountingEngine;
let gateway: RunningGateway;

beforeAll(async () => {
  gateways = await openStartedGateways(guardedTokenCode);
});
afterAll(() => gateways?.close());
beforeEach(async () => {
  engine = createCountingEngine();
  gateway = await start();
});
afterEach(() => gateway.stop());

async function start(more: Partial<Config> = {}): Promise<RunningGateway> {
  const started = await gateways.start({}, engine, 10_000, { contractWallets: true, ...more });
  if (!started.ok) throw new Error(started.fault.join('\n'));
  return started.value;
}

async function restart(more: Partial<Config>): Promise<void> {
  await gateway.stop();
  gateway = await start(more);
}

let asked = 0;
/** A request that no other test has sent. */
const freshBody = () => ({ ...chatBody, messages: [{ role: 'user', content: `question ${++asked}` }] });
const send = (body: object, headers: Record<string, string> = {}) =>
  post(`${gateway.url}${chatPath}`, body, headers);
const openWallet = () => deployTestWallet(gateways.rpc, gateways.devnet);

/** The payment of a wallet for a body, with a signature that a test may replace. */
async function signFor(
  body: object,
  { address, privateKey }: TestWallet,
  replace: (signature: string) => string = signatureOfWallet,
  change: Partial<PaymentAuthorization> = {},
): Promise<Record<string, string>> {
  const offer = decodeOffer(await send(body));
  const authorization = authorizationFor(offer, address, change);
  const signature = replace(await sign(privateKey, offer, authorization));
  return { [headerNames.payment]: encodePaymentObject({ payload: { signature, authorization } }) };
}

const deploymentSuffix = '6492'.repeat(16);
/** Wraps a signature with the data that deploys its wallet (ERC-6492). */
const wrap = (signature: string) =>
  `${AbiCoder.defaultAbiCoder().encode(['address', 'bytes', 'bytes'], [gateways.devnet.payTo, '0x1234', signatureOfWallet(signature)])}${deploymentSuffix}`;

describe('A contract wallet', () => {
  it.each([
    ['of its owner with more bytes', signatureOfWallet],
    ['of its owner alone', (signature: string) => signature],
    ['that is wrapped with the data of its deployment', wrap],
    [
      'of the greatest length',
      (signature: string) => signatureOfWallet(signature, walletSignatureBytesMax - 65),
    ],
  ] as const)('buys once with a signature %s, and a repetition is replayed', async (_form, replace) => {
    const wallet = await openWallet();
    const body = freshBody();
    const payment = await signFor(body, wallet, replace);
    const before = await gateways.balanceOf(wallet.address);
    const bought = await send(body, payment);
    expect(bought.status).toBe(200);
    expect(decodeReceipt(bought).payer).toBe(wallet.address);
    const price = before - (await gateways.balanceOf(wallet.address));
    expect(price).toBeGreaterThan(0n);
    const again = await send(body, payment);
    expect([again.status, again.body]).toEqual([200, bought.body]);
    expect(again.headers.get(headerNames.idempotentReplayed)).toBe('true');
    expect(before - (await gateways.balanceOf(wallet.address))).toBe(price);
    expect(engine.runs).toBe(1);
  });

  it('that sends one payment twice at the same time buys once', async () => {
    const wallet = await openWallet();
    const body = freshBody();
    const payment = await signFor(body, wallet);
    const responses = await Promise.all([send(body, payment), send(body, payment)]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    expect(engine.runs).toBe(1);
  });

  it('that signs again for a repeated request joins its purchase, and a forged signature does not (D-258)', async () => {
    const wallet = await openWallet();
    const body = freshBody();
    const bought = await send(body, await signFor(body, wallet));
    const before = await gateways.balanceOf(wallet.address);
    const retry = { 'x-stainless-retry-count': '1' };
    const forged = await signFor(body, wallet, () => `0x${'ab'.repeat(90)}`);
    expect((await send(body, { ...forged, ...retry })).status).toBe(401);
    const joined = await send(body, { ...(await signFor(body, wallet)), ...retry });
    expect([joined.status, joined.body]).toEqual([200, bought.body]);
    expect(await gateways.balanceOf(wallet.address)).toBe(before);
    expect(engine.runs).toBe(1);
  });

  it('that is a delegated account buys with its key, and with a signature that only its code accepts (EIP-7702)', async () => {
    const payer = await gateways.devnet.fundPayer();
    await delegate(gateways.rpc, gateways.devnet.chainId, payer, 'accepts');
    const ways = [(signature: string) => signature, () => `0x${'ab'.repeat(300)}`];
    for (const replace of ways) {
      const body = freshBody();
      expect((await send(body, await signFor(body, payer, replace))).status).toBe(200);
    }
  });

  it('keeps its completion after the operator has set contractWallets to false, and can buy no more', async () => {
    const wallet = await openWallet();
    const body = freshBody();
    const payment = await signFor(body, wallet);
    const bought = await send(body, payment);
    await restart({ contractWallets: false });
    const again = await send(body, payment);
    expect([again.status, again.body]).toEqual([200, bought.body]);
    const next = freshBody();
    expect((await send(next, await signFor(next, wallet))).body.error.code).toBe('invalid_signature');
  });
});

describe('A payment that no code accepts', () => {
  it.each([
    ['an account without code', () => Promise.resolve(keyOnly())],
    ['a wallet that rejects it', openWallet],
  ] as const)('of %s returns 401 invalid_signature, and runs no inference', async (_who, open) => {
    const payer = await open();
    for (const signature of ['0x', `0x${'ab'.repeat(65)}`, `0x${'ab'.repeat(walletSignatureBytesMax + 1)}`]) {
      const body = freshBody();
      const response = await send(body, await signFor(body, payer, () => signature));
      expect([response.status, response.body.error.code]).toEqual([401, 'invalid_signature']);
    }
    expect(engine.runs).toBe(0);
  });

  it('of a wallet that is not deployed returns 402 with an offer, and says what to do (D-294)', async () => {
    const body = freshBody();
    const response = await send(body, await signFor(body, keyOnly(), wrap));
    expect(response.status).toBe(402);
    expect(response.headers.get(headerNames.paymentRequired)).not.toBeNull();
    expect(JSON.stringify(response.body)).toMatch(/Deploy the wallet first/);
    expect(response.body.error).toBe('invalid_exact_evm_payload_undeployed_smart_wallet');
    expect(engine.runs).toBe(0);
  });

  it('counts as a refusal: at the limit the gateway asks no wallet, and a known payment is replayed (D-227)', async () => {
    await restart({ contractWallets: true, refusalRateLimit: { requestsMax: 2, windowSeconds: 600 } });
    const wallet = await openWallet();
    const body = freshBody();
    const payment = await signFor(body, wallet);
    expect((await send(body, payment)).status).toBe(200);
    const statuses: number[] = [];
    for (let each = 0; each < 3; each++)
      statuses.push((await send(body, await signFor(body, wallet, () => '0xab'))).status);
    expect(statuses).toEqual([401, 401, 429]);
    expect((await send(body, payment)).status).toBe(200);
  });
});

describe('A signature that a wallet accepts (D-340)', () => {
  const limited = { refusalRateLimit: { requestsMax: 2, windowSeconds: 600 } };
  /** Every signature is one of this account. */
  async function openPermissive(): Promise<TestWallet> {
    const payer = await gateways.devnet.fundPayer();
    await delegate(gateways.rpc, gateways.devnet.chainId, payer, 'accepts');
    return payer;
  }
  const anything = () => `0x${'ab'.repeat(80)}`;

  it.each<[terms: string, change: Partial<PaymentAuthorization>]>([
    ['the price of another request', { value: '1' }],
    ['another recipient', { to: `0x${'11'.repeat(20)}` }],
    ['a window that is over', { validBefore: 1 }],
  ])('with %s counts as a refusal, and at the limit the gateway asks no wallet', async (_terms, change) => {
    await restart(limited);
    const payer = await openPermissive();
    const statuses: number[] = [];
    for (let each = 0; each < 3; each++) {
      const body = freshBody();
      statuses.push((await send(body, await signFor(body, payer, anything, change))).status);
    }
    expect(statuses).toEqual([402, 402, 429]);
  });

  it('with the key of another request counts as a refusal', async () => {
    await restart(limited);
    const payer = await openPermissive();
    const statuses: number[] = [];
    for (let each = 0; each < 4; each++) {
      const body = freshBody();
      const key = { [headerNames.idempotencyKey]: 'one' };
      statuses.push((await send(body, { ...(await signFor(body, payer, anything)), ...key })).status);
    }
    expect(statuses).toEqual([200, 400, 400, 429]);
  });

  it('counts once for a payer without funds, and not at all for purchases', async () => {
    await restart(limited);
    const payer = await openPermissive();
    const poor = await gateways.devnet.fundPayer(atomicAmount(0n));
    await delegate(gateways.rpc, gateways.devnet.chainId, poor, 'accepts');
    const statuses: number[] = [];
    for (const by of [payer, payer, payer, poor, poor, poor]) {
      const body = freshBody();
      statuses.push((await send(body, await signFor(body, by, anything))).status);
    }
    expect(statuses).toEqual([200, 200, 200, 402, 402, 429]);
  });
});

describe('Hostile wallets', () => {
  it('among payers who sign by key cost these nothing: each is served and charged once', async () => {
    const { devnet, rpc } = gateways;
    const honest = await Promise.all(Array.from({ length: 6 }, () => devnet.fundPayer()));
    const conducts = [
      'burnsGas',
      'burnsGasInTransactions',
      'revertsInTransactions',
      'revertsWithMuchData',
      'takesEvenBlocks',
    ] as const;
    const hostile = await Promise.all(conducts.map(() => openWallet()));
    const bodies = [...honest, ...hostile].map(freshBody);
    const payments: Record<string, string>[] = [];
    for (const [index, { privateKey }] of honest.entries())
      payments.push(await paymentFor(decodeOffer(await send(bodies[index] ?? {})), privateKey));
    for (const [index, wallet] of hostile.entries())
      payments.push(await signFor(bodies[honest.length + index] ?? {}, wallet));
    for (const [index, conduct] of conducts.entries())
      await setConduct(rpc, hostile[index]?.address ?? devnet.payTo, conduct);
    const before = await gateways.balanceOf(devnet.payTo);
    const responses = await Promise.all(payments.map((payment, index) => send(bodies[index] ?? {}, payment)));
    const served = responses.filter(({ status }) => status === 200);
    expect(responses.slice(0, honest.length).map(({ status }) => status)).toEqual(Array(6).fill(200));
    // The gateway charged each response with a completion, and no other.
    const [price] = responses.slice(0, 1).map((each) => BigInt(decodeReceipt(each).amount ?? 0));
    expect((await gateways.balanceOf(devnet.payTo)) - before).toBe((price ?? 0n) * BigInt(served.length));
    for (const { status } of responses.slice(honest.length)) expect([200, 401, 402]).toContain(status);
  });
});

function keyOnly(): TestWallet {
  const { address, privateKey } = Wallet.createRandom();
  return { address: address.toLowerCase(), privateKey } as TestWallet;
}
