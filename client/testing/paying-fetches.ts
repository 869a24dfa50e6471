import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { network } from '@paid-inference/contract/constants';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPaymentFromConfig } from '@x402/fetch';
import { privateKeyToAccount } from 'viem/accounts';
import type { ReadyEvent } from '../demo/gateway-process.ts';
import { payingFetch } from '../paying-fetch.ts';

/** The timeout of one request of a fetch, shorter than those of the SDKs. */
const timeoutMs = 5_000;

/** The name of each fetch that pays, and a function that makes one with its own journal in the folder. */
export const payingFetches = {
  payingFetch: ({ url, payer, token, payTo }: ReadyEvent, folder: string, name: string) =>
    payingFetch({
      keyFile: payer.keyFile,
      journalFile: join(folder, `${name}.journal`),
      // The request goes to the proxy, and the offer names the gateway.
      rules: {
        amountPerRequestMax: 100_000n,
        amountTotalMax: 1_000_000n,
        assets: [token.address],
        payTo: [payTo],
        resourceHosts: [new URL(url).host],
      },
      timeoutMs,
    }),
  '@x402/fetch': (ready: ReadyEvent) =>
    openX402Fetch(ready, {
      allowedAssets: [{ network, asset: ready.token.address, maxAmountPerPayment: '100000' }],
    }),
} as const;

type SpendControls = Parameters<typeof wrapFetchWithPaymentFromConfig>[1]['spendControls'];

export function openX402Fetch({ payer }: ReadyEvent, spendControls: SpendControls = {}): typeof fetch {
  // Node loses the SDK's own timeout when it collects the wrapper's copy of the request as garbage.
  const timedFetch: typeof fetch = (input, init) =>
    fetch(input, { ...init, signal: AbortSignal.timeout(timeoutMs) });
  const key = readFileSync(payer.keyFile, 'utf8').trim().replace(/^0x/, '');
  return wrapFetchWithPaymentFromConfig(timedFetch, {
    schemes: [{ network, client: new ExactEvmScheme(privateKeyToAccount(`0x${key}`)) }],
    spendControls,
  });
}
