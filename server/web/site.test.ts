import { chainId, endpoints, network } from '@paid-inference/contract/constants';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../testing/gateway.ts';
import { chatBody, chatPath, decodeOffer, decodeProof, paymentFor, post } from '../testing/payer.ts';
import type { SiteFacts } from './facts.ts';
import { contentSecurityPolicy } from './files.ts';
import type { SitePayment } from './payments.ts';

/** The header that Chromium sends when it opens a page. */
const browserAccept = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const open = (path: string, headers: Record<string, string> = { Accept: browserAccept }) =>
  fetch(gateway.url + path, { headers, redirect: 'error' });
const hash = `0x${'ab'.repeat(32)}`;

describe('The page', () => {
  it.each(['/', '/try', '/explorer', '/docs', `/tx/${hash}`, `/payment/${hash}?payer=0x1`, `/proof/${hash}`])(
    'is at %s for a browser, with a strict policy and no cookie',
    async (path) => {
      const response = await open(path);
      expect(response.status).toBe(200);
      expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('Content-Security-Policy')).toBe(contentSecurityPolicy);
      expect(response.headers.get('Cache-Control')).toBe('no-cache');
      expect(response.headers.get('Vary')).toContain('Accept');
      expect(response.headers.get('Set-Cookie')).toBeNull();
      const html = await response.text();
      expect(html).toMatch(/^<!doctype html>/);
      expect(html).not.toMatch(
        /<script(?![^>]*\bsrc="\.)|<style| style="| on\w+="|<(?:img|link|script)[^>]*="https?:/,
      );
    },
  );

  it('names its files and links by relative paths, because a proxy may add a path before it', async () => {
    for (const [path, root] of [
      ['/', './'],
      ['/docs', './'],
      [`/proof/${hash}`, '../'],
    ] as const) {
      const html = await (await open(path)).text();
      const links = [...html.matchAll(/ (?:src|href)="([^"]*)"/g)].map(([, link = '']) => link);
      expect(links.length).toBeGreaterThan(8);
      expect(links.filter((link) => !link.startsWith(root) && !/^(?:#|data:)/.test(link))).toEqual([]);
    }
  });

  it.each([{}, { Accept: '*/*' }, { Accept: 'application/json' }])(
    'is JSON at / for other clients, with the facts of the front page: %j',
    async (headers) => {
      const response = await open('/', headers);
      expect(response.status).toBe(200);
      expect(response.headers.get('Content-Type')).toBe('application/json');
      expect(response.headers.get('Vary')).toBe('Accept');
      expect(await response.json()).toEqual(await (await open('/web/facts.json')).json());
    },
  );

  it.each([{}, { Accept: '*/*' }, { Accept: 'application/json' }])(
    'is at no other path for other clients, which get the JSON of the contract: %j',
    async (headers) => {
      const response = await open('/try', headers);
      expect(response.status).toBe(404);
      expect(response.headers.get('Content-Type')).toBe('application/json');
      expect(response.headers.get('Vary')).toBe('Accept');
      expect(await response.json()).toEqual({
        error: {
          message: 'Unknown path; /openapi.json lists all paths.',
          type: 'invalid_request_error',
          code: 'not_found',
          param: null,
        },
      });
    },
  );

  it('changes no path of the contract: a browser gets JSON there too', async () => {
    for (const { path } of [endpoints.listModels, endpoints.getHealth, endpoints.getOpenApiDocument])
      expect((await open(path)).headers.get('Content-Type')).toBe('application/json');
  });

  it.each([
    '/tx',
    '/tx/1/2',
    '/docs/',
    '/web',
    '/web/assets/',
    '/web/assets/..%2f..%2fsite.ts',
    '/web/assets/none.js',
  ])('has no path %s', async (path) => {
    expect((await open(path)).status).toBe(404);
  });

  it('gets no other method', async () => {
    const response = await fetch(`${gateway.url}/`, { method: 'POST', headers: { Accept: browserAccept } });
    expect(response.status).toBe(404);
  });

  it('sends nothing again that the browser has', async () => {
    const first = await open('/docs');
    const etag = first.headers.get('ETag') ?? '';
    const again = await open('/docs', { Accept: browserAccept, 'If-None-Match': `"other", W/${etag}` });
    expect([again.status, await again.text()]).toEqual([304, '']);
    expect(again.headers.get('ETag')).toBe(etag);
    expect((await open('/docs', { Accept: browserAccept, 'If-None-Match': '"other"' })).status).toBe(200);
  });
});

describe('The scripts and styles of the page', () => {
  it('have names by content, and stay in the cache of the browser', async () => {
    const html = await (await open('/')).text();
    const names = [...html.matchAll(/(?:src|href)="\.(\/web\/assets\/[^"]+)"/g)].map(
      ([, name]) => name ?? '',
    );
    expect(names.length).toBeGreaterThanOrEqual(2);
    for (const name of names) {
      const response = await open(name, {});
      expect(response.status).toBe(200);
      expect(response.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable');
      expect(response.headers.get('Content-Type')).toMatch(/^text\/(javascript|css); charset=utf-8$/);
      expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff');
    }
  });

  it('are compressed for browsers that read it', async () => {
    const html = await (await open('/')).text();
    const [, name = ''] = /src="\.(\/web\/assets\/[^"]+)"/.exec(html) ?? [];
    const read = async (encoding: string) => {
      const response = await open(name, { 'Accept-Encoding': encoding });
      return { encoding: response.headers.get('Content-Encoding'), text: await response.text() };
    };
    const plain = await read('identity');
    expect(plain.encoding).toBeNull();
    expect(await read('gzip, deflate, br, zstd')).toEqual({ encoding: 'br', text: plain.text });
    expect(await read('gzip')).toEqual({ encoding: 'gzip', text: plain.text });
    expect(await read('br;q=0, gzip;q=0.0')).toEqual({ encoding: null, text: plain.text });
  });

  it('are sent as they are for a longer list of encodings or tags than those of browsers (D-343)', async () => {
    const long = ','.repeat(1_024);
    const plain = await open('/docs', { Accept: browserAccept, 'Accept-Encoding': 'identity' });
    const response = await open('/docs', {
      Accept: browserAccept,
      'Accept-Encoding': `br${long}`,
      'If-None-Match': `${plain.headers.get('ETag')}${long}`,
    });
    expect([response.status, response.headers.get('Content-Encoding')]).toEqual([200, null]);
  });
});

describe('The data of the page', () => {
  it('name what the gateway sells, and count settled payments without their payers', async () => {
    const { payer, token, payTo, ledger } = gateway.devnet;
    const facts = (await (await open('/web/facts.json')).json()) as SiteFacts;
    expect(facts).toMatchObject({
      gateway: gateway.url,
      network,
      chainId,
      token: { address: token.address, name: token.name, decimals: token.decimals },
      payTo,
      settledBy: 'relayers',
      proofLedger: { chainId: ledger.chainId, contract: ledger.contract },
      attestation: { provider: 'software', hardware: false },
      settled: { payments: 0, isAtLeast: false, hours: 24 },
      devnetPayer: payer.address,
    });
    expect(facts.models.map(({ id }) => id)).toContain(chatBody.model);
  });

  it('are the text for agents at /llms.txt, for every client', async () => {
    for (const headers of [{}, { Accept: browserAccept }]) {
      const response = await open('/llms.txt', headers);
      expect(response.headers.get('Content-Type')).toBe('text/plain; charset=utf-8');
      const text = await response.text();
      expect(text).toMatch(/^# Paid inference gateway\n\n> /);
      for (const part of [
        chatPath,
        'X-PAYMENT-REQUIRED',
        gateway.devnet.token.address,
        `\`${chatBody.model}\``,
      ])
        expect(text).toContain(part);
    }
  });

  it('show a payment to a visitor who knows its nonce and its payer, without request, completion and proof', async () => {
    const { payer } = gateway.devnet;
    const offer = decodeOffer(await post(gateway.url + chatPath, chatBody));
    const nonce = `0x${'cd'.repeat(32)}`;
    const paid = await post(
      gateway.url + chatPath,
      chatBody,
      await paymentFor(offer, payer.privateKey, { nonce }),
    );
    expect(paid.status).toBe(200);
    const response = await open(
      `/web/payments/${nonce}?payer=${payer.address.toUpperCase().replace('0X', '0x')}`,
    );
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    const text = await response.text();
    const payment = JSON.parse(text) as SitePayment;
    expect(payment).toMatchObject({
      state: expect.stringMatching(/^(settled|final)$/),
      payer: payer.address,
      payTo: offer.payTo,
      amount: offer.maxAmountRequired,
      nonce,
      settlementType: 'batch',
      txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    });
    expect(payment.settledAt).toBeGreaterThanOrEqual(payment.reservedAt);
    expect(text).not.toContain(decodeProof(paid).proofId);
    expect(text).not.toMatch(/signature|completion|ping/);
  });

  it.each([
    [`/web/payments/${hash}`, 400, 'payer'],
    ['/web/payments/1?payer=0x0000000000000000000000000000000000000001', 400, 'nonce'],
    [`/web/payments/${hash}?payer=0x0000000000000000000000000000000000000001`, 404, 'nonce'],
  ])('show nothing without both: %s', async (path, status, param) => {
    const response = await open(path);
    expect([response.status, ((await response.json()) as { error: { param: string } }).error.param]).toEqual([
      status,
      param,
    ]);
  });

  it('do not show the payment of one payer to another', async () => {
    const other = await gateway.devnet.fundPayer();
    const response = await open(`/web/payments/0x${'cd'.repeat(32)}?payer=${other.address}`);
    expect(response.status).toBe(404);
  });
});

describe('The chains, read through the gateway', () => {
  const call = async (chain: string, method: string, params: readonly unknown[] = []) => {
    const { status, body } = await post(`${gateway.url}/web/nodes/${chain}`, {
      jsonrpc: '2.0',
      id: 7,
      method,
      params,
    });
    expect([status, body.id]).toEqual([200, 7]);
    return body;
  };

  it('return what the verifier of the page needs', async () => {
    const { token, ledger } = gateway.devnet;
    expect(await call('payments', 'eth_chainId')).toMatchObject({ result: '0x14a34' });
    expect(await call('proofs', 'eth_chainId')).toMatchObject({ result: `0x${ledger.chainId.toString(16)}` });
    expect((await call('payments', 'eth_getCode', [token.address, 'latest'])).result).toMatch(
      /^0x[0-9a-f]{100}/,
    );
    expect((await call('proofs', 'eth_blockNumber')).result).toMatch(/^0x/);
  });

  it.each([
    ['eth_sendRawTransaction', ['0x']],
    ['anvil_setBalance', ['0x0000000000000000000000000000000000000001', '0x1']],
    ['eth_call', [{ to: '0x0000000000000000000000000000000000000001', data: '0x' }, 'latest']],
    ['eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }]],
    ['eth_getBlockByNumber', ['latest', true]],
    ['toString', []],
  ])('refuse %s', async (method, params) => {
    expect(await call('payments', method, params)).toMatchObject({ error: { code: -32_601 } });
  });
});
