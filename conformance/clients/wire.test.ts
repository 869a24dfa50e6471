import { Wallet } from 'ethers';
import { expect, it } from 'vitest';
import { fields } from '../payment/sign.ts';
import { encodeBase64Json } from '../wire/base64-json.ts';
import { identify, isSignedFor, readPayment, readPayments } from './wire.ts';

const wallet = Wallet.createRandom();
const offer = {
  scheme: 'exact',
  network: 'eip155:84532',
  maxAmountRequired: 5n,
  resource: 'http://127.0.0.1/v1/chat/completions',
  payTo: `0x${'Ab'.repeat(20)}`,
  asset: `0x${'Cd'.repeat(20)}`,
  maxTimeoutSeconds: 60,
  domainName: 'Devnet Dollar',
  domainVersion: '1',
};
const authorization = {
  from: wallet.address,
  to: offer.payTo.toLowerCase(),
  value: '5',
  validAfter: 0,
  validBefore: 2_000_000_000,
  nonce: `0x${'12'.repeat(32)}`,
};

async function sign(): Promise<string> {
  const { domainName: name, domainVersion: version, asset } = offer;
  const domain = { name, version, chainId: 84_532, verifyingContract: asset.toLowerCase() };
  return wallet.signTypedData(domain, { TransferWithAuthorization: [...fields] }, authorization);
}

it('reads the payments of the contract, of x402 v1 and of x402 v2 as the same payment', async () => {
  const signature = await sign();
  const texts = { ...authorization, validAfter: '0', validBefore: '2000000000' };
  const payload = { signature, authorization: texts };
  const headers = [
    { 'x-payment': encodeBase64Json({ payload: { signature, authorization } }) },
    { 'x-payment': encodeBase64Json({ x402Version: 1, scheme: 'exact', network: 'base-sepolia', payload }) },
    { 'payment-signature': encodeBase64Json({ x402Version: 2, accepted: {}, payload }) },
  ];
  const read = headers.map(readPayment).map((each) => (typeof each === 'object' ? identify(each) : each));
  expect(new Set(read).size).toBe(1);
  expect(read[0]).toContain(wallet.address.toLowerCase());
});

it('checks a signature against the token and the chain of the offer', async () => {
  const payment = readPayment({
    'x-payment': encodeBase64Json({ payload: { signature: await sign(), authorization } }),
  });
  if (typeof payment !== 'object') throw new Error('the payment is unreadable');
  expect(isSignedFor(offer, payment)).toBe(true);
  expect(isSignedFor({ ...offer, network: 'eip155:8453' }, payment)).toBe(false);
  expect(isSignedFor({ ...offer, asset: offer.payTo }, payment)).toBe(false);
  expect(isSignedFor(offer, { ...payment, signature: '0x12' })).toBe(false);
});

it.each([
  ['no base64', '???'],
  ['no payload', encodeBase64Json({})],
  [
    'a short nonce',
    encodeBase64Json({ payload: { signature: '0x12', authorization: { ...authorization, nonce: '0x1' } } }),
  ],
  [
    'a negative value',
    encodeBase64Json({ payload: { signature: '0x12', authorization: { ...authorization, value: -1 } } }),
  ],
  ['no signature', encodeBase64Json({ payload: { authorization } })],
])('finds a payment with %s unreadable', (_, text) => {
  expect(readPayment({ 'x-payment': text })).toBe('unreadable');
});

it('reads a payment of each header, and one authorization in both headers once', async () => {
  const write = (nonce: string, signature: string) =>
    encodeBase64Json({ payload: { signature, authorization: { ...authorization, nonce } } });
  const first = write(authorization.nonce, await sign());
  const second = write(`0x${'7'.repeat(64)}`, await sign());
  const count = (other: string) => readPayments({ 'x-payment': first, 'payment-signature': other }).length;
  expect([count(second), count(first)]).toEqual([2, 1]);
});

it('finds no payment without a header', () => {
  expect(readPayment({})).toBe(undefined);
});
