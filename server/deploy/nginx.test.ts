import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request as requestTls } from 'node:https';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { headerNames } from '@paid-inference/contract/constants';
import { RequestTooLargeBody, UnavailableBody } from '@paid-inference/contract/validators';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningGateway } from '../start/start.ts';
import { type CountingEngine, createCountingEngine } from '../testing/counting-engine.ts';
import { nginxProgram, startNginx } from '../testing/deploy/nginx.ts';
import { stopProxy } from '../testing/deploy/stop-proxy.ts';
import { makeTlsCertificate, type TlsCertificate } from '../testing/deploy/tls-certificate.ts';
import { findFreePort } from '../testing/free-port.ts';
import { createLiveText } from '../testing/live-text.ts';
import { chatBody, chatPath, decodeOffer, paymentFor, post } from '../testing/payer.ts';
import { openStartedGateways, type StartedGateways } from '../testing/started-gateways.ts';
import { systemClock } from '../types/clock.ts';

const requestsMax = 20;

let folder: string;
let fixture: StartedGateways;
let engine: CountingEngine;
let gateway: RunningGateway;
let proxy: ChildProcess | null = null;
let certificate: TlsCertificate;
let ports: { readonly http: number; readonly https: number };

/** Lets nginx pass all requests on to these gateways. */
async function proxyTo(...gateways: readonly string[]): Promise<void> {
  if (proxy !== null) await stopProxy(proxy);
  proxy = null;
  proxy = await startNginx({ folder, gateways, ports, tls: true });
}

