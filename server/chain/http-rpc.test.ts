import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createHttpRpc, type HttpRpc } from './http-rpc.ts';

type Respond = (request: IncomingMessage, response: ServerResponse, call: { id: number }) => void;

let server: Server;
let respond: Respond;
let connections = 0;
let rpc: HttpRpc;

beforeEach(async () => {
  connections = 0;
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => respond(request, response, JSON.parse(body)));
  });
  server.on('connection', () => connections++);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  rpc = open();
});

afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await rpc.close();
});

function open(credentials = '', path = '/', timeoutMs = 5_000): HttpRpc {
  const { port } = server.address() as AddressInfo;
  return createHttpRpc({
    url: `http://${credentials}127.0.0.1:${port}${path}`,
    timeoutMs,
    responseBytesMax: 10_000,
  });
}

function respondWith(members: object, status = 200): Respond {
  return (_request, response, { id }) => {
    response.writeHead(status).end(JSON.stringify({ jsonrpc: '2.0', id, ...members }));
  };
}

function unavailable(message: unknown) {
  return { ok: false, fault: { kind: 'unavailable', message } };
}

test('A result is returned as the node sent it, null included', async () => {
  respond = respondWith({ result: { status: '0x1' } });
  expect(await rpc.call('eth_getTransactionReceipt', ['0x00'])).toEqual({
    ok: true,
    value: { status: '0x1' },
  });
  respond = respondWith({ result: null, error: null });
  expect(await rpc.call('eth_getTransactionReceipt', ['0x00'])).toEqual({ ok: true, value: null });
});

test('The method and its parameters are sent as JSON-RPC 2.0', async () => {
  let sent: unknown;
  let contentType: string | undefined;
  respond = (request, response, call) => {
    sent = call;
    contentType = request.headers['content-type'];
    respondWith({ result: '0x1' })(request, response, call);
  };
  await rpc.call('eth_call', [{ to: '0xaa' }, 'latest']);
  expect(sent).toEqual({
    jsonrpc: '2.0',
    id: expect.any(Number),
    method: 'eth_call',
    params: [{ to: '0xaa' }, 'latest'],
  });
  expect(contentType).toBe('application/json');
});

test('Consecutive calls share connections', async () => {
  respond = respondWith({ result: '0x1' });
  for (let call = 0; call < 20; call++) expect((await rpc.call('eth_chainId', [])).ok).toBe(true);
  // Two, because a call may start at the moment when the connection of the last call becomes free.
  expect(connections).toBeLessThanOrEqual(2);
});

describe('A JSON-RPC error is a refusal', () => {
  test('with code, message and a revert’s data', async () => {
    respond = respondWith({ error: { code: 3, message: 'execution reverted', data: '0x08c379a0' } });
    expect(await rpc.call('eth_call', [])).toEqual({
      ok: false,
      fault: { kind: 'refused', code: 3, message: 'execution reverted', data: '0x08c379a0' },
    });
  });

  test('also with HTTP 400, or without an id because the node could not parse the request', async () => {
    respond = respondWith({ error: { code: -32_602, message: 'bad parameters' } }, 400);
    expect(await rpc.call('eth_call', [])).toMatchObject({ fault: { kind: 'refused', code: -32_602 } });
    respond = respondWith({ id: null, error: { code: -32_700, message: 'parse error' } });
    expect(await rpc.call('eth_call', [])).toMatchObject({ fault: { kind: 'refused', code: -32_700 } });
  });

  test('without data that is not hex, and with a message of at most 500 characters', async () => {
    respond = respondWith({ error: { code: 1, message: 'm'.repeat(2_000), data: { trace: [] } } });
    expect(await rpc.call('eth_call', [])).toEqual({
      ok: false,
      fault: { kind: 'refused', code: 1, message: 'm'.repeat(500) },
    });
  });
});

