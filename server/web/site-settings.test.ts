import { expect, it } from 'vitest';
import { startTestGateway } from '../testing/gateway.ts';
import { post } from '../testing/payer.ts';

const browser = { Accept: 'text/html' };
const hash = `0x${'ab'.repeat(32)}`;

it('the page reads chains and payments only within the limit of a network', async () => {
  const limited = await startTestGateway({ webPageRateLimit: { requestsMax: 2, windowSeconds: 600 } });
  const read = () => post(`${limited.url}/web/nodes/payments`, { id: 1, method: 'eth_chainId', params: [] });
  const statuses = [(await read()).status, (await read()).status, (await read()).status];
  expect(statuses).toEqual([200, 200, 429]);
  const payment = await fetch(`${limited.url}/web/payments/${hash}?payer=${limited.devnet.payer.address}`);
  expect(payment.status).toBe(429);
  expect(Number(payment.headers.get('Retry-After'))).toBeGreaterThan(0);
  // The views and the facts cost no call of a node.
  expect((await fetch(limited.url, { headers: browser })).status).toBe(200);
  await limited.stop();
});

it('without the setting webPage, browsers get what other clients get', async () => {
  const plain = await startTestGateway({ webPage: false });
  for (const path of [
    '/',
    '/docs',
    '/llms.txt',
    '/web/facts.json',
    '/web/devnet-wallet',
    '/web/nodes/payments',
  ])
    for (const method of ['GET', 'POST']) {
      const response = await fetch(plain.url + path, { method, headers: browser });
      expect([path, response.status, response.headers.get('Vary')]).toEqual([path, 404, null]);
    }
  await plain.stop();
});

it('a request with a body counts like one of the contract, and the views do not (D-133)', async () => {
  const limited = await startTestGateway({ addressRateLimit: { requestsMax: 1, windowSeconds: 600 } });
  const read = () => post(`${limited.url}/web/nodes/payments`, { id: 1, method: 'eth_chainId', params: [] });
  expect([(await read()).status, (await read()).status]).toEqual([200, 429]);
  expect((await fetch(limited.url, { headers: browser })).status).toBe(200);
  await limited.stop();
});
