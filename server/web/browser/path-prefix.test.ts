import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFreePort } from '../../testing/free-port.ts';
import type { TestGateway } from '../../testing/gateway.ts';
import { startBrowser } from '../../testing/web/browser.ts';
import { startWebGateway } from '../../testing/web/gateway.ts';
import { type PathProxy, startPathProxy } from '../../testing/web/path-proxy.ts';
import { askPrice, inspect, pay, waitForPurchase } from '../../testing/web/playground.ts';
import { openTab } from '../../testing/web/visit.ts';

let proxy: PathProxy;
let gateway: TestGateway;
let browser: Browser;
/** The address at which the gateway listens. */
let ownUrl: string;
beforeAll(async () => {
  browser = await startBrowser();
  proxy = await startPathProxy('/shop/models');
  const port = await findFreePort();
  ownUrl = `http://127.0.0.1:${port}`;
  gateway = await startWebGateway({ port, publicBaseUrl: proxy.url });
  proxy.forwardTo(ownUrl);
});
afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
  await proxy?.stop();
});

describe('Behind a proxy with TLS and a path', () => {
  it('every view works, and the playground buys', async () => {
    const tab = await openTab(browser, { ignoreHTTPSErrors: true });
    const { page } = tab;
    const { pathname } = new URL(proxy.url);
    const at = () => new URL(page.url()).pathname;
    await page.goto(`${proxy.url}/`);
    await page.getByText('What happens in a purchase').waitFor();
    expect(await page.locator('nav a[aria-current]').allTextContents()).toEqual(['Models']);
    await page.getByRole('main').getByRole('link', { name: 'Try it' }).click();
    await askPrice(page);
    await pay(page);
    await waitForPurchase(page);
    await page.getByText('The transaction moved the signed amount').waitFor();
    expect(await page.locator('section[aria-labelledby=verification] .sign').allTextContents()).toEqual(
      Array(7).fill('✓'),
    );
    const paths = await page.evaluate<string[]>(
      `[...document.querySelectorAll('li a.hex')].map(({ href }) => href)`,
    );
    expect(paths).toHaveLength(3);
    for (const [path, ready] of [
      [paths[0], /The transaction settled \d/],
      [paths[1], 'The transaction moved the amount to the recipient'],
      [paths[2], 'The enclave key signed the proof'],
    ] as const) {
      await page.goto(String(path));
      await page.getByText(ready).waitFor();
      expect(await page.locator('.sign.false').count()).toBe(0);
      expect(await page.locator('nav a[aria-current]').allTextContents()).toEqual(['Explorer']);
    }
    await page.getByRole('link', { name: 'API reference' }).click();
    await page.getByRole('heading', { name: 'The payment flow' }).waitFor();
    expect(at()).toBe(`${pathname}/docs`);
    await page.getByRole('link', { name: 'Explorer' }).click();
    await page.getByLabel(/Proof id/).fill(String(paths[2]).split('/').at(-1) ?? '');
    await page.getByRole('button', { name: 'Look up' }).click();
    await page.getByText('The enclave key signed the proof').waitFor();
    expect(at()).toMatch(new RegExp(`^${pathname}/proof/0x`));
    await inspect(tab, 'behind-a-path');
    expect(proxy.outside).toEqual([]);
    await tab.close();
  });

  it('the playground names the address of the gateway to a visitor who comes by another one', async () => {
    const tab = await openTab(browser, {});
    const { page } = tab;
    await page.goto(`${ownUrl}/try`);
    await askPrice(page);
    await pay(page);
    const alert = page.getByRole('alert');
    await alert.getByText('The gateway has another address').waitFor();
    expect(await alert.innerText()).toContain(proxy.url);
    await tab.close();
  });
});
