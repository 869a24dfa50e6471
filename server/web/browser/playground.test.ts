import { chainId } from '@paid-inference/contract/constants';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestGateway } from '../../testing/gateway.ts';
import { startBrowser } from '../../testing/web/browser.ts';
import { startWebGateway } from '../../testing/web/gateway.ts';
import { askPrice, inspect, openPlayground, pay, waitForPurchase } from '../../testing/web/playground.ts';
import { openTab } from '../../testing/web/visit.ts';
import { type WalletHabits, walletName } from '../../testing/web/wallet.ts';

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

/** Announces a wallet that only fails, as an extension does. */
function announce(page: Page, uuid: string, name: string): Promise<void> {
  const info = JSON.stringify({ uuid, name, icon: 'data:,', rdns: 'other.wallet' });
  return page.evaluate(`{
    const provider = { request: () => Promise.reject(new Error('the wallet ' + ${info}.name + ' failed')) };
    window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: { info: ${info}, provider } }));
  }`);
}

describe('The playground', () => {
  it('keeps the chosen wallet when others announce themselves, again and with strange names', async () => {
    const tab = await openPlayground(browser, gateway.url, habits);
    const { page } = tab;
    await askPrice(page);
    const options = page.getByLabel('Pay with').locator('option');
    const names = ['Test payer of the devnet', walletName];
    expect(await options.allTextContents()).toEqual(names);
    await announce(page, 'one', '<b onclick=alert(1)>Other</b>');
    await announce(page, 'devnet', 'Test payer of the devnet');
    await announce(page, 'one', '<b onclick=alert(1)>Other</b>');
    await page.evaluate(
      `window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: null }))`,
    );
    expect(await options.allTextContents()).toEqual([
      ...names,
      '<b onclick=alert(1)>Other</b>',
      'Test payer of the devnet',
    ]);
    expect(await page.getByLabel('Pay with').inputValue()).toBe('devnet');
    await page.getByLabel('Pay with').selectOption({ index: 2 });
    await page.getByRole('button', { name: /^Sign and pay/ }).click();
    await page.getByRole('alert').getByText('Your wallet did not sign').waitFor();
    await pay(page);
    await waitForPurchase(page);
    await tab.close();
  });

  it('waits no longer for a silent wallet than the visitor wants', async () => {
    const mine: WalletHabits = { ...habits, silent: 'eth_signTypedData_v4' };
    const tab = await openPlayground(browser, gateway.url, mine);
    const { page } = tab;
    const before = await gateway.balanceOf(gateway.devnet.payer.address);
    await askPrice(page);
    await pay(page);
    await page.getByText('Your wallet has a request for you').waitFor();
    await inspect(tab, 'try-wallet-asked');
    await page.getByRole('button', { name: 'Stop waiting' }).click();
    await page.getByRole('alert').getByText('You stopped waiting for your wallet').waitFor();
    expect(await gateway.balanceOf(gateway.devnet.payer.address)).toBe(before);
    mine.silent = 'none';
    await pay(page);
    await waitForPurchase(page);
    await tab.close();
  });

  it('shows no price for another request than the form has', async () => {
    const tab = await openPlayground(browser, gateway.url);
    const { page } = tab;
    const { promise, resolve } = Promise.withResolvers<void>();
    await page.route('**/v1/chat/completions', async (route) => {
      await promise;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Show the price' }).click();
    await page.getByText('In progress').waitFor();
    for (const label of ['Model', 'Your message', 'Longest completion, in tokens', 'On the proof ledger'])
      expect(await page.getByLabel(label, { exact: true }).isDisabled()).toBe(true);
    resolve();
    await page.getByRole('heading', { name: /^Price: / }).waitFor();
    await page.getByLabel('Your message').fill('Another request');
    expect(await page.getByRole('heading', { name: /^Price: / }).count()).toBe(0);
    await tab.close();
  });

  it('goes on after a fault of its own, such as a script that an upgrade removed', async () => {
    const tab = await openPlayground(browser, gateway.url);
    const { page } = tab;
    await page.route('**/assets/purchase-*.js', (route) => route.fulfill({ status: 404, body: '{}' }));
    await page.getByRole('button', { name: 'Show the price' }).click();
    await page.getByRole('alert').getByText('The page could not go on').waitFor();
    expect(await page.getByRole('button', { name: 'Show the price' }).isEnabled()).toBe(true);
    await tab.close();
  });

  it('shows HTML, long words and right-to-left text as they are', async () => {
    const tab = await openTab(browser, { viewport: { width: 360, height: 740 } });
    const { page } = tab;
    await page.goto(`${gateway.url}/try`);
    const html = '<img src=x onerror="document.title=1"><script>document.title=1</script>';
    await page.getByLabel('Your message').fill(`${html} ${'long'.repeat(500)} שלום עולם`);
    await askPrice(page);
    await page.getByText('The same purchase as a program').click();
    await pay(page);
    await waitForPurchase(page);
    await page.getByRole('button', { name: 'Continue this conversation' }).click();
    expect(await page.getByLabel('Conversation').innerText()).toContain(html);
    expect(await page.title()).toContain('Try it');
    expect(await page.getByLabel('Your message').getAttribute('dir')).toBe('auto');
    await inspect(tab, 'try-hostile-text');
    await tab.close();
  });
});
