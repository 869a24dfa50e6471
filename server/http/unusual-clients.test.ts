import { once } from 'node:events';
import { headerNames } from '@paid-inference/contract/constants';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { startTestGateway, type TestGateway } from '../testing/gateway.ts';
import { chatBody, decodeOffer, chatPath as path, paymentFor, post } from '../testing/payer.ts';
import { connectRaw, type RawClient, statusesIn } from '../testing/raw-client.ts';
import { fail } from '../types/result.ts';

let gateway: TestGateway;
const clients: RawClient[] = [];

beforeAll(async () => {
  gateway = await startTestGateway({ headersTimeoutMs: 500, bodyTimeoutMs: 500 });
});
afterEach(() => {
  for (const { socket } of clients.splice(0)) socket.destroy();
});
afterAll(() => gateway.stop());

const body = JSON.stringify(chatBody);

async function client(): Promise<RawClient> {
  const connected = await connectRaw(gateway.url);
  clients.push(connected);
  return connected;
}

/** Sends bytes, and reads until the gateway closes the connection. */
async function wholeResponseTo(bytes: string): Promise<string> {
  const { write, readAll } = await client();
  write(bytes);
  return readAll();
}

/** A chat request. By default it is the last of its connection. */
function request(headers: readonly string[], content = body, last = true): string {
  const head = [
    'Host: x',
    'Content-Type: application/json',
    ...headers,
    ...(last ? ['Connection: close'] : []),
  ];
  return `POST ${path} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${content}`;
}
const sized = (content = body) => `Content-Length: ${Buffer.byteLength(content)}`;
const chunked = 'Transfer-Encoding: chunked';
const chunk = (text: string, extension = '') =>
  `${Buffer.byteLength(text).toString(16)}${extension}\r\n${text}\r\n`;

it('a payment that has lost its Content-Type gets 415, costs nothing, and buys with the right one (D-356)', async () => {
  const chat = `${gateway.url}${path}`;
  const paid = () => gateway.balanceOf(gateway.devnet.payTo);
  const offer = decodeOffer(await post(chat, chatBody));
  const headers = await paymentFor(offer, gateway.devnet.payer.privateKey);
  const before = await paid();
  // The type of a text without a header is text/plain in fetch.
  const refused = await fetch(chat, { method: 'POST', headers, body });
  expect([refused.status, await refused.json()]).toMatchObject([415, { error: { param: 'Content-Type' } }]);
  expect(await paid()).toBe(before);
  expect((await post(chat, body, headers)).status).toBe(200);
  expect(await paid()).toBe(before + BigInt(offer.maxAmountRequired));
});

it.each(['/chat/completions', '/v1/v1/chat/completions'])(
  'a wrong base URL that makes %s gets 404 with the right path',
  async (wrong) => {
    const response = await post(`${gateway.url}${wrong}`, chatBody);
    const message = `Unknown path; /openapi.json lists all paths. The API has ${path}, so check the base URL.`;
    expect([response.status, response.body]).toMatchObject([404, { error: { message } }]);
  },
);

describe('Expect (D-132)', () => {
  it('100-continue gets 100, then the gateway reads the body', async () => {
    const { write, readUntil, readAll } = await client();
    write(request(['Expect: 100-continue', sized()], ''));
    expect(statusesIn(await readUntil('100 Continue\r\n\r\n'))).toEqual([100]);
    write(body);
    expect(statusesIn(await readAll())).toEqual([100, 402]);
  });

  it.each([
    ['a body over its limit', ['Content-Type: application/json', 'Content-Length: 2000000'], 413],
    ['a body of another type', ['Content-Type: text/plain', sized()], 415],
  ])('%s is refused before the client sends it, and the connection ends', async (_name, headers, status) => {
    const bytes = `POST ${path} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n${headers.join('\r\n')}\r\n\r\n`;
    const received = await wholeResponseTo(bytes);
    expect(statusesIn(received)).toEqual([status]);
    expect(received).toContain('Connection: close');
  });

  it('on an unknown path returns 404 without 100', async () => {
    const bytes = `POST /nowhere HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n${sized()}\r\n\r\n`;
    expect(statusesIn(await wholeResponseTo(bytes))).toEqual([404]);
  });

  it.each(['the-impossible', '', '100'])('%j is ignored', async (expectation) => {
    expect(statusesIn(await wholeResponseTo(request([`Expect: ${expectation}`, sized()])))).toEqual([402]);
  });

  it('in a pipeline is answered in order', async () => {
    const first = request([sized()], body, false);
    const received = await wholeResponseTo(first + request(['Expect: 100-continue', sized()]));
    expect(statusesIn(received)).toEqual([402, 100, 402]);
  });
});

