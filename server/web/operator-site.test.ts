import { afterAll, beforeAll, expect, it } from 'vitest';
import { emptyWallet } from '../testing/chain/empty-wallet.ts';
import { startTestGateway, type TestGateway } from '../testing/gateway.ts';
import { chatBody, chatPath, decodeOffer, paymentFor, post } from '../testing/payer.ts';
import type { OperatorState } from './operator-state.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ adminAddress: '127.0.0.1:0' });
});
afterAll(() => gateway.stop());

const html = { headers: { Accept: 'text/html' } };
const open = (path: string, init = {}) => fetch(`${gateway.adminUrl}${path}`, init);

it('a browser gets the view on the admin address, and its scripts', async () => {
  const response = await open('/', html);
  expect(response.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
  const page = await response.text();
  const names = [...page.matchAll(/(?:src|href)="\.(\/web\/assets\/[^"]+)"/g)].map(([, name]) => name ?? '');
  expect(names.length).toBeGreaterThanOrEqual(2);
  for (const name of names) expect((await open(name)).status).toBe(200);
  expect((await open('/metrics')).headers.get('Content-Type')).toContain('text/plain');
});

it('the view is not on the port of the clients', async () => {
  for (const path of ['/state.json', '/operator.html', '/web/operator.html'])
    expect((await fetch(gateway.url + path, html)).status).toBe(404);
});

it.each(['/docs', '/operator.html', '/web/assets/none.js', '/state.json/'])(
  'the admin address has no path %s',
  async (path) => {
    expect((await open(path, html)).status).toBe(404);
  },
);

it('the state has the payments by state, and the history of a failed one', async () => {
  const { devnet, url } = gateway;
  const offer = decodeOffer(await post(url + chatPath, chatBody));
  const price = BigInt(offer.maxAmountRequired);
  expect(
    (await post(url + chatPath, chatBody, await paymentFor(offer, devnet.payer.privateKey))).status,
  ).toBe(200);
  // The payer empties its account while the model runs.
  const poor = await devnet.fundPayer();
  const nonce = `0x${'ef'.repeat(32)}`;
  const usual = gateway.engine.answering;
  gateway.engine.answering = async (task, limits) => {
    await emptyWallet(gateway, poor.privateKey);
    return usual(task, limits);
  };
  expect(
    (
      await post(
        url + chatPath,
        { ...chatBody, user: 'poor' },
        await paymentFor(offer, poor.privateKey, { nonce }),
      )
    ).status,
  ).toBe(402);
  gateway.engine.answering = usual;

  const state = (await (await open('/state.json')).json()) as OperatorState;
  expect(state.day).toMatchObject({
    failed: { payments: 1, amount: String(price) },
  });
  const charged = (state.day.settled?.payments ?? 0) + (state.day.final?.payments ?? 0);
  expect(charged).toBe(1);
  expect(state.debts).toEqual({ payments: 1, amount: String(price) });
  expect(state.refused).toEqual([
    expect.objectContaining({
      state: 'failed',
      payer: poor.address,
      nonce,
      amount: String(price),
      failure: 'insufficient_funds',
    }),
  ]);
  expect(state.checks.map(({ name }) => name)).toContain('store');
  expect(state.models).toContainEqual({ model: chatBody.model, issue: null });
  expect(JSON.stringify(state)).not.toMatch(/signature|ping|pong/);
});
