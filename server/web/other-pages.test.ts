import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../testing/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] });
const Origin = 'https://other.example';

it('the page of another origin cannot read a chain: its browser asks first, and gets no permission (D-348)', async () => {
  const url = `${gateway.url}/web/nodes/payments`;
  const preflight = await fetch(url, {
    method: 'OPTIONS',
    headers: {
      Origin,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'content-type',
    },
  });
  expect(preflight.ok).toBe(false);
  // The types that a page may send without asking.
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', '']) {
    const asked = await fetch(url, { method: 'POST', headers: { Origin, 'Content-Type': type }, body });
    expect([type, asked.status]).toEqual([type, 415]);
  }
  const own = await fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
  expect(own.status).toBe(200);
});
