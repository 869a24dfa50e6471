import { request as httpRequest } from 'node:http';
import { headerNames } from '@paid-inference/contract/constants';
import { paymentDomain, transferWithAuthorizationTypes } from '@paid-inference/contract/eip712';
import type { PaymentAuthorization, PaymentRequirements } from '@paid-inference/contract/types';
import { Signature, Wallet } from 'ethers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../testing/gateway.ts';
import {
  authorizationFor,
  chatBody,
  chatPath,
  decodeOffer,
  paymentFor,
  post,
  sign,
} from '../testing/payer.ts';

let gateway: TestGateway;
let chat: string;
let key: string;
let offer: PaymentRequirements;
let funds: bigint;

beforeAll(async () => {
  gateway = await startTestGateway();
  chat = `${gateway.url}${chatPath}`;
  key = gateway.devnet.payer.privateKey;
  offer = decodeOffer(await post(chat, chatBody));
  funds = await gateway.balanceOf(gateway.devnet.payer.address);
});
afterAll(async () => {
  // The requests above ran no inference and charged no payer.
  expect(gateway.engine.runs).toBe(2);
  expect(await gateway.balanceOf(gateway.devnet.payer.address)).toBe(
    funds - 2n * BigInt(offer.maxAmountRequired),
  );
  await gateway.stop();
});

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');
const payWith = (header: string) => post(chat, chatBody, { [headerNames.payment]: header });
const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
const order = 2n * halfOrder + 1n;

describe('§7: an invalid signature returns 401 invalid_signature (D-04)', () => {
  it.each<[name: string, change: (signature: Signature) => string]>([
    ['one bit flipped', ({ serialized }) => flipped(serialized)],
    ['64 bytes', ({ serialized }) => serialized.slice(0, -2)],
    ['66 bytes', ({ serialized }) => `${serialized}00`],
    ['nothing', () => '0x'],
    ['not hex', () => `0x${'zz'.repeat(65)}`],
    ['no 0x', ({ serialized }) => serialized.slice(2)],
    ['v of 29', ({ serialized }) => `${serialized.slice(0, -2)}1d`],
    ['the other v', ({ serialized, v }) => `${serialized.slice(0, -2)}${v === 27 ? '1c' : '1b'}`],
    ['r and s of zero', () => `0x${'00'.repeat(64)}1b`],
    ['high s, which the curve would accept', ({ r, s, v }) => highS(r, s, v)],
  ])('%s', async (_name, change) => {
    const authorization = authorizationFor(offer, new Wallet(key).address);
    const signature = change(Signature.from(await sign(key, offer, authorization)));
    const response = await payWith(base64({ payload: { signature, authorization } }));
    expect([response.status, response.body.error.code]).toEqual([401, 'invalid_signature']);
    expect(response.body.error.type).toBe('authentication_error');
    expect(response.headers.get(headerNames.shouldRetry)).toBe('false');
  });

  it.each<[name: string, domain: object]>([
    ['another chain', { chainId: 1 }],
    ['another token', { verifyingContract: `0x${'22'.repeat(20)}` }],
    ['another name', { name: 'Other Token' }],
    ['another version', { version: '2' }],
  ])('signed in the domain of %s', async (_name, change) => {
    const authorization = authorizationFor(offer, new Wallet(key).address);
    const domain = { ...paymentDomain(offer), ...change };
    const signature = await new Wallet(key).signTypedData(
      domain,
      transferWithAuthorizationTypes,
      authorization,
    );
    expect((await payWith(base64({ payload: { signature, authorization } }))).status).toBe(401);
  });

  it.each<[field: string, change: Partial<PaymentAuthorization>]>([
    ['from', { from: `0x${'44'.repeat(20)}` }],
    ['to', { to: `0x${'44'.repeat(20)}` }],
    ['value', { value: '1' }],
    ['validAfter', { validAfter: 1 }],
    ['validBefore', { validBefore: 2_000_000_000 }],
    ['nonce', { nonce: `0x${'55'.repeat(32)}` }],
  ])('%s edited after signing', async (_field, change) => {
    const authorization = authorizationFor(offer, new Wallet(key).address);
    const signature = await sign(key, offer, authorization);
    const edited = { ...authorization, ...change };
    expect((await payWith(base64({ payload: { signature, authorization: edited } }))).status).toBe(401);
  });
});

