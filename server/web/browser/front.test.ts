import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestGateway } from '../../testing/gateway.ts';
import { startBrowser } from '../../testing/web/browser.ts';
import { startWebGateway } from '../../testing/web/gateway.ts';
import { inspect, waitForPurchase } from '../../testing/web/playground.ts';
import { openTab } from '../../testing/web/visit.ts';
import type { SiteFacts } from '../facts.ts';

let gateway: TestGateway;
let browser: Browser;
let facts: SiteFacts;
beforeAll(async () => {
  browser = await startBrowser();
  gateway = await startWebGateway();
  facts = (await (await fetch(`${gateway.url}/web/facts.json`)).json()) as SiteFacts;
});
afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
});

describe('The front page', () => {
  it('shows what the gateway sells: models, limits, prices, network, addresses, attestation and settled payments', async () => {
    const tab = await openTab(browser, {});
    const { page } = tab;
    await page.goto(gateway.url);
    await page.getByRole('heading', { name: 'Models', exact: true }).waitFor();
    const { token, payTo, proofLedger, attestation, network, models } = facts;
    const shown = await page.locator('dl.facts').innerText();
    for (const text of [
      network,
      token.name,
      token.address,
      payTo,
      `eip155:${proofLedger.chainId}`,
      proofLedger.contract,
      attestation.provider,
      'not a TEE',
    ])
      expect(shown).toContain(text);
    expect(shown).toMatch(/Settled payments, last 24 hours\s+\d/);
    const rows = page.locator('table tbody tr');
    expect(await rows.count()).toBe(models.length);
    const [model] = models;
    if (model === undefined) throw new Error('the catalog is empty');
    const { input_per_million: input, output_per_million: output, minimum } = model.pricing;
    const price = (units: string, per: number) => String(Number(units) / per / 10 ** (token.decimals ?? 0));
    expect(await rows.first().locator('th, td').allInnerTexts()).toEqual([
      model.id,
      model.context_length.toLocaleString('en-US'),
      model.max_output_tokens.toLocaleString('en-US'),
      price(input, 1_000),
      price(output, 1_000),
      price(minimum, 1),
    ]);
    await rows.first().getByRole('link').click();
    await page.getByLabel('Model', { exact: true }).waitFor();
    expect(await page.getByLabel('Model', { exact: true }).inputValue()).toBe(model.id);
    await tab.close();
  });

  it('copies the first request in each language', async () => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    const tab = await openTab(browser, { permissions });
    const { page } = tab;
    await page.goto(gateway.url);
    for (const [name, part] of [
      ['curl', `curl -i ${gateway.url}`],
      ['TypeScript', '@paid-inference/client'],
      ['Python', 'import paid_inference'],
      ['Go', 'package main'],
    ] as const) {
      await page.getByRole('tab', { name }).click();
      await page.getByRole('button', { name: `Copy: the program for ${name}` }).click();
      await page.getByRole('button', { name: `Copied: the program for ${name}` }).waitFor();
      const copied = await page.evaluate<string>('navigator.clipboard.readText()');
      expect(copied).toContain(part);
      expect(copied).toBe(await page.getByRole('tabpanel').locator('code').last().textContent());
    }
    await tab.close();
  });

  it('fits a gateway with a hundred models and a token with a strange name', async () => {
    const tab = await openTab(browser, { viewport: { width: 360, height: 740 } });
    const { page } = tab;
    const [model] = facts.models;
    const models = Array.from({ length: 100 }, (_, at) => ({
      ...model,
      id: `provider-${at}/${'a-long-name'.repeat(10)}-${at}`,
    }));
    const token = { ...facts.token, name: '<b onmouseover=alert(1)>מטבע</b>' };
    await page.route('**/web/facts.json', (route) => route.fulfill({ json: { ...facts, models, token } }));
    await page.goto(gateway.url);
    await page.getByText('What happens in a purchase').waitFor();
    expect(await page.locator('table tbody tr').count()).toBe(100);
    expect(await page.locator('dl.facts').innerText()).toContain(token.name);
    await inspect(tab, 'front-100-models');
    await tab.close();
  });

  it('says so when the gateway does not respond', async () => {
    const tab = await openTab(browser, {});
    await tab.page.route('**/web/facts.json', (route) => route.abort());
    await tab.page.goto(gateway.url);
    await tab.page.getByRole('alert').getByText('This view could not be loaded').waitFor();
    await inspect(tab, 'front-failed');
    await tab.close();
  });
});

describe('Without JavaScript', () => {
  it('each view says so, and the API reference is whole', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    for (const path of ['/', '/try', '/explorer', `/tx/0x${'ab'.repeat(32)}`]) {
      await page.goto(gateway.url + path);
      expect(await page.locator('noscript p').innerText()).toMatch(/^This view needs JavaScript/);
    }
    await page.locator('noscript a').first().click();
    await page.getByRole('heading', { name: 'The payment flow' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/docs');
    expect(await page.getByText('decoded from base64').count()).toBe(4);
    await page.getByText('The bytes of the header').first().click();
    await context.close();
  });
});

it('nothing moves for visitors who want less motion', async () => {
  for (const reducedMotion of ['reduce', 'no-preference'] as const) {
    const tab = await openTab(browser, { reducedMotion });
    await tab.page.goto(gateway.url);
    await tab.page.getByText('What happens in a purchase').waitFor();
    const style = await tab.page.evaluate<string>(
      'getComputedStyle(document.documentElement).scrollBehavior',
    );
    expect(style).toBe(reducedMotion === 'reduce' ? 'auto' : 'smooth');
    const moving = await tab.page.evaluate<number>('document.getAnimations().length');
    expect(moving).toBe(0);
    await tab.close();
  }
});

it('the playground works with the keyboard alone', async () => {
  const tab = await openTab(browser, {});
  const { page } = tab;
  await page.goto(`${gateway.url}/try`);
  await page.getByLabel('Your message').focus();
  const press = async (name: RegExp) => {
    for (let steps = 0; steps < 20; steps++) {
      await page.keyboard.press('Tab');
      const text = await page.evaluate<string>('document.activeElement.textContent');
      if (name.test(text)) return page.keyboard.press('Enter');
    }
    throw new Error(`the keyboard does not reach ${name}`);
  };
  await press(/^Show the price$/);
  await page.getByRole('heading', { name: /^Price: / }).waitFor();
  await press(/^Sign and pay/);
  await waitForPurchase(page);
  expect(tab.errors).toEqual([]);
  await tab.close();
});
