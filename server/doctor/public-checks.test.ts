import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { endpoints, headerNames } from '@paid-inference/contract/constants';
import { encodePaymentRequirements } from '@paid-inference/contract/headers';
import type { PaymentRequirements } from '@paid-inference/contract/types';
import { afterEach, describe, expect, it } from 'vitest';
import { type Config, configSchema } from '../config/schema.ts';
import { makeTlsCertificate } from '../testing/deploy/tls-certificate.ts';
import { findFreePort } from '../testing/free-port.ts';
import { manualClock, systemClock } from '../types/clock.ts';
import { checkCertificate } from './check-certificate.ts';
import { checkGateway } from './check-gateway.ts';
import { checkPublicUrl } from './check-public-url.ts';
import type { Deployment } from './deployment.ts';

const payTo = `0x${'34'.repeat(20)}`;
const chain = { rpcUrl: 'http://127.0.0.1:1', asset: `0x${'12'.repeat(20)}`, tokenName: 'T', payTo };
const { path } = endpoints.createChatCompletion;
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

function deployment(settings: Partial<Record<keyof Config, unknown>>): Deployment {
  const config = configSchema.parse({ chain, ...settings });
  return { loaded: { config, relayerKeys: [] }, environment: {}, clock: systemClock };
}

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const serve = async (listener: RequestListener) => `http://127.0.0.1:${await listen(createServer(listener))}`;

/** Serves offers, with changes. */
const serveOffers = async (change: (url: string) => Partial<PaymentRequirements>): Promise<string> => {
  const url: string = await serve((request, response) => {
    const offer: PaymentRequirements = {
      scheme: 'exact',
      network: 'eip155:84532',
      maxAmountRequired: '1000',
      resource: `${url}${path}`,
      description: 'Chat completion',
      mimeType: 'application/json',
      payTo,
      maxTimeoutSeconds: 300,
      asset: chain.asset,
      extra: { name: 'T', version: '1' },
      ...change(url),
    };
    const isAsked = request.method === 'POST' && request.url === path;
    response.writeHead(isAsked ? 402 : 404, {
      [headerNames.paymentRequired]: encodePaymentRequirements(offer),
    });
    response.end('{}');
  });
  return url;
};

const checkUrl = async (publicBaseUrl: string, more: Partial<Record<keyof Config, unknown>> = {}) =>
  (await checkPublicUrl(deployment({ publicBaseUrl, ...more }))).map(
    ({ check, status, text }) => `${status} ${check}: ${text}`,
  );

describe('The public URL', () => {
  it('is right if its 402 names the recipient and the resource', async () => {
    const url = await serveOffers(() => ({}));
    expect(await checkUrl(url)).toEqual([
      `ok public-url: The 402 of ${url}${path} names this recipient and this resource.`,
    ]);
  });

  it.each([
    [
      'another recipient',
      () => ({ payTo: `0x${'99'.repeat(20)}` }),
      /pays 0x9{40}, and PAY_TO is 0x(34){20}\. Another gateway/,
    ],
    [
      'another resource',
      () => ({ resource: 'http://inner.example/v1' }),
      /names the resource http:\/\/inner.*PUBLIC_BASE_URL/,
    ],
  ])('is wrong if its 402 names %s', async (_name, change, sentence) => {
    expect(await checkUrl(await serveOffers(change))).toEqual([
      expect.stringMatching(/^failed public-url: /),
    ]);
    expect(await checkUrl(await serveOffers(change))).toEqual([expect.stringMatching(sentence)]);
  });

  it.each([
    [404, 'failed', /Let the proxy pass all paths/],
    [301, 'failed', /leads to https:\/\/there\.example\/.*Set PUBLIC_BASE_URL/],
    [429, 'warning', /rate limit/],
    [502, 'failed', /down or not ready, or the proxy limits headers/],
    [400, 'failed', /another catalog/],
  ])('that returns %d is %s, with what to do', async (status, result, sentence) => {
    const url = await serve((_request, response) => {
      response.writeHead(status, { location: 'https://there.example/' }).end();
    });
    const [line] = await checkUrl(url);
    expect(line).toMatch(new RegExp(`^${result} public-url: .* returns ${status} and no offer`));
    expect(line).toMatch(sentence);
  });

  it('fails if its 402 has no offer in a header', async () => {
    const url = await serve((_request, response) => response.writeHead(402).end('{}'));
    expect(await checkUrl(url)).toEqual([expect.stringMatching(/no valid offer: .*pass all headers/)]);
  });

  it('fails if nothing listens there', async () => {
    const url = `http://127.0.0.1:${await findFreePort()}`;
    expect(await checkUrl(url)).toEqual([expect.stringMatching(/cannot be reached \(ECONNREFUSED\)/)]);
    // Neither do browsers connect to this port.
    expect(await checkUrl('http://127.0.0.1:6000')).toEqual([
      expect.stringMatching(/cannot be reached \(bad port\)/),
    ]);
  });

  it('is missing, as a warning on a real chain', async () => {
    expect(await checkPublicUrl(deployment({}))).toMatchObject([
      { status: 'warning', text: expect.stringContaining('PUBLIC_BASE_URL is not set') },
    ]);
  });
});