describe('D-03: a payment that does not match this request returns 402 with a fresh offer', () => {
  it.each<[name: string, header: (authorization: PaymentAuthorization, signature: string) => string]>([
    ['not base64', () => '*** not base64 ***'],
    ['base64 of text', () => Buffer.from('hello').toString('base64')],
    ['base64 of an array', () => base64([])],
    ['base64 of null', () => base64(null)],
    ['base64 of a number', () => base64(7)],
    ['an empty object', () => base64({})],
    ['no authorization', (_authorization, signature) => base64({ payload: { signature } })],
    ['no signature', (authorization) => base64({ payload: { authorization } })],
    ['a nonce of 31 bytes', (a, signature) => payload({ ...a, nonce: a.nonce.slice(0, -2) }, signature)],
    ['a value in hex', (a, signature) => payload({ ...a, value: '0x10' }, signature)],
    ['a value with a sign', (a, signature) => payload({ ...a, value: '-1' }, signature)],
    ['a value beyond uint256', (a, signature) => payload({ ...a, value: '9'.repeat(78) }, signature)],
    ['a value that is a number', (a, signature) => payload({ ...a, value: 1000 }, signature)],
    ['an address of 19 bytes', (a, signature) => payload({ ...a, to: '0x1234' }, signature)],
    ['a time that is a fraction', (a, signature) => payload({ ...a, validAfter: 1.5 }, signature)],
    ['a negative time', (a, signature) => payload({ ...a, validAfter: -1 }, signature)],
    ['a time beyond uint256', (a, signature) => payload({ ...a, validBefore: 1e300 }, signature)],
    ['x402Version 3', (a, s) => base64({ x402Version: 3, payload: { authorization: a, signature: s } })],
    ['another scheme', (a, s) => base64({ scheme: 'upto', payload: { authorization: a, signature: s } })],
    ['another network', (a, s) => base64({ network: 'base', payload: { authorization: a, signature: s } })],
    [
      'more than 8 KiB (D-14)',
      (a, s) => base64({ pad: 'x'.repeat(8_192), payload: { authorization: a, signature: s } }),
    ],
  ])('%s', async (_name, header) => {
    const authorization = authorizationFor(offer, new Wallet(key).address);
    await expectOffer(await payWith(header(authorization, await sign(key, offer, authorization))));
  });

  it.each<[name: string, reason: string, change: () => Partial<PaymentAuthorization>]>([
    ['another recipient', 'recipient_mismatch', () => ({ to: `0x${'44'.repeat(20)}` })],
    [
      'a unit less (D-17)',
      'authorization_value',
      () => ({ value: `${BigInt(offer.maxAmountRequired) - 1n}` }),
    ],
    [
      'a unit more (D-17)',
      'authorization_value',
      () => ({ value: `${BigInt(offer.maxAmountRequired) + 1n}` }),
    ],
    ['not valid yet (D-20)', 'valid_after', () => ({ validAfter: seconds() + 600 })],
    ['expired (D-20)', 'valid_before', () => ({ validBefore: seconds() - 1 })],
    [
      'a window too short for inference and settlement (D-20)',
      'valid_before',
      () => ({ validBefore: seconds() + 60 }),
    ],
    [
      'a time that a token could read as a block number (D-20)',
      'valid_before',
      () => ({ validBefore: 2 ** 47 }),
    ],
  ])('%s', async (_name, reason, change) => {
    const response = await post(chat, chatBody, await paymentFor(offer, key, change()));
    await expectOffer(response);
    expect(response.body.error).toMatch(new RegExp(`${reason}$`));
  });

  it('the price is computed from the paid body: a cheap offer never buys an expensive request (D-17)', async () => {
    const dear = { ...chatBody, max_tokens: 2_000 };
    const response = await post(chat, dear, await paymentFor(offer, key));
    await expectOffer(response);
    expect(BigInt(decodeOffer(response).maxAmountRequired)).toBeGreaterThan(BigInt(offer.maxAmountRequired));
  });

  it('two X-PAYMENT headers count as none, and so do two different payment headers', async () => {
    const [one, other] = await Promise.all([paymentFor(offer, key), paymentFor(offer, key)]);
    const [first, second] = [one[headerNames.payment] ?? '', other[headerNames.payment] ?? ''];
    expect(await postPayments([first, second])).toBe(402);
    const both = { [headerNames.payment]: first, [headerNames.paymentSignature]: second };
    await expectOffer(await post(chat, chatBody, both));
  });
});

