import { chainId } from '@paid-inference/contract/constants';
import { id, type Wallet, zeroPadValue } from 'ethers';
import type { Browser, ConsoleMessage } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openProvider } from '../chain-provider.ts';
import { readKey } from '../cli/key.ts';
import { type GatewayProcess, startGatewayProcess } from '../demo/gateway-process.ts';
import {
  injectedWalletScript,
  openNodeToPages,
  readBrowserProgram,
  type Site,
  serveProgram,
  serveRedirect,
  startBrowser,
} from '../testing/browser-page.ts';
import { createInjectedWallet, type WalletHabits } from '../testing/injected-wallet.ts';

// Chromium, a page on an origin of its own, the reference gateway with its devnet, and a wallet of this test.
let gateway: GatewayProcess;
let browser: Browser;
let sites: Site[];
let page: Site;
let key: Wallet;

beforeAll(async () => {
  browser = await startBrowser();
  gateway = await startGatewayProcess(new AbortController().signal);
  const { url, chain, proofLedger, payer } = gateway.ready;
  const [chainNode, ledgerNode] = [
    await openNodeToPages(chain.rpcUrl),
    await openNodeToPages(proofLedger.rpcUrl),
  ];
  const code = readBrowserProgram()
    .replace('https://gateway.example', url)
    .replace('https://chain.example', chainNode.url)
    .replace('https://ledger.example', ledgerNode.url);
  page = await serveProgram(code, [url, chainNode.url, ledgerNode.url]);
  sites = [page, chainNode, ledgerNode];
  const read = readKey(payer.keyFile, {});
  if (!read.ok) throw new Error(read.message);
  key = read.wallet;
});

afterAll(async () => {
  await browser?.close();
  await Promise.all((sites ?? []).map((site) => site[Symbol.asyncDispose]()));
  await gateway?.stop();
});

/** Opens the page with a wallet, and waits until its text matches or its program ends with an error. */
async function visit(url: string, habits: WalletHabits, expected: RegExp) {
  const wallet = createInjectedWallet(key, habits);
  const errors: string[] = [];
  const context = await browser.newContext();
  try {
    const tab = await context.newPage();
    const failed = new Promise<void>((resolve) =>
      tab.on('pageerror', ({ message }) => {
        errors.push(message);
        resolve();
      }),
    );
    tab.on('console', (message: ConsoleMessage) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    await tab.exposeFunction('requestOfWallet', async (call: Parameters<typeof wallet.request>[0]) => {
      return wallet.request(call).then(
        (result) => ({ result }),
        (error: unknown) => ({ error }),
      );
    });
    await tab.addInitScript(injectedWalletScript);
    await tab.goto(url);
    await Promise.race([failed, tab.getByText(expected).waitFor()]);
    const text = await tab.locator('body').innerText();
    const parts = await tab.evaluate<number>('document.body.childNodes.length');
    return { text, parts, errors, methods: wallet.methods };
  } finally {
    await context.close();
  }
}

/** The transfers from the payer, by transaction. */
async function listTransfers(): Promise<readonly string[]> {
  const { chain, token, payer } = gateway.ready;
  const provider = openProvider(chain.rpcUrl, chainId);
  try {
    const topics = [id('Transfer(address,address,uint256)'), zeroPadValue(payer.address, 32)];
    const logs = await provider.getLogs({ address: token.address, topics, fromBlock: 0 });
    return logs.map(({ transactionHash }) => transactionHash);
  } finally {
    provider.destroy();
  }
}

const elsewhere: WalletHabits = { chainId: 1, chains: [1, chainId] };

/** Chromium itself logs each response with a status of 400 or more. */
const loggedOffer = expect.stringContaining('status of 402 (Payment Required)');

test('A page pays nothing when the user of its wallet rejects the signature', async () => {
  const habits = { chainId, chains: [chainId], rejects: 'eth_signTypedData_v4' };
  const { errors } = await visit(page.url, habits, /never/);
  expect(errors).toEqual([
    loggedOffer,
    'the wallet did not sign: the user rejected eth_signTypedData_v4 (4001): User rejected the request.',
  ]);
  expect(await listTransfers()).toEqual([]);
});

test('A page buys a streamed completion with an injected wallet, and verifies receipt and proof', async () => {
  const { text, parts, errors, methods } = await visit(page.url, elsewhere, /payment: \w+/);
  expect(errors).toEqual([loggedOffer]);
  const transfers = await listTransfers();
  expect(transfers).toHaveLength(1);
  const [told, steps] = text.split(`Paid in ${transfers[0]}.`);
  expect(told).toMatch(/leaves/);
  expect(parts).toBeGreaterThan(10);
  expect(steps?.trim().split(/\s*\n?(?=\b\w+: )/)).toEqual(
    ['hashes', 'signature', 'key', 'attestation', 'inclusion', 'payment'].map((step) => `${step}: true`),
  );
  expect(methods).toEqual([
    'eth_requestAccounts',
    'eth_chainId',
    'wallet_switchEthereumChain',
    'eth_chainId',
    'eth_signTypedData_v4',
  ]);
});

test('A page follows no redirect of a gateway', async () => {
  await using moved = await serveRedirect(`${gateway.ready.url}/v1/models`);
  const code = `
    import { createClient } from '@paid-inference/client';
    const rules = { amountPerRequestMax: 0n, amountTotalMax: 0n };
    const client = createClient({ baseUrl: '${moved.url}', signer: null, rules });
    const result = await client.models();
    document.body.append(result.kind, ': ', result.message);`;
  await using site = await serveProgram(code, [moved.url, gateway.ready.url]);
  const { text } = await visit(site.url, elsewhere, /: the gateway/);
  expect(text).toBe('network: the gateway redirects; the client follows no redirects');
});
