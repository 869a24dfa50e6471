import { readFileSync } from 'node:fs';
import { chainId } from '@paid-inference/contract/constants';
import { Wallet } from 'ethers';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestGateway } from '../../testing/gateway.ts';
import { startBrowser } from '../../testing/web/browser.ts';
import { startWebGateway } from '../../testing/web/gateway.ts';
import { askPrice, inspect, openPlayground, pay, waitForPurchase } from '../../testing/web/playground.ts';
import type { WalletHabits } from '../../testing/web/wallet.ts';

let gateway: TestGateway;
let browser: Browser;
let habits: WalletHabits;

beforeAll(async () => {
  browser = await startBrowser();
  gateway = await startWebGateway();
  habits = { privateKey: gateway.devnet.payer.privateKey, chainId };
});

afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
});

describe('A purchase in the playground', () => {
  it('streams a completion with a tool call, and its payment and its proof are verified in the browser', async () => {
    const tab = await openPlayground(browser, gateway.url, habits);
    const { page } = tab;
    const before = await gateway.balanceOf(gateway.devnet.payer.address);
    await page.getByLabel('Offer a tool to the model').check();
    await page.getByLabel('On the proof ledger').selectOption('individual');
    await askPrice(page);
    await inspect(tab, 'try-price');
    const price = await page.getByRole('heading', { name: /^Price: / }).innerText();
    await pay(page);
    await page.getByText('The model calls the tool order_status').waitFor();
    expect(await page.getByText(/"order_id":\s*"A-1042"/).count()).toBeGreaterThan(0);

    await page.getByText('The transaction moved the signed amount').waitFor();
    expect(await page.locator('section[aria-labelledby=verification] .sign').allTextContents()).toEqual(
      Array(7).fill('✓'),
    );
    const titles = await page.locator('section[aria-labelledby=exchange] li strong').allInnerTexts();
    expect(titles).toEqual([
      'Request without a payment',
      'Response 402',
      'Request without a payment',
      'Response 402',
      'Fields to sign',
      'Signature',
      'The same request, with the payment',
      'Response 200',
      'Receipt',
      'Proof of the inference',
      'Transfer on the chain',
      'Record of the proof',
    ]);
    const steps = page.locator('section[aria-labelledby=exchange] li');
    for (const name of ['Raw bytes', 'As a program'])
      expect(await steps.locator('summary', { hasText: name }).count()).toBe(titles.length);
    expect(await steps.nth(7).locator('pre').first().textContent()).toMatch(
      /^200 .*data: \{.*data: \[DONE\]/s,
    );
    await inspect(tab, 'try-bought');
    const paid = before - (await gateway.balanceOf(gateway.devnet.payer.address));
    expect(price).toContain(String(Number(paid) / 1e6));

    // The form may change after the purchase. The conversation stays the one that was bought.
    await page.getByLabel('Your message').fill('Another question');
    await page.getByRole('button', { name: 'Continue with this result' }).click();
    expect(await page.getByLabel('Conversation').innerText()).toMatch(/status of order A-1042/);
    expect(await page.getByLabel('Conversation').innerText()).not.toContain('Another question');
    await askPrice(page);
    await pay(page);
    await page.getByRole('heading', { name: 'Verification in your browser' }).waitFor();
    expect(await page.locator('section[aria-labelledby=completion]').innerText()).toContain('shipped');
    await tab.close();
  });

  it('works with the payer of the devnet, without a wallet, and leads to its final state', async () => {
    const tab = await openPlayground(browser, gateway.url);
    const { page } = tab;
    await askPrice(page);
    await pay(page);
    await waitForPurchase(page);
    const saved = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Save the purchase' }).click();
    const file = await (await saved).path();
    const exchange = JSON.parse(readFileSync(file, 'utf8'));
    expect(exchange).toMatchObject({ format: 'paid-inference/exchange/v1' });

    await page.locator('a[href^="/payment/"]').click();
    await page.getByText('The transaction moved the amount to the recipient').waitFor();
    expect(await page.locator('.steps .sign').allTextContents()).toEqual(['✓', '✓', '✓']);
    const { rpc } = gateway;
    await rpc.call('anvil_mine', ['0x80']);
    await expect
      .poll(async () => {
        await rpc.call('evm_mine', []);
        await page.getByRole('button', { name: 'Read again' }).click();
        return page.locator('.lead strong').innerText();
      })
      .toBe('final');
    await inspect(tab, 'payment-final');

    await page.goto(`${gateway.url}/explorer`);
    const choose = page.getByLabel('Saved exchange (JSON)');
    await choose.setInputFiles(file);
    await page.getByText('The transaction moved the signed amount').waitFor();
    const signs = await page.locator('.steps .sign').allTextContents();
    expect(signs).toHaveLength(7);
    expect(signs).not.toContain('✗');
    expect(await page.getByText('This purchase is from').count()).toBe(0);

    // The file of another gateway.
    const url = exchange.request.url.replace(gateway.url, 'https://elsewhere.example');
    const other = { ...exchange, request: { ...exchange.request, url } };
    const buffer = Buffer.from(JSON.stringify(other));
    await choose.setInputFiles({ name: 'other.json', mimeType: 'application/json', buffer });
    await page.getByText('This purchase is from https://elsewhere.example').waitFor();
    await choose.setInputFiles({ name: 'no.json', mimeType: 'application/json', buffer: Buffer.from('{') });
    await page.getByRole('alert').getByText('This is no saved exchange: the file is not JSON').waitFor();
    await inspect(tab, 'explorer-no-exchange');
    await tab.close();
  });
});

describe('A refusal in the playground', () => {
  const poor = Wallet.createRandom().privateKey;
  const other = Wallet.createRandom().privateKey;
  const sign = 'eth_signTypedData_v4';
  const rejected = { code: 4001, message: 'User rejected the request.' };

  it.each<[string, Partial<WalletHabits>, string, RegExp]>([
    ['a rejected signature', { rejects: true }, 'You rejected the signature', /Nothing was paid/],
    [
      'a rejected connection',
      { fails: { eth_requestAccounts: rejected } },
      'You did not connect your wallet',
      /give this page an account/,
    ],
    ['a wallet on another chain', { chainId: 1 }, 'Your wallet is on another chain', /84532/],
    [
      'a wallet that changed its chain after the offer',
      {
        fails: {
          [sign]: { code: -32_603, message: 'Provided chainId "84532" must match the active chainId "1"' },
        },
      },
      'Your wallet is on another chain',
      /84532/,
    ],
    [
      'a wallet that changed its account after the offer',
      { fails: { [sign]: { code: 4100, message: 'The account is not connected' } } },
      'Your wallet has another account now',
      /Select one account/,
    ],
    ['an account without tokens', { privateKey: poor }, 'The account has too few tokens', /Get tokens/],
    [
      'a signature of another account',
      { signsWith: other },
      'The gateway rejected the signature',
      /Select one account/,
    ],
  ])(
    'of %s says what to do, nothing is paid, and then the visitor can pay',
    async (name, change, title, advice) => {
      const before = await gateway.balanceOf(gateway.devnet.payer.address);
      const mine = { ...habits, ...change };
      const tab = await openPlayground(browser, gateway.url, mine);
      const { page } = tab;
      await askPrice(page);
      await pay(page);
      const alert = page.getByRole('alert');
      await alert.getByText(title).waitFor();
      expect(await alert.innerText()).toMatch(advice);
      expect(await gateway.balanceOf(gateway.devnet.payer.address)).toBe(before);
      await inspect(tab, `refused-${name.replaceAll(' ', '-')}`);

      const { privateKey } = habits;
      Object.assign(mine, { ...habits, rejects: false, fails: {}, signsWith: privateKey });
      await pay(page);
      await waitForPurchase(page);
      expect(await alert.count()).toBe(0);
      expect(await gateway.balanceOf(gateway.devnet.payer.address)).toBeLessThan(before);
      await tab.close();
    },
  );

  it('of a price that changed signs nothing, and the new price can be paid', async () => {
    const tab = await openPlayground(browser, gateway.url, habits);
    const { page } = tab;
    await askPrice(page);
    // The gateway raises the price between the view and the signature.
    await page.route('**/v1/chat/completions', async (route) => {
      const response = await route.fetch();
      const headers = response.headers();
      const name = 'x-payment-required';
      const offer = JSON.parse(Buffer.from(headers[name] ?? '', 'base64').toString());
      const raised = { ...offer, maxAmountRequired: String(BigInt(offer.maxAmountRequired) + 1n) };
      await route.fulfill({
        response,
        headers: { ...headers, [name]: Buffer.from(JSON.stringify(raised)).toString('base64') },
      });
    });
    await pay(page);
    await page.getByRole('alert').getByText('The price changed').waitFor();
    expect(await page.getByText('Fields to sign').count()).toBe(0);
    await inspect(tab, 'refused-price');
    await page.unroute('**/v1/chat/completions');
    await askPrice(page);
    await pay(page);
    await waitForPurchase(page);
    await tab.close();
  });

  it('of a gateway that does not respond says so', async () => {
    const tab = await openPlayground(browser, gateway.url, habits);
    await tab.page.route('**/v1/chat/completions', (route) => route.abort());
    await tab.page.getByRole('button', { name: 'Show the price' }).click();
    await tab.page.getByRole('alert').getByText('The gateway does not respond').waitFor();
    await inspect(tab, 'refused-network');
    await tab.close();
  });
});