/** A gateway that treats each request in its own way, once it has read it. */
async function openOther(respond: (socket: Socket) => void, port = 0) {
  let requests = 0;
  const server = createServer((socket) => {
    let received = '';
    socket.on('error', () => undefined);
    socket.on('data', (part) => {
      received += String(part);
      // The body of a chat request ends with a bracket.
      if (!received.endsWith('}')) return;
      requests += 1;
      respond(socket);
    });
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => requests,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

type Sent = { readonly body?: string; readonly headers?: Record<string, string>; readonly from?: string };

/** Sends a chat request through the proxy, by TLS, and returns at the head of the response. */
function send({
  body = JSON.stringify(chatBody),
  headers = {},
  from = '127.0.0.1',
}: Sent = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = requestTls({
      host: '127.0.0.1',
      port: ports.https,
      path: chatPath,
      method: 'POST',
      ca: certificate.cert,
      localAddress: from,
      agent: false,
      headers: { 'content-type': 'application/json', ...headers },
    });
    request.once('response', resolve);
    request.once('error', reject);
    request.end(body);
  });
}

/** Reads the whole response. */
async function exchange(sent?: Sent) {
  const response = await send(sent);
  const content = await text(response);
  const isJson = response.headers['content-type'] === 'application/json';
  return {
    status: response.statusCode,
    headers: response.headers,
    body: isJson ? JSON.parse(content) : content,
  };
}

const signed = async (): Promise<Record<string, string>> =>
  paymentFor(
    decodeOffer(await post(`${gateway.listensAt}${chatPath}`, chatBody)),
    fixture.devnet.payer.privateKey,
  );

describe.runIf(nginxProgram !== null)('nginx with the example configuration', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'paid-inference-nginx-'));
    certificate = await makeTlsCertificate(systemClock.nowSeconds(), 30);
    writeFileSync(join(folder, 'cert.pem'), certificate.cert);
    writeFileSync(join(folder, 'key.pem'), certificate.key, { mode: 0o600 });
    ports = { http: await findFreePort(), https: await findFreePort() };
    fixture = await openStartedGateways();
    engine = createCountingEngine();
    // The headers of the offers are longer than the usual buffer of nginx.
    const change = { TRUSTED_PROXIES: '1', PUBLIC_BASE_URL: `https://gateway.example/${'a'.repeat(600)}` };
    const limits = { addressRateLimit: { requestsMax, windowSeconds: 600 }, streamHeartbeatMs: 100_000 };
    const started = await fixture.start(change, engine, 10_000, limits);
    if (!started.ok) throw new Error(started.fault.join('\n'));
    gateway = started.value;
    await proxyTo(new URL(gateway.listensAt).host);
  });
  afterAll(async () => {
    if (proxy !== null) await stopProxy(proxy);
    await gateway.stop();
    await fixture.close();
    rmSync(folder, { recursive: true });
  });

  it('redirects to the public name, whatever name a client sends', async () => {
    const response = await fetch(`http://127.0.0.1:${ports.http}/v1/models?a=b`, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([
      308,
      'https://gateway.example/v1/models?a=b',
    ]);
  });

  it('passes offers on with all their headers, and sells', async () => {
    const { status, headers } = await exchange();
    expect(status).toBe(402);
    const direct = await post(`${gateway.listensAt}${chatPath}`, chatBody);
    for (const name of [headerNames.paymentRequired, headerNames.requestId])
      expect(Object.keys(headers)).toContain(name.toLowerCase());
    expect(headers[headerNames.paymentRequired.toLowerCase()]).toBe(
      direct.headers.get(headerNames.paymentRequired),
    );
    const paid = await exchange({ headers: await signed() });
    expect(paid).toMatchObject({ status: 200, body: { choices: [{ message: { content: 'pong' } }] } });
  });

  it('passes a stream on while the model writes', async () => {
    const live = createLiveText();
    engine.streaming = live.stream;
    try {
      const body = JSON.stringify({ ...chatBody, stream: true });
      const header = await paymentFor(
        decodeOffer(await post(`${gateway.listensAt}${chatPath}`, { ...chatBody, stream: true })),
        fixture.devnet.payer.privateKey,
      );
      const responded = send({ body, headers: header });
      live.write('first');
      const response = await responded;
      expect(response.headers['content-type']).toMatch(/^text\/event-stream/);
      let received = '';
      response.on('data', (chunk) => {
        received += String(chunk);
      });
      // The model has not ended yet.
      await expect.poll(() => received).toContain('first');
      live.write('second');
      await expect.poll(() => received).toContain('second');
      expect(received).not.toContain('[DONE]');
      const ended = new Promise((resolve) => response.once('end', resolve));
      live.end();
      await ended;
      expect(received).toContain('[DONE]');
    } finally {
      engine.streaming = null;
    }
  });

  it('leaves the error of a large payment to the gateway, and refuses a large body as the gateway does', async () => {
    const long = await exchange({ headers: { [headerNames.payment]: 'A'.repeat(15_000) } });
    expect([long.status, long.headers['content-type']]).toEqual([expect.any(Number), 'application/json']);
    expect(long.body).toHaveProperty('error');
    const large = await exchange({ body: JSON.stringify({ ...chatBody, user: 'a'.repeat(1_500_000) }) });
    expect([large.status, RequestTooLargeBody(large.body)]).toEqual([413, true]);
  });

  it('gives the gateway the address of each client, which a client cannot forge', async () => {
    const [one, other] = ['127.0.0.3', '127.0.0.4'];
    for (let each = 0; each < requestsMax; each++) expect((await exchange({ from: one })).status).toBe(402);
    const forged = { 'x-forwarded-for': '10.0.0.1' };
    expect((await exchange({ from: one, headers: forged })).status).toBe(429);
    expect((await exchange({ from: other })).status).toBe(402);
  });

  it('sends a paid request to another gateway when one dies with it, and the payment buys once (D-387)', async () => {
    await using dying = await openOther((socket) => socket.resetAndDestroy());
    await proxyTo(dying.host, new URL(gateway.listensAt).host);
    const runs = engine.runs;
    const headers = await signed();
    expect((await exchange({ headers })).status).toBe(200);
    expect([dying.count(), engine.runs - runs]).toEqual([1, 1]);
    const replayed = await exchange({ headers });
    expect([replayed.status, replayed.headers['idempotent-replayed']]).toEqual([200, 'true']);
  });

  it('tries a gateway that has started again with one of the next requests (D-387)', async () => {
    const port = await findFreePort();
    await proxyTo(`127.0.0.1:${port}`, new URL(gateway.listensAt).host);
    for (let each = 0; each < 2; each++) expect((await exchange()).status).toBe(402);
    const head =
      'HTTP/1.1 402 Payment Required\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}';
    await using started = await openOther((socket) => void socket.write(head), port);
    for (let each = 0; each < 2; each++) expect((await exchange()).status).toBe(402);
    expect(started.count()).toBe(1);
  });

  it('gives the 503 of a busy gateway to the client, and asks no other gateway (D-387)', async () => {
    const content = JSON.stringify({ error: { code: 'overloaded' } });
    const head = `HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 1\r\nContent-Length: ${content.length}\r\n\r\n`;
    await using busy = await openOther((socket) => void socket.write(head + content));
    await proxyTo(busy.host, new URL(gateway.listensAt).host);
    const refused = await exchange({ headers: await signed() });
    expect([refused.status, refused.headers['retry-after'], busy.count()]).toEqual([503, '1', 1]);
  });

  it('returns 503 with Retry-After when no gateway responds', async () => {
    await proxyTo(`127.0.0.1:${await findFreePort()}`);
    const { status, headers, body } = await exchange();
    expect([status, headers['retry-after'], UnavailableBody(body)]).toEqual([503, '1', true]);
  });
});
