import { expect, test } from 'vitest';
import { createPayingFetch } from '../create-paying-fetch.ts';
import { presentationsMax, retryWaitMsMax } from '../limits.ts';
import { createPayer, PaymentOutcomeUnknown } from '../pay.ts';
import { chatInit, setStage } from '../testing/exchange.ts';

test('Sends the same authorization again after a lost response, byte for byte', async () => {
  await using stage = await setStage();
  stage.gateway.fates({ fate: 'lose-response' });
  const exchange = await createPayer(stage.options()).exchange(stage.chatUrl, chatInit);

  const [first, second] = stage.gateway.paid();
  expect(stage.gateway.paid()).toHaveLength(2);
  expect(second?.payment).toBe(first?.payment);
  expect(second?.body).toBe(first?.body);
  expect(exchange).toMatchObject({ kind: 'responded', replayed: true, payment: { state: 'settled' } });
  expect(stage.gateway.store.charges).toHaveLength(1);
});

test('Sends it again after a response that broke off', async () => {
  await using stage = await setStage();
  stage.gateway.fates({ fate: 'lose-half' });
  const exchange = await createPayer(stage.options()).exchange(stage.chatUrl, chatInit);
  expect(new Set(stage.gateway.paid().map(({ payment }) => payment)).size).toBe(1);
  expect(exchange).toMatchObject({ replayed: true, payment: { state: 'settled' } });
});

test('Sends it again after a timeout', async () => {
  await using stage = await setStage();
  stage.gateway.fates({ fate: 'hang' });
  const payer = createPayer({ ...stage.options(), timeoutMs: 2_000 });
  const exchange = await payer.exchange(stage.chatUrl, chatInit);
  expect(new Set(stage.gateway.paid().map(({ payment }) => payment)).size).toBe(1);
  expect(exchange).toMatchObject({ payment: { state: 'settled' } });
  expect(stage.steps).toContainEqual({ step: 'waiting', waitMs: 500, because: 'no response in time' });
});

test.each([
  [503, 'settlement_pending'],
  [500, 'internal_error'],
  [502, 'upstream_error'],
  [504, 'upstream_timeout'],
  [503, 'overloaded'],
  [429, 'rate_limited'],
] as const)('Sends the same authorization again after %i %s', async (status, code) => {
  await using stage = await setStage();
  stage.gateway.fates({ fate: 'respond', status, code });
  const exchange = await createPayer(stage.options()).exchange(stage.chatUrl, chatInit);
  const payments = stage.gateway.paid().map(({ payment }) => payment);
  expect(payments).toEqual([payments[0], payments[0]]);
  expect(exchange).toMatchObject({ payment: { state: 'settled' } });
});

test.each([
  [400, 'invalid_request'],
  [401, 'invalid_signature'],
  [402, 'insufficient_funds'],
  [404, 'not_found'],
  [413, 'request_too_large'],
] as const)('Sends nothing again after %i %s', async (status, code) => {
  await using stage = await setStage();
  stage.gateway.fates({ fate: 'respond', status, code });
  const exchange = await createPayer(stage.options()).exchange(stage.chatUrl, chatInit);
  expect(exchange).toMatchObject({ kind: 'responded', payment: { state: 'released' } });
  expect(stage.gateway.paid()).toHaveLength(1);
});

test('Waits for Retry-After up to a cap, and doubles the wait without Retry-After', async () => {
  await using stage = await setStage();
  const pending = { fate: 'respond', status: 503, code: 'settlement_pending' } as const;
  const after = (seconds: string) => ({ ...pending, headers: { 'Retry-After': seconds } });
  stage.gateway.fates(after('2'), after('86400'), pending);
  await createPayer(stage.options()).exchange(stage.chatUrl, chatInit);
  expect(stage.clock.waitsMs).toEqual([2_000, retryWaitMsMax, 2_000]);
});

test('Ignores a Retry-After that is not a number of seconds', async () => {
  await using stage = await setStage();
  const headers = { 'Retry-After': 'Wed, 21 Oct 2037 07:28:00 GMT' };
  stage.gateway.fates({ fate: 'respond', status: 503, code: 'overloaded', headers });
  await createPayer(stage.options()).exchange(stage.chatUrl, chatInit);
  expect(stage.clock.waitsMs).toEqual([500]);
});

test('Stops after presentationsMax attempts and reports an unknown outcome', async () => {
  await using stage = await setStage();
  const lose = { fate: 'respond', status: 503, code: 'settlement_pending' } as const;
  stage.gateway.fates(lose, lose, lose, lose, lose, lose);
  const exchange = await createPayer(stage.options()).exchange(stage.chatUrl, chatInit);
  expect(stage.gateway.paid()).toHaveLength(presentationsMax);
  expect(exchange).toMatchObject({
    received: { error: { code: 'settlement_pending' } },
    payment: { state: 'maybe-charged' },
  });
});

test('Sends no expired authorization', async () => {
  await using stage = await setStage();
  stage.gateway.settings.offer = { maxTimeoutSeconds: 10 };
  const headers = { 'Retry-After': '10' };
  stage.gateway.fates({ fate: 'respond', status: 503, code: 'settlement_pending', headers });
  const exchange = await createPayer(stage.options()).exchange(stage.chatUrl, chatInit);
  expect(stage.gateway.paid()).toHaveLength(1);
  expect(exchange).toMatchObject({ payment: { state: 'maybe-charged' } });
});