describe('D-01, D-20: the payments of x402 clients are accepted', () => {
  it('v1: version, scheme, network and times as strings', async () => {
    const authorization = authorizationFor(offer, new Wallet(key).address);
    const signature = await sign(key, offer, authorization);
    const times = { validAfter: `${authorization.validAfter}`, validBefore: `${authorization.validBefore}` };
    const payment = { signature, authorization: { ...authorization, ...times } };
    const v1 = { x402Version: 1, scheme: 'exact', network: 'base-sepolia', payload: payment };
    const response = await payWith(base64(v1));
    expect(response.status).toBe(200);
  });

  it('v2: PAYMENT-SIGNATURE with the accepted option', async () => {
    const authorization = authorizationFor(offer, new Wallet(key).address);
    const signature = await sign(key, offer, authorization);
    const { scheme, network, asset, payTo, maxAmountRequired: amount } = offer;
    const accepted = { scheme, network, asset, payTo, amount };
    const v2 = { x402Version: 2, accepted, payload: { signature, authorization } };
    const response = await post(chat, chatBody, { [headerNames.paymentSignature]: base64(v2) });
    expect(response.status).toBe(200);
    expect(response.headers.get(headerNames.paymentResponseV2)).toBeTruthy();
    // A fresh authorization: the one above was used, and its completion is replayed (D-19).
    const unused = authorizationFor(offer, new Wallet(key).address);
    const payload = { signature: await sign(key, offer, unused), authorization: unused };
    const elsewhere = { x402Version: 2, accepted: { ...accepted, asset: `0x${'22'.repeat(20)}` }, payload };
    await expectOffer(await post(chat, chatBody, { [headerNames.paymentSignature]: base64(elsewhere) }));
  });
});

async function expectOffer(response: Awaited<ReturnType<typeof post>>): Promise<void> {
  expect(response.status).toBe(402);
  expect(decodeOffer(response).resource).toBe(chat);
  expect(response.body.x402Version).toBe(1);
  expect(typeof response.body.error).toBe('string');
}

function payload(authorization: object, signature: string): string {
  return base64({ payload: { signature, authorization } });
}

function flipped(signature: string): string {
  const bytes = Buffer.from(signature.slice(2), 'hex');
  bytes[5] = (bytes[5] ?? 0) ^ 1;
  return `0x${bytes.toString('hex')}`;
}

/** The second signature of the same signer: order − s with the other parity. */
function highS(r: string, s: string, v: number): string {
  const twin = (order - BigInt(s)).toString(16).padStart(64, '0');
  return `${r}${twin}${v === 27 ? '1c' : '1b'}`;
}

function seconds(): number {
  return Math.floor(Date.now() / 1000);
}

/** `fetch` joins repeated headers; this request sends them separately. */
function postPayments(payments: string[]): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json', [headerNames.payment]: payments };
    const sent = httpRequest(chat, { method: 'POST', headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject);
    sent.end(JSON.stringify(chatBody));
  });
}
