import { headerNames } from '@paid-inference/contract/constants';
import { Wallet } from 'ethers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fakeSocket } from '../testing/attestation/fake-server.ts';
import { tdxQuote } from '../testing/attestation/reports.ts';
import { startTestGateway, type TestGateway } from '../testing/gateway.ts';
import { chatBody, chatPath, decodeOffer, paymentFor, post } from '../testing/payer.ts';

describe('D-32: rate limits', () => {
  let gateway: TestGateway;
  let chat: string;
  beforeAll(async () => {
    gateway = await startTestGateway({
      addressRateLimit: { requestsMax: 6, windowSeconds: 600 },
      payerRateLimit: { requestsMax: 1, windowSeconds: 600 },
    });
    chat = `${gateway.url}${chatPath}`;
  });
  afterAll(() => gateway.stop());

  it('a payer above its limit gets 429 rate_limited with Retry-After and is not charged', async () => {
    const { payer } = gateway.devnet;
    const offer = decodeOffer(await post(chat, chatBody));
    const paid = await paymentFor(offer, payer.privateKey);
    expect((await post(chat, chatBody, paid)).status).toBe(200);
    const before = await gateway.balanceOf(payer.address);
    const refused = await post(chat, chatBody, await paymentFor(offer, payer.privateKey));
    expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limited']);
    expect(refused.body.error.type).toBe('rate_limit_error');
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(await gateway.balanceOf(payer.address)).toBe(before);
    // The gateway still serves another payer from the same address.
    const other = await gateway.devnet.fundPayer();
    expect((await post(chat, chatBody, await paymentFor(offer, other.privateKey))).status).toBe(200);
  });

  it('an address above its limit gets 429 before any other check, and every response has the remaining count', async () => {
    const left = await post(chat, chatBody);
    expect(left.headers.get(headerNames.rateLimitRequests)).toBe('6');
    expect(left.headers.get(headerNames.rateLimitRemainingRequests)).toBe('1');
    await post(chat, chatBody);
    const refused = await post(chat, 'not json', { 'Content-Type': 'text/plain' });
    expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limited']);
    expect(refused.headers.get(headerNames.rateLimitRemainingRequests)).toBe('0');
    expect(Number(refused.headers.get('Retry-After'))).toBeLessThanOrEqual(600);
    expect((await fetch(`${gateway.url}/health`)).status).toBe(200);
  });
});

it('D-32: a replay of a settled payment by any sender does not count against its payer', async () => {
  const gateway = await startTestGateway({ payerRateLimit: { requestsMax: 2, windowSeconds: 600 } });
  const chat = `${gateway.url}${chatPath}`;
  const { privateKey } = gateway.devnet.payer;
  const offer = decodeOffer(await post(chat, chatBody));
  const settled = await paymentFor(offer, privateKey);
  expect((await post(chat, chatBody, settled)).status).toBe(200);
  for (const content of ['one', 'two', 'three']) {
    const other = { ...chatBody, messages: [{ role: 'user', content }] };
    expect((await post(chat, other, settled)).status).toBe(402);
  }
  expect((await post(chat, chatBody, await paymentFor(offer, privateKey))).status).toBe(200);
  await gateway.stop();
});

it('D-227: payments without funds of one network get 429 at its limit, and other networks are served', async () => {
  const gateway = await startTestGateway({
    refusalRateLimit: { requestsMax: 2, windowSeconds: 600 },
    trustedProxies: 1,
  });
  const chat = `${gateway.url}${chatPath}`;
  const offer = decodeOffer(await post(chat, chatBody));
  const send = async (privateKey: string, from: string) =>
    post(chat, chatBody, { ...(await paymentFor(offer, privateKey)), 'X-Forwarded-For': from });
  const poor = () => send(Wallet.createRandom().privateKey, '2001:db8::1');
  for (const status of [402, 402, 429]) expect((await poor()).status).toBe(status);
  const { privateKey } = gateway.devnet.payer;
  const refused = await send(privateKey, '2001:db8::2');
  expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limited']);
  expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(500);
  expect((await send(privateKey, '2001:db8:0:1::1')).status).toBe(200);
  await gateway.stop();
});

describe('D-133: probes, the OpenAPI document and unknown paths have their own limit', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({
      addressRateLimit: { requestsMax: 1, windowSeconds: 600 },
      probeRateLimit: { requestsMax: 7, windowSeconds: 600 },
    });
  });
  afterAll(() => gateway.stop());

  it('returns 429 for each of them at that limit, independent of other requests', async () => {
    const fetchStatus = async (path: string, method = 'GET') =>
      (await fetch(`${gateway.url}${path}`, { method })).status;
    const free = async () => [
      await fetchStatus('/health'),
      await fetchStatus('/ready'),
      await fetchStatus('/openapi.json'),
      await fetchStatus('/.well-known/x402'),
      await fetchStatus('/no-such-path'),
      await fetchStatus('/health', 'DELETE'),
      await fetchStatus(chatPath, 'OPTIONS'),
    ];
    expect([await fetchStatus('/v1/models'), await fetchStatus('/v1/models')]).toEqual([200, 429]);
    expect(await free()).toEqual([200, 200, 200, 200, 404, 405, 204]);
    expect(await free()).toEqual([429, 429, 429, 429, 429, 429, 429]);
    const refused = await fetch(`${gateway.url}/health`);
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({
      error: { code: 'rate_limited', type: 'rate_limit_error' },
    });
  });
});

