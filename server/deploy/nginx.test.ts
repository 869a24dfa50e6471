import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request as requestTls } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { headerNames } from '@paid-inference/contract/constants';
import { RequestTooLargeBody, UnavailableBody } from '@paid-inference/contract/validators';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { RunningGateway } from '../start/start.ts';
import { type CountingEngine, createCountingEngine } from '../testing/counting-engine.ts';
import { makeTlsCertificate, type TlsCertificate } from '../testing/deploy/tls-certificate.ts';
import { findFreePort } from '../testing/free-port.ts';
import { createLiveText } from '../testing/live-text.ts';
import { chatBody, chatPath, decodeOffer, paymentFor, post } from '../testing/payer.ts';
import { openStartedGateways, type StartedGateways } from '../testing/started-gateways.ts';
import { systemClock } from '../types/clock.ts';

const nginx = ['/usr/sbin/nginx', '/usr/local/sbin/nginx', '/usr/bin/nginx'].find((path) => existsSync(path));
const example = readFileSync(new URL('./nginx.conf', import.meta.url), 'utf8');
const requestsMax = 20;

let folder: string;
let fixture: StartedGateways;
let engine: CountingEngine;
let gateway: RunningGateway;
let proxy: ChildProcess | null = null;
let certificate: TlsCertificate;
let ports: { readonly http: number; readonly https: number };

/** The example with the ports and files of this test. The rest stays as it is. */
function configure(upstream: string): string {
  const changes: readonly (readonly [string, string])[] = [
    ['server gateway:8402;', `server ${upstream};`],
    ['listen 80;', `listen 127.0.0.1:${ports.http};`],
    ['listen 443 ssl;', `listen 127.0.0.1:${ports.https} ssl;`],
    ['/etc/nginx/tls/fullchain.pem', join(folder, 'cert.pem')],
    ['/etc/nginx/tls/privkey.pem', join(folder, 'key.pem')],
  ];
  let changed = example;
  for (const [from, to] of changes) {
    expect(changed).toContain(from);
    changed = changed.replace(from, to);
  }
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  return `${user} daemon off; worker_processes 1; pid ${join(folder, 'nginx.pid')}; error_log stderr crit;
    events { worker_connections 256; }
    http { access_log off; ${temporary.join(' ')}\n${changed}\n}`;
}

async function startProxy(upstream: string): Promise<ChildProcess> {
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, configure(upstream));
  const child = spawn(nginx ?? '', ['-e', 'stderr', '-p', folder, '-c', file], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    await vi.waitFor(() => connectTo(ports.https), { interval: 20, timeout: 10_000 });
  } catch (cause) {
    child.kill('SIGKILL');
    throw cause;
  }
  return child;
}

/** Rejects while nothing listens on the port. */
async function connectTo(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.destroy();
}

async function stopProxy(): Promise<void> {
  if (proxy === null) return;
  const ended = once(proxy, 'close');
  proxy.kill('SIGTERM');
  await ended;
  proxy = null;
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

describe.runIf(nginx !== undefined)('nginx with the example configuration', () => {
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
    proxy = await startProxy(new URL(gateway.listensAt).host);
  });
  afterAll(async () => {
    await stopProxy();
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

  it('returns 503 with Retry-After when no gateway responds', async () => {
    await stopProxy();
    proxy = await startProxy(`127.0.0.1:${await findFreePort()}`);
    const { status, headers, body } = await exchange();
    expect([status, headers['retry-after'], UnavailableBody(body)]).toEqual([503, '1', true]);
  });
});