test('Keeps an unknown outcome after a later error, until a receipt', async () => {
  await using stage = await setStage();
  stage.gateway.fates({ fate: 'lose-response' }, { fate: 'respond', status: 401, code: 'invalid_signature' });
  const exchange = await createPayer(stage.options()).exchange(stage.chatUrl, chatInit);
  expect(exchange).toMatchObject({
    received: { response: { status: 401 } },
    payment: { state: 'maybe-charged' },
  });
});

test.each([
  ['a 404 of a proxy', { fate: 'respond', status: 404 } as const],
  ['an error of unknown effect', { fate: 'respond', status: 500, code: 'internal_error' } as const],
])('Reports maybe-charged after %s', async (_, fate) => {
  await using stage = await setStage();
  stage.gateway.fates(fate, fate, fate, fate);
  const exchange = await createPayer(stage.options()).exchange(stage.chatUrl, chatInit);
  expect(exchange).toMatchObject({ payment: { state: 'maybe-charged' } });
});

test('Returns the completion with an unknown outcome when the receipt does not match', async () => {
  await using stage = await setStage();
  stage.gateway.settings.receipt = { payer: `0x${'99'.repeat(20)}` };
  const exchange = await createPayer(stage.options()).exchange(stage.chatUrl, chatInit);
  expect(exchange).toMatchObject({
    kind: 'responded',
    received: { response: { status: 200 } },
    payment: { state: 'maybe-charged' },
    receiptFault: expect.stringContaining('names the payer'),
  });
});

test('Charges nothing when the gateway goes down before the payment', async () => {
  await using stage = await setStage();
  const payer = createPayer({
    ...stage.options(),
    fetch: async (url, init) => {
      if (new Headers(init.headers).has('X-PAYMENT')) await stage.gateway.close();
      return fetch(url, init);
    },
  });
  const exchange = await payer.exchange(stage.chatUrl, chatInit);
  expect(exchange).toMatchObject({ kind: 'lost', lost: { left: false }, payment: { state: 'unsent' } });
  expect(payer.amountSigned()).toBe(0n);
});

test("Rejects with fetch's own TypeError when the gateway is down", async () => {
  await using stage = await setStage();
  await stage.gateway.close();
  await expect(createPayingFetch(stage.options())(stage.chatUrl, chatInit)).rejects.toThrow(TypeError);
});

test('Sends the same payment for the same request after an unknown outcome', async () => {
  await using stage = await setStage();
  const { gateway } = stage;
  const fetch = createPayingFetch(stage.options());
  gateway.fates(...Array(presentationsMax).fill({ fate: 'lose-response' }));
  const lost = await fetch(stage.chatUrl, chatInit).catch((error: unknown) => error);
  expect(lost).toBeInstanceOf(PaymentOutcomeUnknown);

  // A retry of an SDK differs in the header that counts retries.
  const headers = { ...chatInit.headers, 'x-stainless-retry-count': '1' };
  const response = await fetch(stage.chatUrl, { ...chatInit, headers });
  expect(response.headers.get('Idempotent-Replayed')).toBe('true');
  expect(new Set(gateway.paid().map(({ payment }) => payment)).size).toBe(1);
  expect(gateway.store.charges).toHaveLength(1);

  // The payment is settled now, so the next request is a new purchase.
  expect((await fetch(stage.chatUrl, chatInit)).headers.get('Idempotent-Replayed')).toBeNull();
  expect(gateway.store.charges).toHaveLength(2);
});

test('Signs a new payment for another request, and after the old payment expired', async () => {
  await using stage = await setStage();
  const { gateway } = stage;
  const fetch = createPayingFetch(stage.options());
  const lost = Array(presentationsMax).fill({ fate: 'respond', status: 503, code: 'settlement_pending' });
  gateway.fates(...lost);
  await fetch(stage.chatUrl, chatInit);
  await fetch(stage.chatUrl, { ...chatInit, body: `${chatInit.body} ` });
  expect(gateway.store.charges).toHaveLength(1);
  stage.clock.advance(300);
  await fetch(stage.chatUrl, chatInit);
  expect(new Set(gateway.paid().map(({ payment }) => payment)).size).toBe(3);
});

test('Ends the call when the caller aborts, and reports maybe-charged', async () => {
  await using stage = await setStage();
  stage.gateway.fates({ fate: 'hang' });
  const caller = new AbortController();
  const payer = createPayer({
    ...stage.options(),
    fetch: (url, init) => {
      const received = fetch(url, init);
      if (new Headers(init.headers).has('X-PAYMENT')) caller.abort();
      return received;
    },
  });
  const exchange = await payer.exchange(stage.chatUrl, { ...chatInit, signal: caller.signal });
  expect(exchange).toMatchObject({
    kind: 'lost',
    lost: { message: 'cancelled', left: true },
    payment: { state: 'maybe-charged' },
  });
  expect(stage.clock.waitsMs).toEqual([]);
  expect(payer.amountSigned()).toBe(10_000n);
});