describe('D-62: the client that the rate limit counts', () => {
  const limited = { addressRateLimit: { requestsMax: 2, windowSeconds: 600 } };
  const from = (gateway: TestGateway, address: string) =>
    post(`${gateway.url}${chatPath}`, chatBody, { 'X-Forwarded-For': address });

  it('ignores X-Forwarded-For without a trusted proxy: a forged header gains nothing', async () => {
    const gateway = await startTestGateway(limited);
    const statuses: number[] = [];
    for (const host of [1, 2, 3]) statuses.push((await from(gateway, `203.0.113.${host}`)).status);
    expect(statuses).toEqual([402, 402, 429]);
    await gateway.stop();
  });

  it('counts each client behind one proxy apart, and ignores entries that the client forged', async () => {
    const gateway = await startTestGateway({ ...limited, trustedProxies: 1 });
    const statuses: number[] = [];
    for (const written of ['', '1.1.1.1, ', '2.2.2.2, '])
      statuses.push((await from(gateway, `${written}203.0.113.1`)).status);
    expect(statuses).toEqual([402, 402, 429]);
    expect((await from(gateway, '203.0.113.2')).status).toBe(402);
    await gateway.stop();
  });

  it('counts all addresses of an IPv6 network together (D-133)', async () => {
    const gateway = await startTestGateway({ ...limited, trustedProxies: 1 });
    const statuses: number[] = [];
    for (const address of ['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8:0:1::1'])
      statuses.push((await from(gateway, address)).status);
    expect(statuses).toEqual([402, 402, 429, 402]);
    await gateway.stop();
  });
});

describe('CORS: a client in a page reads the offer and sends the payment', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway();
  });
  afterAll(() => gateway.stop());
  const fromPage = { Origin: 'https://page.example' };

  it('the preflight allows the payment headers and needs no payment', async () => {
    const preflight = await fetch(`${gateway.url}${chatPath}`, { method: 'OPTIONS', headers: fromPage });
    expect(preflight.status).toBe(204);
    const allowed = preflight.headers.get('Access-Control-Allow-Headers') ?? '';
    for (const name of [
      'X-PAYMENT',
      'PAYMENT-SIGNATURE',
      'X-SETTLEMENT-TYPE',
      'Access-Control-Expose-Headers',
    ]) {
      expect(allowed).toContain(name);
    }
  });

  it.each([
    ['402', chatBody, 402],
    ['400', { ...chatBody, temperature: 9 }, 400],
  ])('a %s exposes the headers that a client reads', async (_name, body, status) => {
    const response = await post(`${gateway.url}${chatPath}`, body, fromPage);
    expect(response.status).toBe(status);
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*');
    const exposed = response.headers.get('Access-Control-Expose-Headers') ?? '';
    for (const name of ['X-PAYMENT-REQUIRED', 'X-PAYMENT-RESPONSE', 'Retry-After'])
      expect(exposed).toContain(name);
  });

  it('a client that is no browser gets no CORS headers', async () => {
    const response = await post(`${gateway.url}${chatPath}`, chatBody);
    expect(response.headers.get('Access-Control-Allow-Origin')).toBeNull();
  });
});

describe('The request id is read and returned', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway();
  });
  afterAll(() => gateway.stop());

  it('keeps the client’s id, and replaces one that could break a log', async () => {
    const fetchId = async (sent: string) =>
      (await post(`${gateway.url}${chatPath}`, chatBody, { 'X-Request-Id': sent })).headers.get(
        'X-Request-Id',
      );
    expect(await fetchId('mine-1')).toBe('mine-1');
    expect(await fetchId('a b"c')).toMatch(/^[0-9a-f-]{36}$/);
  });
});

it.each<[string, (at: number) => string]>([
  ['address', () => '192.0.2.1'],
  ['IPv6 site', (at) => `2001:db8:1:${at}::1`],
])(
  'D-223: requests of one %s for fresh evidence do not shut out another client',
  async (_name, addressOf) => {
    let calls = 0;
    const agent = await fakeSocket(({ body }) => {
      const { report_data: data } = JSON.parse(body) as { readonly report_data: string };
      const text = JSON.stringify({ quote: tdxQuote(Buffer.from(data, 'hex')).toString('hex') });
      calls += 1;
      // The report of the start, then four reports that hang.
      return calls > 1 && calls <= 5 ? null : { text };
    });
    const gateway = await startTestGateway({
      trustedProxies: 1,
      attestation: { provider: 'dstack', required: 'none', timeoutMs: 1_000, dstackSocket: agent.socket },
    });
    const ask = async (address: string) => {
      const url = `${gateway.url}/v1/attestation?nonce=0x${'ab'.repeat(32)}`;
      return (await fetch(url, { headers: { 'X-Forwarded-For': address } })).status;
    };
    const many = Array.from({ length: 40 }, (_, at) => ask(addressOf(at)));
    await expect.poll(() => calls).toBe(5);
    // The queue of the first client is full when one of its requests is rejected.
    expect(await Promise.race(many)).toBe(503);
    expect(await ask('192.0.2.2')).toBe(200);
    await Promise.all(many);
    await gateway.stop();
    await agent.close();
  },
);
