import type { ProofRecord } from '@paid-inference/contract/types';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestGateway } from '../../testing/gateway.ts';
import {
  chatBody,
  chatPath,
  decodeOffer,
  decodeProof,
  decodeReceipt,
  paymentFor,
  post,
} from '../../testing/payer.ts';
import { startBrowser } from '../../testing/web/browser.ts';
import { startWebGateway } from '../../testing/web/gateway.ts';
import { inspect } from '../../testing/web/playground.ts';
import { openTab, type Visit } from '../../testing/web/visit.ts';
import type { SitePayment } from '../payments.ts';

let gateway: TestGateway;
let browser: Browser;
/** Two purchases of the devnet's payer. */
let sold: readonly { readonly proofId: string; readonly nonce: string; readonly txHash: string }[];

beforeAll(async () => {
  browser = await startBrowser();
  gateway = await startWebGateway({ adminAddress: '127.0.0.1:0' });
  const chat = gateway.url + chatPath;
  const offer = decodeOffer(await post(chat, chatBody));
  sold = await Promise.all(
    ['1', '2'].map(async (digit) => {
      const nonce = `0x${digit.repeat(64)}`;
      const payment = await paymentFor(offer, gateway.devnet.payer.privateKey, { nonce });
      const response = await post(chat, { ...chatBody, user: digit }, payment);
      return { nonce, proofId: decodeProof(response).proofId, txHash: decodeReceipt(response).txHash };
    }),
  );
});

afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
});

async function open(path: string): Promise<Visit> {
  const tab = await openTab(browser, { viewport: { width: 1024, height: 768 } });
  await tab.page.goto(gateway.url + path);
  return tab;
}

describe('An id in the address', () => {
  it.each([
    ['in capitals', (id: string) => id.toUpperCase()],
    ['without 0x', (id: string) => id.slice(2)],
    ['with spaces and quotes', (id: string) => `%20%22${id}%22%20`],
  ])('is read %s', async (_name, write) => {
    const [{ proofId, nonce, txHash } = { proofId: '', nonce: '', txHash: '' }] = sold;
    const payer = write(gateway.devnet.payer.address);
    for (const [path, ready] of [
      [`/proof/${write(proofId)}`, 'The enclave key signed the proof'],
      [`/payment/${write(nonce)}?payer=${payer}`, 'The transaction used the nonce of this payment'],
      [`/tx/${write(txHash)}`, /The transaction settled \d/],
    ] as const) {
      const tab = await open(path);
      await tab.page.getByText(ready).waitFor();
      expect(await tab.page.locator('.sign.false').count()).toBe(0);
      expect(tab.errors).toEqual([]);
      await tab.close();
    }
  });

  it.each(['/proof/%zz', '/tx/0x12', '/payment/%3Cscript%3E', `/proof/0x${'ab'.repeat(33)}`])(
    'that is none shows the form: %s',
    async (path) => {
      const tab = await open(path);
      await tab.page.getByRole('alert').getByText('The address of this page has no valid id').waitFor();
      await tab.page.getByRole('button', { name: 'Look up' }).waitFor();
      await inspect(tab, 'explorer-no-id');
      await tab.close();
    },
  );

  it('of a payment without its payer asks for the payer, and then shows the payment', async () => {
    const tab = await open(`/payment/${sold[0]?.nonce}`);
    const { page } = tab;
    await page.getByText('The page needs the address that paid').waitFor();
    await inspect(tab, 'payment-without-payer');
    await page.getByLabel('Address that paid').fill(gateway.devnet.payer.address.slice(2).toUpperCase());
    await page.getByRole('button', { name: 'Look up' }).click();
    await page.getByText('The transaction moved the amount to the recipient').waitFor();
    await tab.close();
  });
});

