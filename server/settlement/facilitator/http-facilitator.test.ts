import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keepWalletSignature } from '../../chain/wallet-signature.ts';
import type { PaymentRecord } from '../../store/store.ts';
import { readFacilitatorCall } from '../../testing/facilitator/facilitator-call.ts';
import { type Address, atomicAmount, type Bytes32, type Hex, unixSeconds } from '../../types/units.ts';
import { createHttpFacilitator, hashFacilitatorUrl } from './http-facilitator.ts';
import { facilitatorRequest } from './request.ts';

const payer = `0x${'4a'.repeat(20)}` as Address;
const payment: PaymentRecord = {
  id: 7,
  state: 'executed',
  createdAt: unixSeconds(1_799_999_900),
  asset: `0x${'a5'.repeat(20)}` as Address,
  authorization: {
    from: payer,
    to: `0x${'1b'.repeat(20)}` as Address,
    value: atomicAmount(1_500n),
    validAfter: 0n,
    validBefore: 1_900_000_000n,
    nonce: `0x${'66'.repeat(32)}` as Bytes32,
  },
  signature: `0x${'55'.repeat(64)}01` as Hex,
  fingerprint: 'what was asked',
  settlementType: 'private',
  leaseUntil: unixSeconds(1_800_000_000),
  completion: 'what was answered',
  proof: null,
  isOwed: false,
  owedRuns: 0,
  txHash: null,
  failure: null,
};
const terms = {
  publicBaseUrl: 'https://gateway.example',
  tokenName: 'Test Payment Token',
  offerValiditySeconds: 300,
};

describe('The body of /verify and /settle', () => {
  it.each([1, 2] as const)('has every field of version %i, and none of the other version', (version) => {
    const body = JSON.stringify(facilitatorRequest(version, payment, terms));
    expect(readFacilitatorCall(body)).toEqual({
      x402Version: version,
      network: version === 1 ? 'base-sepolia' : 'eip155:84532',
      asset: payment.asset,
      payTo: payment.authorization.to,
      amount: '1500',
      domain: { name: 'Test Payment Token', version: '1' },
      // The token needs a v of 27 or 28, and the client wrote 1 (D-04).
      signature: `0x${'55'.repeat(64)}1c`,
      authorization: {
        from: payer,
        to: payment.authorization.to,
        value: '1500',
        validAfter: '0',
        validBefore: '1900000000',
        nonce: payment.authorization.nonce,
      },
    });
  });

  it.each([
    ['00', '1b'],
    ['1b', '1b'],
    ['01', '1c'],
    ['1c', '1c'],
  ])('writes a v of %s as %s', (written, sent) => {
    const signature = `0x${'55'.repeat(64)}${written}` as Hex;
    const call = readFacilitatorCall(JSON.stringify(facilitatorRequest(2, { ...payment, signature }, terms)));
    expect(call).toMatchObject({ signature: `0x${'55'.repeat(64)}${sent}` });
  });

  it.each([1, 2] as const)(
    'has the signature of a contract wallet as the wallet made it, in version %i (D-293)',
    (version) => {
      for (const signature of ['0x', '0x71', `0x${'01'.repeat(65)}`, `0x${'5e'.repeat(300)}`] as Hex[]) {
        const kept = { ...payment, signature: keepWalletSignature(signature) };
        const body = facilitatorRequest(version, kept, terms);
        expect(body).toMatchObject({ paymentPayload: { payload: { signature } } });
      }
    },
  );

  it.each([1, 2] as const)('holds neither the request nor the completion, in version %i', (version) => {
    expect(JSON.stringify(facilitatorRequest(version, payment, terms))).not.toContain('what was');
  });
});

