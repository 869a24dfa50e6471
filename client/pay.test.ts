import { decodePaymentObject, encodePaymentRequirements } from '@paid-inference/contract/headers';
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { createPayingFetch } from './create-paying-fetch.ts';
import { createPayer } from './pay.ts';
import { chatBody, chatInit, setStage } from './testing/exchange.ts';
import { reply, testRecipient } from './testing/gateway.ts';

test('Sends the request unpaid, then again with an authorization for exactly the price', async () => {
  await using stage = await setStage();
  const { gateway, wallet, clock } = stage;
  const response = await createPayingFetch(stage.options())(stage.chatUrl, chatInit);

  expect(response.status).toBe(200);
  expect(gateway.received.map(({ payment }) => payment !== null)).toEqual([false, true]);
  const decoded = decodePaymentObject(gateway.received[1]?.payment ?? '');
  expect(decoded).toMatchObject({
    ok: true,
    value: {
      payload: {
        authorization: {
          from: wallet.address,
          to: testRecipient,
          value: '10000',
          validAfter: 0,
          validBefore: clock.nowSeconds() + 300,
          nonce: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        },
      },
    },
  });
  expect(gateway.store.charges).toEqual([
    { payer: wallet.address, units: 10_000n, nonce: expect.any(String) },
  ]);
});

test('Gives each payment its own nonce', async () => {
  await using stage = await setStage();
  const fetch = createPayingFetch(stage.options());
  await fetch(stage.chatUrl, chatInit);
  await fetch(stage.chatUrl, chatInit);
  const [first, second] = stage.gateway.store.charges;
  expect(first?.nonce).not.toBe(second?.nonce);
});

test('Keeps method, headers and body of a Request in both attempts', async () => {
  await using stage = await setStage();
  const headers = { 'Content-Type': 'application/json', 'X-SETTLEMENT-TYPE': 'private', 'X-Mine': 'yes' };
  const response = await createPayingFetch(stage.options())(
    new Request(stage.chatUrl, { ...chatInit, headers }),
  );

  expect(response.status).toBe(200);
  expect(stage.gateway.received).toHaveLength(2);
  for (const request of stage.gateway.received) {
    expect(request).toMatchObject({ method: 'POST', settlementType: 'private', body: chatInit.body });
    expect(request.headers).toMatchObject({ 'content-type': 'application/json', 'x-mine': 'yes' });
  }
});

test('Sends a streamed body twice, although a stream can be read only once', async () => {
  await using stage = await setStage();
  const body = new Blob([chatInit.body]).stream();
  const response = await createPayingFetch(stage.options())(stage.chatUrl, {
    ...chatInit,
    body,
    ...{ duplex: 'half' },
  });
  expect(response.status).toBe(200);
  expect(stage.gateway.received.map((request) => request.body)).toEqual([chatInit.body, chatInit.body]);
});

test('Returns a response that is no 402 without a payment', async () => {
  await using stage = await setStage();
  const response = await createPayingFetch(stage.options())(`${stage.gateway.url}/v1/models`);
  expect([response.status, await response.json()]).toMatchObject([200, { object: 'list' }]);
  expect(stage.steps.map(({ step }) => step)).toEqual(['requested', 'responded']);
});

test('Sends a request with X-PAYMENT unchanged and does not pay its 402', async () => {
  await using stage = await setStage();
  const headers = { ...chatInit.headers, 'X-PAYMENT': 'bm90IGEgcGF5bWVudA==' };
  const response = await createPayingFetch(stage.options())(stage.chatUrl, { ...chatInit, headers });
  expect(response.status).toBe(402);
  expect(stage.gateway.received.map(({ payment }) => payment)).toEqual([headers['X-PAYMENT']]);
});

test('Returns the 402 that rejects a payment and pays no second time', async () => {
  await using stage = await setStage();
  stage.gateway.fates({
    fate: 'respond',
    status: 402,
    body: '{"error":"invalid_exact_evm_payload_authorization_value"}',
    headers: { 'X-PAYMENT-REQUIRED': 'e30=' },
  });
  const payer = createPayer(stage.options());
  const exchange = await payer.exchange(stage.chatUrl, chatInit);
  expect(exchange).toMatchObject({ kind: 'responded', payment: { state: 'released' } });
  expect(stage.gateway.received).toHaveLength(2);
  // The gateway has the signature: the client keeps counting its amount, whatever the gateway says.
  expect(payer.amountSigned()).toBe(10_000n);
});