describe('TLS', () => {
  const now = systemClock.nowSeconds();
  const certificates: string[] = [];

  async function serveTls(days: number): Promise<URL> {
    const certificate = await makeTlsCertificate(now, days);
    certificates.push(certificate.cert);
    const server = createTlsServer(certificate, (_request, response) => response.end());
    return new URL(`https://127.0.0.1:${await listen(server)}`);
  }

  it('fails for a certificate that clients do not trust, and asks for no offer then', async () => {
    const url = await serveTls(100);
    expect(await checkUrl(url.origin, { trustedProxies: 1 })).toEqual([
      `failed tls: The certificate of ${url.host} is self-signed, so clients reject it. Get one from an authority that clients trust.`,
    ]);
  });

  it('is right for a trusted certificate, and warns before the certificate ends', async () => {
    const trusted = getCACertificates('default');
    const clock = manualClock(now);
    const [long, short] = [await serveTls(100), await serveTls(5)];
    setDefaultCACertificates([...trusted, ...certificates]);
    try {
      expect(await checkCertificate(long, clock)).toMatchObject({
        status: 'ok',
        text: `The certificate of ${long.host} is valid for 100 more days.`,
      });
      expect(await checkCertificate(short, clock)).toMatchObject({
        status: 'warning',
        text: `The certificate of ${short.host} is valid for 5 more days. Renew it.`,
      });
    } finally {
      setDefaultCACertificates(trusted);
    }
  });

  it('shows that a proxy is in front, which the settings must count', async () => {
    const url = await serveTls(100);
    expect(await checkUrl(url.origin)).toContainEqual(
      expect.stringMatching(/^warning public-url: .*TRUSTED_PROXIES is 0\. /),
    );
  });

  it('fails if nothing listens there', async () => {
    const url = new URL(`https://127.0.0.1:${await findFreePort()}`);
    expect(await checkCertificate(url, systemClock)).toEqual({
      check: 'tls',
      status: 'failed',
      text: `Nothing listens at ${url.host}. Start the proxy in front of the gateway.`,
    });
  });
});

describe('The gateway at the address of the settings', () => {
  const check = async (listener: RequestListener) => {
    const port = Number(new URL(await serve(listener)).port);
    return checkGateway(deployment({ port }));
  };
  const report = (checks: readonly object[], status = 'ready') =>
    check((_request, response) => response.end(JSON.stringify({ status, checks })));

  it('is ready', async () => {
    expect(await report([{ name: 'store', ready: true }])).toMatchObject([
      { check: 'gateway', status: 'ok' },
    ]);
  });

  it('reports each of its own checks that fails, and each of its warnings', async () => {
    const checks = [
      { name: 'store', ready: false, detail: 'the disk is full' },
      { name: 'proofs', ready: true, detail: 'the proof ledger does not respond' },
    ];
    expect(await report(checks, 'not_ready')).toMatchObject([
      { status: 'failed', text: expect.stringMatching(/reports about store: the disk is full\.$/) },
      {
        status: 'warning',
        text: expect.stringMatching(/reports about proofs: the proof ledger does not respond\.$/),
      },
    ]);
  });

  it('does not run, as a warning', async () => {
    expect(await checkGateway(deployment({ port: await findFreePort() }))).toMatchObject([
      {
        status: 'warning',
        text: expect.stringMatching(/^No gateway listens at http:\/\/127\.0\.0\.1:\d+\. Start it\.$/),
      },
    ]);
  });

  it('does not respond in a way of HTTP, or is another program', async () => {
    const server = createSocketServer((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    expect(await checkGateway(deployment({ port: (server.address() as AddressInfo).port }))).toMatchObject([
      {
        status: 'failed',
        text: expect.stringMatching(/does not respond as a gateway: .*set PORT to another one/),
      },
    ]);
    server.close();

    expect(await check((_request, response) => response.end('hello'))).toMatchObject([
      { status: 'failed', text: expect.stringMatching(/^Port \d+ of 127\.0\.0\.1 is in use\. Set PORT/) },
    ]);
  });
});