describe('A call without a usable response is unavailable, never a refusal', () => {
  const cases: [string, Respond, unknown][] = [
    [
      'HTTP 503',
      respondWith({ error: { code: -32_000, message: 'down' } }, 503),
      'the node returned HTTP 503',
    ],
    [
      'HTTP 429',
      respondWith({ error: { code: -32_005, message: 'slow' } }, 429),
      'the node returned HTTP 429',
    ],
    [
      'HTTP 401',
      respondWith({ error: { code: -32_000, message: 'who' } }, 401),
      'the node returned HTTP 401',
    ],
    ['a redirect', respondWith({ result: '0x1' }, 302), 'the node returned HTTP 302'],
    [
      'the response to another call',
      respondWith({ id: 999_999, result: '0x1' }),
      expect.stringContaining('another call'),
    ],
    ['neither result nor error', respondWith({}), expect.stringContaining('neither')],
    ['an error without a code', respondWith({ error: { message: 'x' } }), expect.stringContaining('no code')],
    ['HTML', (_q, response) => response.end('<html>'), expect.stringContaining('not a JSON object')],
    ['a JSON list', (_q, response) => response.end('[]'), expect.stringContaining('not a JSON object')],
    ['an empty body', (_q, response) => response.end(), expect.stringContaining('not a JSON object')],
    ['a connection cut', (_q, response) => response.destroy(), expect.stringContaining('no connection')],
    [
      'a response over the limit',
      respondWith({ result: `0x${'00'.repeat(10_000)}` }),
      'the response is larger than 10000 bytes',
    ],
  ];
  test.each(cases)('%s', async (_name, response, message) => {
    respond = response;
    expect(await rpc.call('eth_call', [])).toEqual(unavailable(message));
  });

  test('a list of logs over the limit, which a smaller range of blocks may avoid (D-346)', async () => {
    respond = respondWith({ result: Array.from({ length: 1_000 }, () => ({ data: '0x00' })) });
    const message = 'the response is larger than 10000 bytes';
    expect(await rpc.call('eth_getLogs', [])).toEqual({
      ok: false,
      fault: { kind: 'refused', code: -32_005, message },
    });
    expect(await rpc.call('eth_call', [])).toEqual(unavailable(message));
  });

  test('a port without a node', async () => {
    server.close();
    await once(server, 'close');
    expect(await rpc.call('eth_chainId', [])).toEqual(unavailable(expect.stringContaining('ECONNREFUSED')));
  });
});

describe('A call ends by its deadline', () => {
  test('when the node sends nothing', async () => {
    respond = () => undefined;
    expect(await rpc.call('eth_chainId', [], { timeoutMs: 30 })).toEqual(
      unavailable('no response within 30 ms'),
    );
  });

  test('when the node sends a byte at a time', async () => {
    respond = (_request, response) => {
      const drip = setInterval(() => response.write(' '), 5);
      response.on('close', () => clearInterval(drip));
    };
    expect(await rpc.call('eth_chainId', [], { timeoutMs: 50 })).toEqual(
      unavailable('no response within 50 ms'),
    );
  });

  test('which is that of the adapter when the call has none', async () => {
    respond = () => undefined;
    const hasty = open('', '/', 30);
    expect(await hasty.call('eth_chainId', [])).toEqual(unavailable('no response within 30 ms'));
    await hasty.close();
  });

  test('or earlier when the caller aborts, also before the call', async () => {
    const leaving = new AbortController();
    respond = () => leaving.abort();
    const { signal } = leaving;
    expect(await rpc.call('eth_chainId', [], { signal })).toEqual(unavailable('the caller no longer waits'));
    expect(await rpc.call('eth_chainId', [], { signal })).toEqual(unavailable('the caller no longer waits'));
  });
});