test('Refuses an offer for another host before it signs', async () => {
  await using stage = await setStage();
  const resource = 'https://elsewhere.example/v1/chat/completions';
  stage.gateway.settings.offer = { resource };
  const payer = createPayer(stage.options());
  const exchange = await payer.exchange(stage.chatUrl, chatInit);
  expect(exchange).toMatchObject({
    kind: 'refused',
    refusal: { reason: 'resource_elsewhere' },
    offer: { resource },
  });
  expect(stage.gateway.paid()).toEqual([]);
  expect(stage.steps.map(({ step }) => step)).toEqual(['requested', 'responded', 'offered', 'refused']);
  expect(payer.amountSigned()).toBe(0n);
});

test('Pays the same offer when the rules list its host', async () => {
  await using stage = await setStage();
  stage.gateway.settings.offer = { resource: 'https://elsewhere.example/v1/chat/completions' };
  const fetch = createPayingFetch(stage.options({ resourceHosts: ['elsewhere.example'] }));
  expect((await fetch(stage.chatUrl, chatInit)).status).toBe(200);
});

test.each([
  ['no offer', null, 'offer_missing'],
  ['an offer that is not base64', '***', 'offer_unreadable'],
  ['an offer that is not JSON', btoa('offer'), 'offer_unreadable'],
  ['an offer that lacks its fields', btoa('{}'), 'offer_unreadable'],
  ['an offer on another network', btoa('{"scheme":"exact","network":"eip155:1"}'), 'offer_unreadable'],
])('Returns a 402 with %s and pays nothing', async (_, offerHeader, reason) => {
  await using stage = await setStage();
  stage.gateway.settings.offerHeader = offerHeader;
  const response = await createPayingFetch(stage.options())(stage.chatUrl, chatInit);
  expect(response.status).toBe(402);
  expect(stage.steps.at(-1)).toMatchObject({ step: 'refused', refusal: { reason }, offer: null });
  expect(stage.gateway.paid()).toEqual([]);
});

test("Gives the reason of a refusal to OpenAI's SDK, and the offer in the headers", async () => {
  await using stage = await setStage();
  const fetch = createPayingFetch(stage.options({ amountPerRequestMax: 1n }));
  const openai = new OpenAI({ baseURL: `${stage.gateway.url}/v1`, apiKey: 'unused', fetch });
  const error: unknown = await openai.chat.completions.create(chatBody).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    status: 402,
    type: 'payment_error',
    code: 'price_above_limit',
    message: '402 The client did not pay: the price of 10000 units is above the limit of 1 units.',
  });
  expect(error instanceof OpenAI.APIError && error.headers?.has('X-PAYMENT-REQUIRED')).toBe(true);
  // The SDK does not repeat the request.
  expect(stage.gateway.received).toHaveLength(1);
});

test('Does not exceed the total limit with concurrent requests', async () => {
  await using stage = await setStage();
  const payer = createPayer(stage.options({ amountTotalMax: 25_000n }));
  const exchanges = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      payer.exchange(stage.chatUrl, { ...chatInit, body: JSON.stringify({ index, messages: [{}] }) }),
    ),
  );
  const kinds = exchanges.map((exchange) =>
    exchange.kind === 'refused' ? exchange.refusal.reason : exchange.kind,
  );
  expect(kinds.sort()).toEqual(['responded', 'responded', ...Array(6).fill('total_above_limit')]);
  expect(stage.gateway.store.charges).toHaveLength(2);
  expect(payer.amountSigned()).toBe(20_000n);
});

test('Refuses and frees the amount when the wallet does not sign', async () => {
  await using stage = await setStage();
  const { wallet } = stage;
  let declines = 1;
  const signer = {
    getAddress: () => wallet.getAddress(),
    signTypedData: (...given: Parameters<typeof wallet.signTypedData>) =>
      declines-- > 0 ? Promise.reject(new Error('declined by its owner')) : wallet.signTypedData(...given),
  };
  const payer = createPayer({ ...stage.options({ amountTotalMax: 10_000n }), signer });
  const refused = await payer.exchange(stage.chatUrl, chatInit);
  expect(refused).toMatchObject({
    refusal: { reason: 'signer_failed', message: 'the wallet did not sign: declined by its owner' },
  });
  expect(await payer.exchange(stage.chatUrl, chatInit)).toMatchObject({ payment: { state: 'settled' } });
});

test('Accepts addresses in any letter case and signs the recipient as the offer writes it', async () => {
  await using stage = await setStage();
  const payTo = '0xAbCdEfAbCdEfAbCdEfAbCdEfAbCdEfAbCdEfAbCd';
  stage.gateway.settings.offer = { payTo, asset: '0xFFfFffFfFffFffFFFfFffFffFffFfFFfFfFFfFfa' };
  const exchange = await createPayer(stage.options()).exchange(stage.chatUrl, chatInit);
  expect(exchange).toMatchObject({ payment: { state: 'settled', authorization: { to: payTo } } });
});

