import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { openTab, type Visit } from './visit.ts';
import { type WalletHabits, walletName } from './wallet.ts';

/** Screenshots for people. They are not in the repository. */
export const screenshots = join(import.meta.dirname, '../../web/screenshots');

/** Opens the playground with a wallet, or without one. */
export async function openPlayground(
  browser: Browser,
  url: string,
  wallet: WalletHabits | null = null,
): Promise<Visit> {
  const tab = await openTab(browser, { viewport: { width: 1024, height: 768 } }, wallet);
  await tab.page.goto(`${url}/try`);
  return tab;
}

export async function askPrice(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Show the price' }).click();
  await page.getByRole('heading', { name: /^Price: / }).waitFor();
}

/** Pays with the wallet of the test, if the page has it, else with the test payer of the devnet. */
export async function pay(page: Page): Promise<void> {
  const wallets = page.getByLabel('Pay with');
  if ((await wallets.locator('option', { hasText: walletName }).count()) > 0)
    await wallets.selectOption({ label: walletName });
  await page.getByRole('button', { name: /^Sign and pay/ }).click();
}

/** The last step of a purchase: the page offers to save it. */
export async function waitForPurchase(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Save the purchase' }).waitFor();
}

/** Takes a screenshot of the whole page for people, and expects no fault of the page. */
export async function inspect({ page, ...tab }: Visit, name: string): Promise<void> {
  await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true });
  expect(await tab.isTooWide()).toBe(false);
  expect(await tab.findAccessibilityFaults()).toEqual([]);
  expect([...tab.errors, ...tab.foreign]).toEqual([]);
}