test('More calls than the limit fail at once, and calls work again afterwards', async () => {
  respond = () => undefined;
  const leaving = new AbortController();
  const waiting = Array.from({ length: 1024 }, () => rpc.call('eth_call', [], { signal: leaving.signal }));
  expect(await rpc.call('eth_call', [])).toEqual(unavailable('too many calls are in progress'));
  leaving.abort();
  await Promise.all(waiting);
  respond = respondWith({ result: '0x1' });
  expect(await rpc.call('eth_call', [])).toEqual({ ok: true, value: '0x1' });
});

describe('The credentials of the URL', () => {
  const secrets = ['operator-name', 'pass word', 'pass%20word', 'path-key-12345678', 'query-key-12345678'];
  const path = '/v2/path-key-12345678?key=query-key-12345678';

  test('are sent to the node', async () => {
    let authorization: string | undefined;
    let asked: string | undefined;
    respond = (request, response, call) => {
      authorization = request.headers.authorization;
      asked = request.url;
      respondWith({ result: '0x1' })(request, response, call);
    };
    const secured = open('operator-name:pass%20word@', path);
    expect((await secured.call('eth_chainId', [])).ok).toBe(true);
    expect(authorization).toBe(`Basic ${Buffer.from('operator-name:pass word').toString('base64')}`);
    expect(asked).toBe(path);
    await secured.close();
  });

  test('are not in a refusal whose text repeats them, nor in a network fault', async () => {
    respond = respondWith({
      error: { code: -32_000, message: `no such project: ${secrets.join(' ')} at /v2` },
    });
    const secured = open('operator-name:pass%20word@', path);
    const refused = await secured.call('eth_chainId', []);
    expect(refused).toMatchObject({
      fault: { message: expect.stringMatching(/^no such project: .* at \/v2$/) },
    });
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    const lost = await secured.call('eth_chainId', []);
    for (const secret of secrets) expect(JSON.stringify([refused, lost])).not.toContain(secret);
    await secured.close();
  });

  test('are redacted whole, also where one begins like another', async () => {
    respond = respondWith({ error: { code: -32_000, message: 'no such key: operator-name-5678' } });
    const secured = open('operator-name@', '/operator-name-5678');
    expect(await secured.call('eth_chainId', [])).toMatchObject({
      fault: { message: 'no such key: [redacted]' },
    });
    await secured.close();
  });

  test.each([
    ['the header', 'operator:short@', '/', 'Basic b3BlcmF0b3I6c2hvcnQ=', 'Basic [redacted]'],
    ['a query that is a name', '', '/?bareSECRETkey123', 'GET /?bareSECRETkey123', 'GET /?[redacted]'],
    [
      'a query as it was sent',
      '',
      '/?token=query+SECRET+key',
      'no token query+SECRET+key',
      'no token [redacted]',
    ],
    [
      'a query as it is read',
      '',
      '/?token=query+SECRET+key',
      'no token query SECRET key',
      'no token [redacted]',
    ],
    ['a short value with its name', '', '/?apikey=abc12', 'GET /?apikey=abc12', 'GET /?[redacted]'],
  ])('are redacted in %s', async (_name, user, path, message, safe) => {
    respond = respondWith({ error: { code: -32_000, message } });
    const secured = open(user, path);
    expect(await secured.call('eth_chainId', [])).toMatchObject({ fault: { message: safe } });
    await secured.close();
  });

  test('are not in the exception for an invalid URL', () => {
    const make = () => createHttpRpc({ url: 'http://:secret@', timeoutMs: 1, responseBytesMax: 1 });
    expect(make).toThrow('does not start with http');
    expect(make).not.toThrow('secret');
    expect(() => createHttpRpc({ url: 'ftp://x', timeoutMs: 1, responseBytesMax: 1 })).toThrow('http');
  });
});

test('After close a call is unavailable, and a second close is harmless', async () => {
  respond = respondWith({ result: '0x1' });
  await rpc.call('eth_chainId', []);
  await rpc.close();
  await rpc.close();
  expect(await rpc.call('eth_chainId', [])).toMatchObject({ fault: { kind: 'unavailable' } });
});
