import { describe, expect, test } from 'vitest';
import { accessToken, send, setProxy } from '../testing/proxy.ts';
import { purchasesMax, requestBytesMax } from './limits.ts';

describe('The proxy refuses (D-292)', () => {
  test.each([
    ['no access token', { headers: { authorization: '' } }, 401, 'invalid_api_key'],
    [
      'a wrong access token',
      { headers: { authorization: `Bearer ${accessToken}x` } },
      401,
      'invalid_api_key',
    ],
    ['a page of another origin', { headers: { origin: 'https://evil.example' } }, 403, 'origin_not_allowed'],
    ['a page on this machine', { headers: { origin: 'http://localhost:3000' } }, 403, 'origin_not_allowed'],
    ['a page without an origin', { headers: { 'sec-fetch-site': 'cross-site' } }, 403, 'origin_not_allowed'],
    [
      'a preflight',
      { method: 'OPTIONS', headers: { origin: 'https://evil.example' } },
      403,
      'origin_not_allowed',
    ],
    ['a name that resolves to this machine', { headers: { host: 'evil.example' } }, 403, 'host_not_allowed'],
    [
      'a name that begins like this machine',
      { headers: { host: 'localhost.evil.example' } },
      403,
      'host_not_allowed',
    ],
    ['another path', { path: '/v1/embeddings' }, 404, 'not_found'],
    ['another method', { method: 'PUT' }, 405, 'method_not_allowed'],
    ['a body that is too large', { body: 'x'.repeat(requestBytesMax + 1) }, 413, 'request_too_large'],
  ] as const)('%s', async (_, asked, status, code) => {
    await using set = await setProxy();
    expect(await send(set.proxy.url, asked)).toMatchObject({
      status,
      error: { code, message: expect.any(String) },
    });
    expect(set.stage.gateway.received).toEqual([]);
  });

  test('further purchases while too many are in progress', async () => {
    await using set = await setProxy({ rules: { amountPerRequestMax: 10_000n, amountTotalMax: 1_000_000n } });
    const { gateway } = set.stage;
    gateway.fates(...Array(purchasesMax).fill({ fate: 'hang' }));
    const buy = () => send(set.proxy.url);
    const waiting = Array.from({ length: purchasesMax }, () => buy().catch(() => null));
    await expect.poll(() => gateway.paid()).toHaveLength(purchasesMax);
    expect(await buy()).toMatchObject({ status: 429, error: { code: 'too_many_purchases' } });
    await set.proxy.close();
    expect(await Promise.all(waiting)).toEqual(Array(purchasesMax).fill(null));
  });
});