describe('A gateway that lies', () => {
  it('cannot show the record of another proof as the proof of the address', async () => {
    const [one, other] = sold;
    const tab = await openTab(browser, {});
    const { page } = tab;
    const record = (await (await fetch(`${gateway.url}/v1/proofs/${other?.proofId}`)).json()) as ProofRecord;
    await page.route('**/v1/proofs/*', (route) => route.fulfill({ json: record }));
    await page.goto(`${gateway.url}/proof/${one?.proofId}`);
    await page.getByRole('alert').getByText('The gateway returned the record of another proof').waitFor();
    expect(await page.locator('.sign.true').count()).toBe(0);
    await tab.close();
  });

  it('cannot show another payment as the payment of the address', async () => {
    const [one, other] = sold;
    const { address } = gateway.devnet.payer;
    const tab = await openTab(browser, {});
    const { page } = tab;
    const found = await fetch(`${gateway.url}/web/payments/${other?.nonce}?payer=${address}`);
    // The transaction may settle both payments, so another nonce stands for the payment of the address.
    const payment = { ...((await found.json()) as SitePayment), nonce: one?.nonce };
    const asked = `0x${'3'.repeat(64)}`;
    await page.route('**/web/payments/*', (route) => route.fulfill({ json: payment }));
    await page.goto(`${gateway.url}/payment/${asked}?payer=${address}`);
    await page.getByText('The transaction used the nonce of this payment').waitFor();
    expect(await page.locator('.steps .sign').allTextContents()).toEqual(['✓', '✗', '✗']);
    await tab.close();
  });

  it('cannot show another transaction as the transaction of the address', async () => {
    const tab = await openTab(browser, {});
    const { page } = tab;
    await page.route('**/web/nodes/payments', async (route) => {
      const call = route.request().postDataJSON();
      if (call.method === 'eth_getTransactionReceipt') call.params = [sold[0]?.txHash];
      await route.continue({ postData: JSON.stringify(call) });
    });
    await page.goto(`${gateway.url}/tx/0x${'ab'.repeat(32)}`);
    await page.getByRole('alert').getByText('The node returned another transaction').waitFor();
    await tab.close();
  });
});

describe('A node', () => {
  it.each([
    [
      'refuses',
      { status: 429, json: { error: { message: 'Too many requests of this page.' } } },
      'Too many requests',
    ],
    ['is away', null, 'Failed to fetch'],
  ])('that %s is named in plain words', async (_name, response, reason) => {
    const tab = await openTab(browser, {});
    const { page } = tab;
    await page.route('**/web/nodes/payments', (route) =>
      response === null ? route.abort() : route.fulfill(response),
    );
    await page.goto(`${gateway.url}/tx/${sold[0]?.txHash}`);
    const alert = page.getByRole('alert');
    await alert.getByText('The transaction could not be read').waitFor();
    expect((await alert.innerText()).split('\n').at(-1)?.slice(0, reason.length)).toBe(reason);
    expect(await alert.innerText()).not.toContain('=');
    await page.unroute('**/web/nodes/payments');
    await page.getByRole('button', { name: 'Read again' }).click();
    await page.getByText(/The transaction settled/).waitFor();
    await tab.close();
  });
});

describe("The operator's view", () => {
  it.each([
    ['hangs', () => new Promise<void>(() => undefined)],
    ['fails', null],
  ])('shows an old state as old while the gateway %s', async (name, hang) => {
    const tab = await openTab(browser, {});
    const { page } = tab;
    await page.goto(gateway.adminUrl ?? '');
    await page.getByRole('heading', { name: 'Ready: the gateway sells' }).waitFor();
    await page.route('**/metrics', hang ?? ((route) => route.fulfill({ status: 500, body: 'no store' })));
    await page.getByRole('heading', { name: /^Unknown now/ }).waitFor({ timeout: 30_000 });
    await page.getByRole('alert').getByText('The gateway does not show its state').waitFor();
    expect(await page.locator('.sign.true').count()).toBe(0);
    await inspect(tab, `operator-old-${name}`);
    await page.unroute('**/metrics');
    await page.getByRole('heading', { name: 'Ready: the gateway sells' }).waitFor({ timeout: 30_000 });
    expect(await page.getByRole('alert').count()).toBe(0);
    await tab.close();
  });
});