describe('The facilitator client', () => {
  type Respond = (request: IncomingMessage, response: ServerResponse) => void;
  let respond: Respond;
  let seen: IncomingMessage[];
  let port: number;
  const server = createServer((request, response) => {
    seen.push(request);
    request.resume().on('end', () => respond(request, response));
  });

  beforeEach(async () => {
    seen = [];
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  const open = (
    credentials = '',
    path = '',
    options: { readonly token?: string; readonly verifyTimeoutMs?: number } = {},
  ) =>
    createHttpFacilitator({
      url: `http://${credentials}127.0.0.1:${port}${path}`,
      token: null,
      terms,
      verifyTimeoutMs: 2_000,
      settleTimeoutMs: 2_000,
      settlementsMax: 1,
      ...options,
    });
  const json = (body: unknown): Respond => {
    return (_request, response) => response.writeHead(200).end(JSON.stringify(body));
  };
  const wanted = new AbortController().signal;

  it('sends the three calls below the URL, with its query, also for a URL that ends in a slash', async () => {
    for (const path of ['/x402?key=1', '/x402/?key=1']) {
      const facilitator = open('', path);
      respond = json({ kinds: [], isValid: true, success: true, transaction: payment.authorization.nonce });
      await facilitator.supported();
      await facilitator.verify(2, payment);
      await facilitator.settle(1, payment, wanted);
      await facilitator.close();
      expect(seen.splice(0).map(({ method, url }) => `${method} ${url}`)).toEqual([
        'GET /x402/supported?key=1',
        'POST /x402/verify?key=1',
        'POST /x402/settle?key=1',
      ]);
    }
  });

  it('sends the token, or the credentials of the URL, or nothing', async () => {
    respond = json({ kinds: [] });
    const basic = `Basic ${Buffer.from('user:pass word').toString('base64')}`;
    for (const [facilitator, authorization] of [
      [open('', '', { token: 't0ken' }), 'Bearer t0ken'],
      [open('user:pass%20word@'), basic],
      [open(), undefined],
    ] as const) {
      await facilitator.supported();
      await facilitator.close();
      expect(seen.pop()?.headers.authorization).toBe(authorization);
    }
  });

  it('returns a fault after a timeout, and at once when the caller aborts', async () => {
    respond = () => undefined;
    const facilitator = open('', '', { verifyTimeoutMs: 50 });
    const fault = expect.stringMatching(/^no response within \d\d ms$/);
    expect(await facilitator.verify(2, payment)).toEqual({ ok: false, fault });
    const leaving = new AbortController();
    const settling = facilitator.settle(2, payment, leaving.signal);
    await expect.poll(() => seen.length).toBe(2);
    leaving.abort();
    expect(await settling).toEqual({ ok: false, fault: 'the caller no longer waits' });
    await facilitator.close();
  });

  it('verifies while a settlement hangs', async () => {
    respond = (request, response) => {
      if (request.url === '/verify') json({ isValid: true })(request, response);
    };
    const facilitator = open();
    const leaving = new AbortController();
    const settling = facilitator.settle(2, payment, leaving.signal);
    await expect.poll(() => seen.length).toBe(1);
    expect(await facilitator.verify(2, payment)).toEqual({ ok: true, value: { isValid: true } });
    leaving.abort();
    await settling;
    await facilitator.close();
  });

  it('verifies at most 16 payments of one payer at once, and leaves connections to others (D-164)', async () => {
    const responses: ServerResponse[] = [];
    respond = (_request, response) => responses.push(response);
    const facilitator = open();
    const crowd = Array.from({ length: 40 }, () => facilitator.verify(2, payment));
    await expect.poll(() => responses.length).toBe(16);
    const from = `0x${'4b'.repeat(20)}` as Address;
    const other = { ...payment, authorization: { ...payment.authorization, from } };
    const verified = facilitator.verify(2, other);
    await expect.poll(() => responses.length).toBe(17);
    const valid = json({ isValid: true });
    valid(seen[16] as IncomingMessage, responses[16] as ServerResponse);
    expect(await verified).toEqual({ ok: true, value: { isValid: true } });
    respond = valid;
    for (const [at, response] of responses.entries())
      if (at !== 16) valid(seen[at] as IncomingMessage, response);
    for (const each of await Promise.all(crowd)) expect(each.ok).toBe(true);
    await facilitator.close();
  });

  it('rejects a response that is larger than the limit', async () => {
    respond = (_request, response) =>
      response.end(JSON.stringify({ isValid: true, more: 'x'.repeat(300_000) }));
    const facilitator = open();
    expect(await facilitator.verify(2, payment)).toEqual({
      ok: false,
      fault: 'the response is larger than 262144 bytes',
    });
    await facilitator.close();
  });

  it('returns a fault without the URL and its credentials when the connection fails', async () => {
    respond = (request) => request.socket.destroy();
    const facilitator = open('user:pass-w0rd@', '/k3y-s3cret?key=an0ther-s3cret');
    const responses = [await facilitator.supported(), await facilitator.settle(1, payment, wanted)];
    await facilitator.close();
    expect(responses).toEqual(Array(2).fill({ ok: false, fault: expect.stringMatching(/^no connection/) }));
    expect(JSON.stringify(responses)).not.toMatch(/w0rd|s3cret|127\.0/);
  });

  it('throws for a URL that is not HTTP, without repeating it', () => {
    const options = { token: null, terms, verifyTimeoutMs: 1, settleTimeoutMs: 1, settlementsMax: 1 };
    expect(() => createHttpFacilitator({ ...options, url: 'ftp://s3cret' })).toThrow(/^(?!.*s3cret)/);
  });
});

describe('The lease of a facilitator in the store', () => {
  it('is the same for one facilitator URL whatever its credentials, and holds no credentials', () => {
    const relayer = hashFacilitatorUrl('https://one:key@facilitator.example/x402');
    expect(relayer).toMatch(/^0x[0-9a-f]{40}$/);
    for (const same of ['https://facilitator.example/x402/', 'https://two@facilitator.example/x402?key=1'])
      expect(hashFacilitatorUrl(same)).toBe(relayer);
    for (const other of ['https://facilitator.example/', 'https://facilitator.example:8443/x402'])
      expect(hashFacilitatorUrl(other)).not.toBe(relayer);
  });
});
