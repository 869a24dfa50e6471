import { chainId } from '@paid-inference/contract/constants';
import { paymentDomain, transferWithAuthorizationTypes } from '@paid-inference/contract/eip712';
import { TypedDataEncoder } from 'ethers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../testing/gateway.ts';
import { authorizationFor, chatBody, chatPath, decodeOffer, post, sign } from '../testing/payer.ts';
import { openStartedGateways } from '../testing/started-gateways.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const ask = (method: string, params: readonly unknown[] = [], origin: string | null = gateway.url) =>
  post(`${gateway.url}/web/devnet-wallet`, { method, params }, origin === null ? {} : { Origin: origin });

async function typedData(change: Record<string, unknown> = {}) {
  const { payer } = gateway.devnet;
  const offer = decodeOffer(await post(gateway.url + chatPath, chatBody));
  const authorization = authorizationFor(offer, payer.address);
  const message = { ...authorization, ...change };
  const payload = TypedDataEncoder.getPayload(paymentDomain(offer), transferWithAuthorizationTypes, message);
  return { offer, authorization, text: JSON.stringify(payload) };
}

it('the wallet of the devnet signs as its payer would', async () => {
  const { payer } = gateway.devnet;
  const { offer, authorization, text } = await typedData();
  expect((await ask('eth_requestAccounts')).body).toEqual({ result: [payer.address] });
  expect((await ask('eth_chainId')).body).toEqual({ result: `0x${chainId.toString(16)}` });
  const { body } = await ask('eth_signTypedData_v4', [payer.address, text]);
  expect(body).toEqual({ result: await sign(payer.privateKey, offer, authorization) });
});

it.each(['https://elsewhere.example', null])('the wallet does nothing for a page of %s', async (origin) => {
  const { body, status } = await ask('eth_requestAccounts', [], origin);
  expect([status, body.error.param]).toEqual([400, 'Origin']);
});

it.each([
  ['another recipient', { to: '0x00000000000000000000000000000000000000aa' }, 4001],
  ['another account', { from: '0x00000000000000000000000000000000000000aa' }, 4100],
])('the wallet does not sign a transfer with %s', async (_name, change, code) => {
  const { text } = await typedData(change);
  expect((await ask('eth_signTypedData_v4', [gateway.devnet.payer.address, text])).body.error.code).toBe(
    code,
  );
});

it.each([
  ['eth_sendTransaction', [{}], 4200],
  ['eth_signTypedData_v4', ['0x', '{"primaryType":"Permit","message":{}}'], -32_602],
  ['eth_signTypedData_v4', ['0x', 'no JSON'], -32_602],
  ['wallet_switchEthereumChain', [{ chainId: '0x1' }], 4902],
])('the wallet refuses %s %j', async (method, params, code) => {
  expect((await ask(method, params)).body.error.code).toBe(code);
});

it('a gateway on a real chain has no wallet and names no payer', async () => {
  const gateways = await openStartedGateways();
  const started = await gateways.start();
  if (!started.ok) throw new Error(started.fault.join('\n'));
  const { url } = started.value;
  const body = { method: 'eth_requestAccounts', params: [] };
  expect((await post(`${url}/web/devnet-wallet`, body, { Origin: url })).status).toBe(404);
  expect(await (await fetch(`${url}/web/facts.json`)).json()).toMatchObject({ devnetPayer: null });
  await started.value.stop();
  await gateways.close();
});
