import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chainId } from '@paid-inference/contract/constants';
import { Wallet } from 'ethers';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestGateway } from '../../testing/gateway.ts';
import { startBrowser } from '../../testing/web/browser.ts';
import { startWebGateway } from '../../testing/web/gateway.ts';
import { openTab, type Visit } from '../../testing/web/visit.ts';
import type { WalletHabits } from '../../testing/web/wallet.ts';

const screenshots = join(import.meta.dirname, '../screenshots');

let gateway: TestGateway;
let browser: Browser;
let habits: WalletHabits;

beforeAll(async () => {
  mkdirSync(screenshots, { recursive: true });
  browser = await startBrowser();
  gateway = await startWebGateway();
  habits = { privateKey: gateway.devnet.payer.privateKey, chainId };
});

afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
});

async function openPlayground(wallet: WalletHabits | null): Promise<Visit> {
  const tab = await openTab(browser, { viewport: { width: 1024, height: 768 } }, wallet);
  await tab.page.goto(`${gateway.url}/try`);
  return tab;
}

async function askPrice(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Show the price' }).click();
  await page.getByRole('heading', { name: /^Price: / }).waitFor();
}

async function pay(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Sign and pay/ }).click();
}

/** The whole page, as an artifact for people, and its faults. */
async function inspect({ page, ...tab }: Visit, name: string): Promise<void> {
  await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true });
  expect(await tab.isTooWide()).toBe(false);
  expect(await tab.findAccessibilityFaults()).toEqual([]);
  expect([...tab.errors, ...tab.foreign]).toEqual([]);
}

describe('A purchase in the playground', () => {
  it('streams a completion with a tool call, and its payment and its proof are verified in the browser', async () => {
    const tab = await openPlayground(habits);
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

    const titles = await page.locator('section[aria-labelledby=exchange] li strong').allInnerTexts();
    expect(titles.slice(0, 6)).toEqual([
      'Request without a payment',
      'Response 402',
      'Request without a payment',
      'Response 402',
      'Fields to sign',
      'Signature',
    ]);
    expect(titles.slice(6)).toEqual(
      expect.arrayContaining(['The same request, with the payment', 'Response 200', 'Receipt']),
    );

    await page.getByText('The transaction moved the signed amount').waitFor();
    expect(await page.locator('section[aria-labelledby=verification] .sign').allTextContents()).toEqual(
      Array(6).fill('✓'),
    );
    await inspect(tab, 'try-bought');
    const paid = before - (await gateway.balanceOf(gateway.devnet.payer.address));
    expect(price).toContain(String(Number(paid) / 1e6));

    await page.getByRole('button', { name: 'Continue with this result' }).click();
    await askPrice(page);
    await pay(page);
    await page.getByRole('heading', { name: 'Verification in your browser' }).waitFor();
    expect(await page.locator('section[aria-labelledby=completion]').innerText()).toContain('shipped');
    await tab.close();
  });

  it('works with the payer of the devnet, without a wallet, and leads to its final state', async () => {
    const tab = await openPlayground(null);
    const { page } = tab;
    await askPrice(page);
    await pay(page);
    await page.getByRole('link', { name: 'Save the purchase' }).waitFor();
    const saved = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Save the purchase' }).click();
    const file = await (await saved).path();
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ format: 'paid-inference/exchange/v1' });

    await page.locator('a[href^="/payment/"]').click();
    await page.getByText('It moved the amount to the recipient').waitFor();
    expect(await page.locator('.steps .sign').allTextContents()).toEqual(['✓', '✓', '✓']);
    const { rpc } = gateway;
    await rpc.call('anvil_mine', ['0x80']);
    await expect
      .poll(async () => {
        await rpc.call('evm_mine', []);
        await page.reload();
        await page.locator('.lead strong').waitFor();
        return page.locator('.lead strong').innerText();
      })
      .toBe('final');
    await inspect(tab, 'payment-final');

    await page.goto(`${gateway.url}/explorer`);
    await page.getByLabel('Saved exchange (JSON)').setInputFiles(file);
    await page.getByText('The transaction moved the signed amount').waitFor();
    const signs = await page.locator('.steps .sign').allTextContents();
    expect(signs).toHaveLength(6);
    expect(signs).not.toContain('✗');
    await tab.close();
  });
});

describe('A refusal in the playground', () => {
  const poor = Wallet.createRandom().privateKey;
  const other = Wallet.createRandom().privateKey;

  it.each<[string, Partial<WalletHabits>, string, RegExp]>([
    ['a rejected signature', { rejects: true }, 'You rejected the signature', /Nothing was paid/],
    ['a wallet on another chain', { chainId: 1 }, 'Your wallet is on another chain', /84532/],
    ['an account without tokens', { privateKey: poor }, 'The account has too few tokens', /Get tokens/],
    [
      'a signature of another account',
      { signsWith: other },
      'The gateway rejected the signature',
      /Select one account/,
    ],
  ])('of %s says what to do, and nothing is paid', async (name, change, title, advice) => {
    const before = await gateway.balanceOf(gateway.devnet.payer.address);
    const tab = await openPlayground({ ...habits, ...change });
    await askPrice(tab.page);
    await pay(tab.page);
    const alert = tab.page.getByRole('alert');
    await alert.getByText(title).waitFor();
    expect(await alert.innerText()).toMatch(advice);
    expect(await gateway.balanceOf(gateway.devnet.payer.address)).toBe(before);
    await inspect(tab, `refused-${name.replaceAll(' ', '-')}`);
    await tab.close();
  });

  it('of a price that changed signs nothing, and the new price can be paid', async () => {
    const tab = await openPlayground(habits);
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
    await page.getByRole('link', { name: 'Save the purchase' }).waitFor();
    await tab.close();
  });

  it('of a gateway that does not respond says so', async () => {
    const tab = await openPlayground(habits);
    await tab.page.route('**/v1/chat/completions', (route) => route.abort());
    await tab.page.getByRole('button', { name: 'Show the price' }).click();
    await tab.page.getByRole('alert').getByText('The gateway does not respond').waitFor();
    await inspect(tab, 'refused-network');
    await tab.close();
  });
});
