import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestGateway } from '../../testing/gateway.ts';
import { startBrowser } from '../../testing/web/browser.ts';
import { startWebGateway } from '../../testing/web/gateway.ts';
import { askPrice, inspect, openPlayground, pay, waitForPurchase } from '../../testing/web/playground.ts';

let gateway: TestGateway;
let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
  gateway = await startWebGateway();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
});

const paidBalance = () => gateway.balanceOf(gateway.devnet.payer.address);
const kept = 'You signed a purchase, and its completion has not arrived';

/** Lets the model stop after its first words, until the returned function is called. */
function holdStream(): () => void {
  const { streaming } = gateway.engine;
  if (streaming === null) throw new Error('the engine does not stream');
  const { promise, resolve } = Promise.withResolvers<void>();
  gateway.engine.streaming = async function* (task, limits) {
    const parts = streaming(task, limits);
    for (;;) {
      const part = await parts.next();
      if (part.done) return part.value;
      yield part.value;
      await promise;
    }
  };
  return () => {
    gateway.engine.streaming = streaming;
    resolve();
  };
}

describe('A purchase that is interrupted', () => {
  it('in the middle of its stream, by a reload, gets its completion for the same payment', async () => {
    const tab = await openPlayground(browser, gateway.url);
    const { page } = tab;
    const before = await paidBalance();
    await askPrice(page);
    const price = Number((await page.getByRole('heading', { name: /^Price: / }).innerText()).split(' ')[1]);
    const release = holdStream();
    await pay(page);
    await page.locator('section[aria-labelledby=completion] .chat').waitFor();
    await page.reload();
    release();
    await page.getByText(kept).waitFor();
    await inspect(tab, 'try-interrupted');
    expect(await page.getByRole('heading', { name: /^Price: / }).count()).toBe(0);
    await page.getByRole('button', { name: 'Get the completion' }).click();
    await page.getByText('The transaction moved the signed amount').waitFor();
    expect(await page.locator('section[aria-labelledby=verification] .sign').allTextContents()).toEqual(
      Array(7).fill('✓'),
    );
    // The page asked no wallet, and the chain moved one price.
    expect(await page.getByText('Fields to sign').count()).toBe(0);
    expect(Number(before - (await paidBalance())) / 1e6).toBeCloseTo(price, 6);
    await inspect(tab, 'try-resumed');
    await page.reload();
    await page.getByRole('heading', { name: 'Try it' }).waitFor();
    expect(await page.getByText(kept).count()).toBe(0);
    await tab.close();
  });

  it('by a network that fails, can be completed without a reload', async () => {
    const tab = await openPlayground(browser, gateway.url);
    const { page } = tab;
    await askPrice(page);
    // The gateway gets the payment, and its response is lost.
    await page.route('**/v1/chat/completions', async (route) => {
      if (route.request().headers()['x-payment'] === undefined) return route.continue();
      await route.fetch();
      return route.abort();
    });
    const before = await paidBalance();
    await pay(page);
    await page.getByText(kept).waitFor();
    await page.getByRole('alert').getByText('The payment may be charged').waitFor();
    expect(await page.getByText('No response', { exact: true }).count()).toBe(4);
    await inspect(tab, 'try-lost-response');
    await page.unroute('**/v1/chat/completions');
    await page.getByRole('button', { name: 'Get the completion' }).click();
    await waitForPurchase(page);
    expect(await page.getByText(kept).count()).toBe(0);
    expect(await paidBalance()).toBeLessThan(before);
    await tab.close();
  });

  it('can be forgotten, and then the visitor can buy again', async () => {
    const tab = await openPlayground(browser, gateway.url);
    const { page } = tab;
    await askPrice(page);
    const release = holdStream();
    await pay(page);
    await page.locator('section[aria-labelledby=completion] .chat').waitFor();
    await page.reload();
    release();
    await page.getByRole('button', { name: 'Forget this purchase' }).click();
    await page.reload();
    await askPrice(page);
    expect(await page.getByText(kept).count()).toBe(0);
    await pay(page);
    await waitForPurchase(page);
    await tab.close();
  });
});