test('Limits a signature to one hour, whatever the offer allows', async () => {
  await using stage = await setStage();
  stage.gateway.settings.offer = { maxTimeoutSeconds: 2_000_000_000 };
  const exchange = await createPayer(stage.options()).exchange(stage.chatUrl, chatInit);
  const validBefore = stage.clock.nowSeconds() + 3_600;
  expect(exchange).toMatchObject({ payment: { state: 'settled', authorization: { validBefore } } });
});

test.each(['unpaid', 'paid'])('Follows no redirect of an %s request', async (leg) => {
  await using stage = await setStage();
  await using elsewhere = await setStage();
  const headers = { location: elsewhere.chatUrl };
  if (leg === 'unpaid') stage.gateway.settings.unpaid = () => reply(308, '', headers);
  else stage.gateway.fates({ fate: 'respond', status: 307, headers });
  const response = await createPayingFetch(stage.options())(new Request(stage.chatUrl, chatInit));
  expect(response.status).toBe(leg === 'unpaid' ? 308 : 307);
  expect(elsewhere.gateway.received).toEqual([]);
});

test('Gives onStep neither the signature nor the prompt', async () => {
  await using stage = await setStage();
  await createPayer(stage.options()).exchange(stage.chatUrl, chatInit);
  const told = JSON.stringify(stage.steps);
  const decoded = decodePaymentObject(stage.gateway.paid()[0]?.payment ?? '');
  if (!decoded.ok) throw new Error(decoded.message);
  const { signature } = decoded.value.payload;
  expect(told).toContain(`${signature.slice(0, 10)}…${signature.slice(-4)}`);
  expect(told).not.toContain(signature.slice(0, 20));
  expect(told).not.toContain('pong');
  expect(stage.steps.map(({ step }) => step)).toEqual([
    'requested',
    'responded',
    'offered',
    'signed',
    'presented',
    'responded',
    'receipt',
  ]);
});

test('Reads the offer from its header alone, whatever the body says', async () => {
  await using stage = await setStage();
  const header = encodePaymentRequirements({
    scheme: 'exact',
    network: 'eip155:84532',
    maxAmountRequired: '10000',
    resource: stage.chatUrl,
    description: '',
    mimeType: 'application/json',
    payTo: testRecipient,
    maxTimeoutSeconds: 60,
    asset: '0x2222222222222222222222222222222222222222',
    extra: { name: 'Test Payment Token', version: '1' },
  });
  stage.gateway.settings.unpaid = () => reply(402, '', { 'X-PAYMENT-REQUIRED': header });
  const response = await createPayingFetch(stage.options())(stage.chatUrl, chatInit);
  expect(response.status).toBe(200);
});

test('Sends a chat of an OpenAI client in the form of the contract, and pays for that form (D-264)', async () => {
  await using stage = await setStage();
  const { model, messages } = JSON.parse(chatInit.body);
  const body = JSON.stringify({
    model,
    messages: [
      { role: 'developer', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: messages[0].content }] },
    ],
  });
  const response = await createPayingFetch(stage.options())(stage.chatUrl, { ...chatInit, body });

  expect(response.status).toBe(200);
  const sent = { model, messages: [{ role: 'system', content: 'Be brief.' }, messages[0]] };
  expect(stage.gateway.received.map((request) => JSON.parse(request.body))).toEqual([sent, sent]);
});

test('Sends the one prompt of a list in the form of the contract (D-264)', async () => {
  await using stage = await setStage();
  const init = { ...chatInit, body: JSON.stringify({ model: 'alder/alder-mini', prompt: ['Once'] }) };
  expect((await createPayingFetch(stage.options())(stage.completionsUrl, init)).status).toBe(200);
  expect(JSON.parse(stage.gateway.paid()[0]?.body ?? '')).toMatchObject({ prompt: 'Once' });
});

test('Returns a 400 for a part that is no text, and sends nothing (D-264)', async () => {
  await using stage = await setStage();
  const image = { type: 'image_url', image_url: { url: 'https://images.example/cat.png' } };
  const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: [image] }] });
  const response = await createPayingFetch(stage.options())(stage.chatUrl, { ...chatInit, body });

  expect([response.status, response.headers.get('x-should-retry')]).toEqual([400, 'false']);
  expect(await response.json()).toMatchObject({
    error: { type: 'invalid_request_error', code: 'invalid_request', param: 'messages[0].content[0]' },
  });
  expect(stage.gateway.received).toEqual([]);
  const asked = await createPayer(stage.options()).ask(stage.chatUrl, { ...chatInit, body });
  expect(asked).toMatchObject({ kind: 'responded', payment: { state: 'unsent' } });
  expect(stage.gateway.received).toEqual([]);
});
