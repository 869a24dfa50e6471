import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { createWallet, injectedWalletScript, type WalletHabits } from './wallet.ts';

/** A tab that keeps what a visitor must never see: errors, and violations of the policy. */
export type Visit = {
  readonly page: Page;
  /** Errors of scripts and of the console, and violations of the policy. */
  readonly errors: readonly string[];
  /** The requests to other hosts than the gateway. */
  readonly foreign: readonly string[];
  /** The findings of axe in the page as it is now. */
  findAccessibilityFaults(): Promise<readonly string[]>;
  /** Whether the page is wider than its window. */
  isTooWide(): Promise<boolean>;
  close(): Promise<void>;
};

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Opens a tab, with a wallet if one is given. */
export async function openTab(
  browser: Browser,
  options: BrowserContextOptions,
  wallet: WalletHabits | null = null,
): Promise<Visit> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const errors: string[] = [];
  const foreign: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  page.on('console', (message) => {
    // Chromium itself logs each response with a status of 400 or more, such as the offer.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      errors.push(message.text());
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (!['127.0.0.1', ''].includes(url.hostname)) foreign.push(request.url());
  });
  await page.exposeFunction('reportViolation', (text: string) => errors.push(text));
  await page.addInitScript(
    `addEventListener('securitypolicyviolation', (event) => reportViolation(event.violatedDirective + ' ' + event.blockedURI));`,
  );
  if (wallet !== null) {
    await page.exposeFunction('requestOfWallet', createWallet(wallet));
    await page.addInitScript(injectedWalletScript);
  }
  return {
    page,
    errors,
    foreign,
    async findAccessibilityFaults() {
      await page.evaluate(axe);
      const found = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
        `axe.run(document, { resultTypes: ['violations'] })`,
      );
      return found.violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`,
      );
    },
    isTooWide: () => page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth'),
    close: () => context.close(),
  };
}
