import { join } from 'node:path';
import type { ProofRecord } from '@paid-inference/contract/types';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
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
import { screenshots } from '../../testing/web/playground.ts';
import { openTab, type Visit } from '../../testing/web/visit.ts';

let gateway: TestGateway;
let browser: Browser;
/** The views with an id of their own, by name. */
let ids: { readonly proof: string; readonly payment: string; readonly tx: string };

beforeAll(async () => {
  browser = await startBrowser();
  gateway = await startWebGateway({ adminAddress: '127.0.0.1:0' });
  // Some payments in one batch of proofs, so that the Merkle path has steps.
  const { payer } = gateway.devnet;
  const chat = gateway.url + chatPath;
  const offer = decodeOffer(await post(chat, chatBody));
  const nonces = Array.from({ length: 5 }, (_, at) => `0x${String(at + 1).repeat(64)}`);
  const bought = await Promise.all(
    nonces.map(async (nonce, at) =>
      post(chat, { ...chatBody, user: `${at}` }, await paymentFor(offer, payer.privateKey, { nonce })),
    ),
  );
  const [first] = bought;
  if (first === undefined) throw new Error('nothing was bought');
  ids = {
    proof: `/proof/${decodeProof(first).proofId}`,
    payment: `/payment/${nonces[0]}?payer=${payer.address}`,
    tx: `/tx/${decodeReceipt(first).txHash}`,
  };
  await untilRecorded(ids.proof.slice('/proof/'.length));
});

afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
});

type View = { readonly path: () => string; readonly ready: RegExp; readonly isAdmin?: boolean };

/** The gateway records a batch within seconds. */
async function untilRecorded(proofId: string): Promise<void> {
  const read = async () => (await (await fetch(`${gateway.url}/v1/proofs/${proofId}`)).json()) as ProofRecord;
  await vi.waitFor(async () => expect((await read()).status).toBe('recorded'), {
    timeout: 30_000,
    interval: 200,
  });
}

const unknown = `0x${'ab'.repeat(32)}`;
const views = {
  operator: { path: () => '/', ready: /Payments that failed/, isAdmin: true },
  front: { path: () => '/', ready: /Payment|What happens in a purchase/ },
  docs: { path: () => '/docs', ready: /The payment flow/ },
  try: { path: () => '/try', ready: /Show the price/ },
  explorer: { path: () => '/explorer', ready: /Verify a saved purchase/ },
  proof: { path: () => ids.proof, ready: /Merkle path/ },
  payment: { path: () => ids.payment, ready: /moved the amount to the recipient/ },
  transaction: { path: () => ids.tx, ready: /The transaction settled/ },
  'unknown-proof': { path: () => `/proof/${unknown}`, ready: /Unknown proof/ },
  'unknown-payment': {
    path: () => `/payment/${unknown}?payer=${gateway.devnet.payer.address}`,
    ready: /no such payment/,
  },
  'unknown-transaction': { path: () => `/tx/${unknown}`, ready: /does not have this transaction/ },
} as const;

const windows = [
  // 400 % zoom in a window of 1280 by 1024 pixels (WCAG 1.4.10).
  { width: 320, height: 256, colorScheme: 'light' },
  { width: 360, height: 740, colorScheme: 'light' },
  { width: 1024, height: 768, colorScheme: 'dark' },
  { width: 1024, height: 768, colorScheme: 'light' },
  { width: 2560, height: 1440, colorScheme: 'light' },
] as const;

describe.each(Object.entries<View>(views))('The view %s', (name, { path, ready, isAdmin = false }) => {
  it.each(windows)(
    'fits into $width pixels, $colorScheme, without a fault',
    async ({ width, height, colorScheme }) => {
      const tab = await openTab(browser, { viewport: { width, height }, colorScheme });
      try {
        await tab.page.goto(`${isAdmin ? gateway.adminUrl : gateway.url}${path()}`);
        await tab.page.getByRole('heading', { level: 1 }).waitFor();
        await tab.page.getByText(ready).first().waitFor();
        await tab.page.screenshot({
          path: join(screenshots, `${name}-${width}-${colorScheme}.png`),
          fullPage: name !== 'docs',
        });
        expect(await tab.isTooWide()).toBe(false);
        expect(await tab.findAccessibilityFaults()).toEqual([]);
        expect([...tab.errors, ...tab.foreign]).toEqual([]);
      } finally {
        await tab.close();
      }
    },
  );
});