describe('Rare and valid requests', () => {
  it.each([
    ['Upgrade: websocket', ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']],
    ['Upgrade: h2c', ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk']],
  ])('%s is ignored', async (_name, headers) => {
    const { write, readUntil } = await client();
    write(request([...headers, sized()], body, false));
    expect(statusesIn(await readUntil('accepts'))).toEqual([402]);
  });

  it.each(['elsewhere.example', '[elsewhere', ''])(
    'accepts a target in absolute form and ignores its host "%s"',
    async (host) => {
      const absolute = request([sized()]).replace(path, `http://${host}${path}`);
      const received = await wholeResponseTo(absolute);
      expect(statusesIn(received)).toEqual([402]);
      expect(received).not.toContain('elsewhere');
    },
  );

  it('accepts chunks of one byte, chunk extensions and trailers', async () => {
    const content = [...body].map((letter) => chunk(letter, ';a=b')).join('');
    const received = await wholeResponseTo(request([chunked], `${content}0\r\nX-Trailer: x\r\n\r\n`));
    expect(statusesIn(received)).toEqual([402]);
  });

  it('accepts the longest target (D-210)', async () => {
    const longest = `${path}?${'a'.repeat(2_048 - path.length - 1)}`;
    expect(statusesIn(await wholeResponseTo(request([sized()]).replace(path, longest)))).toEqual([402]);
    const longer = await wholeResponseTo(request([sized()]).replace(path, `${longest}a`));
    expect(statusesIn(longer)).toEqual([413]);
    expect(longer).toContain('The path and the query are over 2048 bytes.');
  });

  it('accepts the maximum number of headers', async () => {
    const headers = Array.from({ length: 195 }, (_, at) => `X-${at}: y`);
    expect(statusesIn(await wholeResponseTo(request([...headers, sized()])))).toEqual([402]);
  });
});

describe('Excessive or invalid requests', () => {
  const error = (received: string) => JSON.parse(received.slice(received.indexOf('{'))).error;

  it.each([
    [
      'more headers than allowed',
      Array.from({ length: 300 }, (_, at) => `X-${at}: y`),
      413,
      'request_too_large',
    ],
    ['a name twice', ['Content-Length: 5', 'Content-Length: 6'], 400, 'invalid_request'],
  ])('%s', async (_name, headers, status, code) => {
    const received = await wholeResponseTo(request([...headers, sized()]));
    expect(statusesIn(received)).toEqual([status]);
    expect(error(received)).toMatchObject({ code });
  });

  it('a payment header behind 2,500 others gets an error response', async () => {
    const headers = Array.from({ length: 2_500 }, () => 'X: ');
    const received = await wholeResponseTo(request([...headers, 'X-PAYMENT: x', sized()]));
    expect(statusesIn(received)).toEqual([413]);
  });

  it('no Host', async () => {
    const received = await wholeResponseTo(request([sized()]).replace('Host: x\r\n', ''));
    expect(statusesIn(received)).toEqual([400]);
    expect(error(received)).toMatchObject({ code: 'invalid_request', param: 'Host' });
  });

  it.each([
    ['an endless chunk extension', chunk('{', `;${'x'.repeat(20_000)}`)],
    ['trailers above the limit of headers', `${chunk(body)}0\r\nX: ${'y'.repeat(40_000)}\r\n\r\n`],
    ['a chunk without a size', 'x\r\n'],
  ])('%s', async (_name, content) => {
    const received = await wholeResponseTo(request([chunked], content));
    expect(statusesIn(received)[0]).toBeGreaterThanOrEqual(400);
    expect(statusesIn(received)[0]).toBeLessThan(500);
    expect(error(received)).toMatchObject({ type: 'invalid_request_error' });
  });

  it.each([
    ['headers', `POST ${path} HTTP/1.1\r\nHost: x\r\nX-`],
    ['a body', request(['Content-Length: 1000'], '{')],
    ['chunks', request([chunked], '5\r\n{"a"')],
  ])('%s that stop arriving', async (_name, bytes) => {
    expect(statusesIn(await wholeResponseTo(bytes))).toEqual([400]);
  });
});

describe('A payment in a pipeline (D-132)', () => {
  it('is accepted once for each request, in order, and so are the responses', async () => {
    const offer = decodeOffer(await post(`${gateway.url}${path}`, chatBody));
    const { privateKey, address } = gateway.devnet.payer;
    const payments = [await paymentFor(offer, privateKey), await paymentFor(offer, privateKey)];
    const paid = payments.map((payment, at) =>
      request([`${headerNames.payment}: ${payment[headerNames.payment]}`, sized()], body, at === 0),
    );
    const before = await gateway.balanceOf(address);
    const [first = '', second = ''] = paid;
    const received = await wholeResponseTo(second + request([sized()], body, false) + first);
    expect(statusesIn(received)).toEqual([200, 402, 200]);
    expect(before - (await gateway.balanceOf(address))).toBe(2n * BigInt(offer.maxAmountRequired));
  });

  it('is not accepted when its client left before its turn', async () => {
    const offer = decodeOffer(await post(`${gateway.url}${path}`, chatBody));
    const { privateKey, address } = gateway.devnet.payer;
    const [payment, behind] = [await paymentFor(offer, privateKey), await paymentFor(offer, privateKey)];
    const before = await gateway.balanceOf(address);
    const { engine } = gateway;
    const { answering, runs } = engine;
    const cancelled = Promise.withResolvers<void>();
    engine.answering = async (_task, { signal }) => {
      await once(signal, 'abort');
      cancelled.resolve();
      return fail({ kind: 'cancelled', detail: 'its client left' });
    };
    const { write, socket } = await client();
    for (const each of [payment, behind])
      write(request([`${headerNames.payment}: ${each[headerNames.payment]}`, sized()], body, false));
    await expect.poll(() => engine.runs).toBe(runs + 1);
    socket.destroy();
    await cancelled.promise;
    engine.answering = answering;
    expect((await post(`${gateway.url}${path}`, chatBody)).status).toBe(402);
    expect(engine.runs).toBe(runs + 1);
    expect(await gateway.balanceOf(address)).toBe(before);
  });
});

describe('A body that never changes (D-132)', () => {
  it.each(['/openapi.json', '/v1/models', '/v1/models/alder/alder-mini', '/v1/attestation', '/health'])(
    'is serialized once: every response of %s sends the same bytes',
    async (target) => {
      const stringify = vi.spyOn(JSON, 'stringify');
      const texts: string[] = [];
      for (let each = 0; each < 2; each++) texts.push(await (await fetch(`${gateway.url}${target}`)).text());
      const serialized = stringify.mock.results.filter(({ value }) => value === texts[0]);
      stringify.mockRestore();
      expect(serialized.length).toBeLessThanOrEqual(1);
      expect(texts[1]).toBe(texts[0]);
    },
  );
});
