import type { SavedExchange, SettlementType } from '@paid-inference/contract/types';
import { hexlify, randomBytes, Wallet } from 'ethers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readKey } from './cli/key.ts';
import { type Client, type ClientOptions, createClient } from './client.ts';
import { readBalances, requireExactChange, requireSettled } from './demo/chain-check.ts';
import { type GatewayProcess, startGatewayProcess } from './demo/gateway-process.ts';
import type { PaymentSigner } from './payment/authorization.ts';
import { faults } from './testing/tamper.ts';
import { openToken, type Token } from './token.ts';
import { type VerifyOptions, verifyExchange } from './verify/verify-exchange.ts';

// The reference gateway with its devnet, in a process of its own.
let gateway: GatewayProcess;
let token: Token;
let payer: Wallet;
let model: string;

beforeAll(async () => {
  gateway = await startGatewayProcess(new AbortController().signal);
  const { chain, token: sold, payer: funded } = gateway.ready;
  token = openToken(chain.rpcUrl, sold.address);
  const key = readKey(funded.keyFile, {});
  if (!key.ok) throw new Error(key.message);
  payer = key.wallet;
  const listed = await clientFor(payer).models();
  model = listed.kind === 'models' ? (listed.models[0]?.id ?? '') : '';
});

afterAll(async () => {
  token.close();
  await gateway.stop();
});

function clientFor(signer: PaymentSigner, more: Partial<ClientOptions> = {}): Client {
  const rules = { amountPerRequestMax: 100_000n, amountTotalMax: 1_000_000n };
  return createClient({ baseUrl: gateway.ready.url, signer, rules, ...more });
}

const balances = () => readBalances(token, payer.address, gateway.ready.payTo);

test('Pays the quoted price for a text completion, and the chain shows the transfer', async () => {
  const client = clientFor(payer);
  const body = { model, prompt: 'Once upon a time', max_tokens: 20 };
  const quoted = await client.quote(body);
  if (quoted.kind !== 'offer') throw new Error(quoted.message);
  const before = await balances();
  const result = await client.complete(body, { settlementType: 'private' });
  if (result.kind !== 'completion' || result.payment.state !== 'settled')
    throw new Error(JSON.stringify(result));
  expect(result.completion.choices[0]?.text).not.toBe('');
  await requireSettled(token, gateway.ready.token.address, result.payment);
  requireExactChange(before, await balances(), BigInt(quoted.offer.maxAmountRequired));
});

test('Fetches a lost response again and pays once', async () => {
  let losses = 1;
  const client = clientFor(payer, {
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      if (!new Headers(init.headers).has('X-PAYMENT') || losses === 0) return response;
      losses -= 1;
      await response.arrayBuffer();
      throw new TypeError('the connection broke');
    },
  });
  const before = await balances();
  const result = await client.chat({ model, messages: [{ role: 'user', content: 'Say pong.' }] });
  expect(result).toMatchObject({ kind: 'completion', replayed: true, payment: { state: 'settled' } });
  requireExactChange(before, await balances(), client.amountSigned());
});

test('Streams a completion, and its purchase verifies', async () => {
  const saved: SavedExchange[] = [];
  const client = clientFor(payer, { onExchange: (exchange) => saved.push(exchange) });
  const messages = [{ role: 'user' as const, content: 'Tell me about autumn leaves.' }];
  const streamed = await client.streamChat({ model, messages, max_tokens: 60 });
  if (streamed.kind !== 'stream') throw new Error(JSON.stringify(streamed));
  expect(streamed.receipt).toMatchObject({ success: true });
  let text = '';
  for await (const { choices } of streamed.chunks) text += choices[0]?.delta.content ?? '';
  const whole = await streamed.whole();
  if (whole.kind !== 'completion' || saved[0] === undefined) throw new Error(JSON.stringify(whole));
  expect(whole.completion.choices[0]?.message.content).toBe(text);
  const { chain, token: sold } = gateway.ready;
  const options = { chainRpcUrl: chain.rpcUrl, token: sold.address };
  const { steps } = await verifyExchange(saved[0], options);
  const verdicts = Object.fromEntries(steps.map(({ step, verdict }) => [step, verdict]));
  expect(verdicts).toMatchObject({ hashes: 'true', signature: 'true', payment: 'true' });
});

test('Settles concurrent payments, each for its own price', async () => {
  const client = clientFor(payer);
  const before = await balances();
  const results = await Promise.all(
    Array.from({ length: 6 }, (_, index) => client.complete({ model, prompt: `Number ${index}` })),
  );
  expect(results.map(({ kind, payment }) => [kind, payment.state])).toEqual(
    Array(6).fill(['completion', 'settled']),
  );
  requireExactChange(before, await balances(), client.amountSigned());
});

test('Returns insufficient_funds and charges nothing when the payer has no tokens', async () => {
  const result = await clientFor(Wallet.createRandom()).complete({ model, prompt: 'ping' });
  expect(result).toMatchObject({
    kind: 'error',
    status: 402,
    code: 'insufficient_funds',
    payment: { state: 'released' },
  });
});

test('Names the invalid field before any payment', async () => {
  const result = await clientFor(payer).complete({ model: 'no/such', prompt: 'ping' });
  expect(result).toMatchObject({
    kind: 'error',
    status: 400,
    code: 'invalid_request',
    param: 'model',
    payment: { state: 'unsent' },
  });
});

describe('A purchase verifies:', () => {
  async function buy(settlementType: SettlementType): Promise<SavedExchange> {
    const saved: SavedExchange[] = [];
    const client = clientFor(payer, { settlementType, onExchange: (exchange) => saved.push(exchange) });
    const result = await client.chat({ model, messages: [{ role: 'user', content: 'What is 6 times 7?' }] });
    const [exchange] = saved;
    if (result.kind !== 'completion' || exchange === undefined) throw new Error(JSON.stringify(result));
    return exchange;
  }

  function verify(exchange: SavedExchange, options: VerifyOptions = {}) {
    const { chain, proofLedger, token: sold } = gateway.ready;
    return verifyExchange(exchange, {
      ledgerRpcUrl: proofLedger.rpcUrl,
      chainRpcUrl: chain.rpcUrl,
      ledger: proofLedger.contract,
      token: sold.address,
      waitSeconds: 15,
      ...options,
    });
  }

  test.each(['private', 'individual', 'batch'] as const)(
    'in every step with settlement type %s',
    async (settlementType) => {
      const verification = await verify(await buy(settlementType), { nonce: hexlify(randomBytes(32)) });
      expect(faults(verification)).toEqual({});
      expect(verification.steps.map(({ step }) => step)).toContain('freshness');
      expect(faults(await verify(verification.exchange, { gatewayUrl: null }))).toEqual({});
    },
  );

  test('not when the completion was changed', async () => {
    const { response, ...rest } = await buy('individual');
    const body = response.body.replace('"assistant"', '"Assistant"');
    expect(faults(await verify({ ...rest, response: { ...response, body } }))).toEqual({
      hashes: expect.stringMatching(/^false: the response is not the one of the proof/),
    });
  });

  test('not as hardware, because the devnet attests in software', async () => {
    const verification = await verify(await buy('private'), { attestation: { requireHardware: true } });
    expect(faults(verification)).toEqual({
      attestation: expect.stringMatching(/^false: hardware is required, but the evidence shows: not a TEE/),
    });
  });
});