describe('The views', () => {
  let tab: Visit;
  beforeAll(async () => {
    tab = await openTab(browser, { viewport: { width: 1024, height: 768 } });
  });
  afterAll(() => tab.close());

  it('verify a recorded proof in the browser, and every step of it is true', async () => {
    await tab.page.goto(gateway.url + ids.proof);
    await tab.page.getByText('Merkle path').first().waitFor();
    expect(await tab.page.locator('.steps .sign').allTextContents()).toEqual(Array(5).fill('✓'));
    await tab.page.getByText('The path leads from this proof to the root of its batch.').waitFor();
  });

  it('show no step as verified when the proof was changed on its way', async () => {
    await tab.page.route('**/v1/proofs/*', async (route) => {
      const response = await route.fetch();
      const record = await response.json();
      await route.fulfill({ response, json: { ...record, leaf: { ...record.leaf, outputHash: unknown } } });
    });
    await tab.page.goto(gateway.url + ids.proof);
    await tab.page.getByText('The enclave key signed the proof').waitFor();
    const signs = await tab.page.locator('.steps .sign').allTextContents();
    expect(signs[0]).toBe('✗');
    expect(signs.at(-1)).not.toBe('✓');
    await tab.page.getByText('The path does not lead to the root of the batch.').waitFor();
    await tab.page.unroute('**/v1/proofs/*');
  });

  it('name no payer of a transaction', async () => {
    await tab.page.goto(gateway.url + ids.tx);
    await tab.page.getByText(/The transaction settled \d/).waitFor();
    expect((await tab.page.locator('main').innerText()).toLowerCase()).not.toContain(
      gateway.devnet.payer.address,
    );
  });

  it('are reached by keyboard: the first stop skips to the content, and the arrows change the language', async () => {
    await tab.page.goto(gateway.url);
    const tabs = tab.page.getByRole('tab');
    await tabs.first().waitFor();
    await tab.page.keyboard.press('Tab');
    expect(await tab.page.evaluate<string>('document.activeElement.textContent')).toBe('Skip to the content');
    await tabs.first().focus();
    await tab.page.keyboard.press('ArrowRight');
    expect(await tabs.nth(1).getAttribute('aria-selected')).toBe('true');
    expect(await tab.page.getByRole('tabpanel').innerText()).toContain('@paid-inference/client');
  });

  it('open the lookup of an id, and name a wrong one', async () => {
    await tab.page.goto(`${gateway.url}/explorer`);
    await tab.page.getByLabel(/Proof id/).fill('0x12');
    await tab.page.getByRole('button', { name: 'Look up' }).click();
    await tab.page.getByRole('alert').getByText('An id has 64 hex digits, with or without 0x.').waitFor();
    await tab.page.getByLabel(/Proof id/).fill(ids.proof.slice(7));
    await tab.page.getByRole('button', { name: 'Look up' }).click();
    await tab.page.getByText('Merkle path').first().waitFor();
    expect(new URL(tab.page.url()).pathname).toBe(ids.proof);
  });
});

it('the first view loads at most 150 kB, compressed', async () => {
  const tab = await openTab(browser, {});
  const sizes: Promise<number>[] = [];
  tab.page.on('response', (response) => {
    sizes.push(
      response
        .request()
        .sizes()
        .then(({ responseBodySize }) => responseBodySize),
    );
  });
  await tab.page.goto(gateway.url);
  await tab.page.getByText('What happens in a purchase').waitFor();
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  console.log(`The first view loads ${bytes} bytes.`);
  expect(bytes).toBeGreaterThan(5_000);
  expect(bytes).toBeLessThan(150_000);
  await tab.close();
});
